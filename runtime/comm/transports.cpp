#include <tutti/runtime/comm/host_transport.h>
#include <tutti/runtime/comm/transports.h>

#include <algorithm>

namespace tutti::runtime {

namespace {

template <class T>
std::unique_ptr<Transport> make(GroupAgreement& agreement) {
  return std::make_unique<T>(agreement);
}

constexpr TransportEntry kTransports[] = {
    {"shm", make<HostTransport>, ""},
    {"nccl", nullptr, "\"cuda:shm\" takes values of GPUs through the host"},
};

}  // namespace

std::span<const TransportEntry> transports() { return kTransports; }

const TransportEntry* find_transport(std::string_view name) {
  const auto* const found = std::ranges::find(kTransports, name, &TransportEntry::name);
  return found == std::end(kTransports) ? nullptr : found;
}

}  // namespace tutti::runtime
