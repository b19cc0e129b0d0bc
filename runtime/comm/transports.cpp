#include <tutti/runtime/comm/host_transport.h>
#include <tutti/runtime/comm/nccl_calls.h>
#include <tutti/runtime/comm/transports.h>

#include <algorithm>

namespace tutti::runtime {

namespace {

using Setup = std::shared_ptr<GroupCommunicator>;

constexpr TransportEntry kTransports[] = {
    {.name = "shm",
     .make = [](GroupAgreement& agreement, Setup) -> std::unique_ptr<Transport> {
       return std::make_unique<HostTransport>(agreement);
     },
     .instead = ""},
    {.name = "nccl",
#if TUTTI_HAS_CUDA
     .make = make_nccl_transport,
#else
     .make = nullptr,
#endif
     .instead = "\"cuda:shm\" takes values of GPUs through the host",
     .on_devices = true,
     .serves = nccl_serves},
};

}  // namespace

std::span<const TransportEntry> transports() { return kTransports; }

const TransportEntry* find_transport(std::string_view name) {
  const auto* const found = std::ranges::find(kTransports, name, &TransportEntry::name);
  return found == std::end(kTransports) ? nullptr : found;
}

bool moves_on_devices(std::string_view engine) {
  const TransportEntry* const own = find_transport(engine);
  return own != nullptr && own->on_devices;
}

}  // namespace tutti::runtime
