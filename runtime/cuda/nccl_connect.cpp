#include <tutti/ir/support/error.h>
#include <tutti/runtime/comm/group_communicator.h>
#include <tutti/runtime/comm/tell_each_other.h>
#include <tutti/runtime/cuda/nccl_transport.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

// How the members of a group come to know each other.

namespace tutti::runtime {

// What members tell each other to connect; the id is the first one's.
struct NcclTransport::Greeting {
  int version = 0;
  nccl::UniqueId id = {};
  CUuuid gpu = {};
  char no_windows[160] = {};       // why this member can have none; empty: it can
  char no_comm_kernels[160] = {};  // the same of kernels of our own
  std::uint32_t blocks = 0;        // that a kernel may have there
  bool multicast = false;          // whether its GPU can be one of those of multicast memory
  PeerExchange::Address address = {};

  Greeting() = default;
  explicit Greeting(const std::string& text) {
    if (text.size() == sizeof(*this)) std::memcpy(this, text.data(), sizeof(*this));
  }
  std::string text() const { return {reinterpret_cast<const char*>(this), sizeof(*this)}; }
};

namespace {

using Greeting = NcclTransport::Greeting;

// Why members can have together what some of them say that they can't; empty: they can.
std::string why_none(std::span<const Greeting> said, const GroupAgreement& agreement,
                     char (Greeting::*why_not)[160]) {
  for (std::size_t member = 0; member < said.size(); ++member) {
    const std::string name = agreement.names({static_cast<int>(member)});
    const char* const text = said[member].*why_not;
    if (text[0] != 0) return name + ": " + text;
    const auto shares = [&](const Greeting& other) {
      return std::memcmp(&other.gpu, &said[member].gpu, sizeof(CUuuid)) == 0;
    };
    if (std::ranges::count_if(said, shares) > 1) return name + " shares its GPU with another one";
  }
  return {};
}

void copy_text(const std::string& text, char (&to)[160]) { text.copy(to, sizeof(to) - 1); }

// The device that a process knows by that name; nothing if it does not see it.
std::optional<CUdevice> find_device_of(const CudaDriver& driver, const CUuuid& uuid) {
  int count = 0;
  driver.check(driver.cuDeviceGetCount(&count), "cuDeviceGetCount");
  for (int index = 0; index < count; ++index) {
    CUdevice device = 0;
    driver.check(driver.cuDeviceGet(&device, index), "cuDeviceGet");
    const CUuuid own = driver.uuid_of(device);
    if (std::memcmp(&own, &uuid, sizeof(CUuuid)) == 0) return device;
  }
  return std::nullopt;
}

// Why this GPU does not reach all of the others' memory; empty: it does.
std::string why_not_reached(std::span<const Greeting> said, const GroupAgreement& agreement,
                            const CudaStream& stream) {
  const CudaDriver& driver = stream.driver();
  for (std::size_t member = 0; member < said.size(); ++member) {
    if (static_cast<int>(member) == agreement.position()) continue;
    const std::string theirs = "the GPU of " + agreement.names({static_cast<int>(member)});
    const auto device = find_device_of(driver, said[member].gpu);
    if (!device) return "does not see " + theirs;
    int can = 0;
    driver.check(driver.cuDeviceCanAccessPeer(&can, stream.device(), *device),
                 "cuDeviceCanAccessPeer");
    if (can == 0) return "its GPU does not reach the memory of " + theirs;
  }
  return {};
}

}  // namespace

void NcclTransport::connect(const GroupWork& work, CudaAccelerator& gpu) {
  try {
    const Nccl& nccl = Nccl::process();
    Greeting own;
    own.version = nccl.version();
    own.gpu = gpu.stream()->driver().uuid_of(gpu.stream()->device());
    copy_text(NcclWindows::why_not(nccl, gpu), own.no_windows);
    const auto exchange = offer_peers(own, work.comm_kernels, gpu);
    if (agreement_.position() == 0) {
      nccl.check(nccl.ncclGetUniqueId(&own.id), "ncclGetUniqueId", nullptr);
    }
    std::vector<Greeting> said;
    for (const std::string& text : tell_each_other(*setup_, own.text())) said.emplace_back(text);
    for (std::size_t member = 1; member < said.size(); ++member) {
      if (said[member].version == said[0].version) continue;
      throw EnvironmentError(agreement_.names({0}) + " has NCCL " +
                             Nccl::version_text(said[0].version) + ", " +
                             agreement_.names({static_cast<int>(member)}) + " has " +
                             Nccl::version_text(said[member].version));
    }
    windows_.set_refusal(why_none(said, agreement_, &Greeting::no_windows));
    connect_peers(said, exchange, work.comm_kernels, gpu);
    // Memory that lies free is needed by NCCL for its buffers.
    CudaCaches::trim(gpu.device().index);
    set(std::make_shared<NcclCommunicator>(nccl, said[0].id, agreement_.size(),
                                           agreement_.position()));
    gpu_ = &gpu;
    wait_until_over(work, "for NCCL to connect the ranks");
  } catch (const std::exception& error) {
    const std::string reason =
        agreement_.names({agreement_.position()}) + " could not connect by NCCL: " + error.what();
    agreement_.group()->abort(reason);
    setup_->abort(reason);
    set(nullptr);
    const auto* const by_nccl = dynamic_cast<const NcclError*>(&error);
    if (by_nccl != nullptr) throw error_of(work, *by_nccl);
    throw;
  }
}

// Whether this member can reach the others' memory, and where it gives its own.
std::shared_ptr<PeerExchange> NcclTransport::offer_peers(Greeting& own, const CommKernels* kernels,
                                                         const CudaAccelerator& gpu) {
  try {
    copy_text(why_no_comm_kernels(gpu, kernels), own.no_comm_kernels);
    own.blocks = most_meeting_blocks(gpu);
    own.multicast = can_multicast(*gpu.stream());
    if (own.no_comm_kernels[0] != 0) return nullptr;
    auto out = std::make_shared<PeerExchange>(gpu.stream());
    own.address = out->address();
    return out;
  } catch (const EnvironmentError& error) {
    copy_text(error.what(), own.no_comm_kernels);
    return nullptr;
  }
}

void NcclTransport::connect_peers(std::span<const Greeting> said,
                                  const std::shared_ptr<PeerExchange>& exchange,
                                  const CommKernels* kernels, const CudaAccelerator& gpu) {
  std::string refusal = why_none(said, agreement_, &Greeting::no_comm_kernels);
  if (std::ssize(said) > CommKernel::kMostMembers) {
    refusal = "they are for " + std::to_string(CommKernel::kMostMembers) + " members at most";
  }
  if (refusal.empty()) {
    std::string own;
    try {
      own = why_not_reached(said, agreement_, *gpu.stream());
    } catch (const EnvironmentError& error) {
      own = error.what();
    }
    const std::vector<std::string> all = tell_each_other(*setup_, own);
    for (std::size_t member = 0; member < all.size() && refusal.empty(); ++member) {
      if (all[member].empty()) continue;
      refusal = agreement_.names({static_cast<int>(member)}) + ": " + all[member];
    }
  }
  windows_.set_peer_refusal(refusal);
  if (!refusal.empty()) return;
  std::vector<PeerExchange::Address> addresses;
  std::uint32_t blocks = CommKernel::kMostBlocks;
  for (const Greeting& each : said) {
    addresses.push_back(each.address);
    blocks = std::min(blocks, each.blocks);
  }
  // Between two, the switch saves nothing.
  const bool multicast = said.size() > 2 && std::ranges::all_of(said, &Greeting::multicast);
  exchange->set_members(std::move(addresses), agreement_.position(), multicast);
  own_kernels_.emplace(*kernels, blocks);
  const std::scoped_lock lock(mutex_);
  exchange_ = exchange;
}

// In the middle of a call, at which all members are; nothing of the group is on a GPU.
void NcclTransport::connect_again(const GroupWork& work) {
  drop_recordings();  // the library waits for their graphs
  // As long as there is no other one it stays: whoever fails the group looks for it.
  const auto former = current();
  former->abort();
  agreement_.wait_elsewhere(
      work, "for NCCL to end what it could not register memory with",
      [&] {
        if (former->is_gone()) return true;
        agreement_.check_peers(work);
        return false;
      },
      [] {});
  const Nccl& nccl = Nccl::process();
  Greeting own;
  if (agreement_.position() == 0) {
    nccl.check(nccl.ncclGetUniqueId(&own.id), "ncclGetUniqueId", nullptr);
  }
  const Greeting first(tell_within(work, own.text()).front());
  CudaCaches::trim(gpu_->device().index);  // as the first time
  set(std::make_shared<NcclCommunicator>(nccl, first.id, agreement_.size(), agreement_.position()));
  wait_until_over(work, "for NCCL to connect the ranks again");
}

}  // namespace tutti::runtime
