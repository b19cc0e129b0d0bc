#include <tutti/ir/support/error.h>
#include <tutti/runtime/comm/algorithms.h>
#include <tutti/runtime/cuda/kernel.h>
#include <tutti/runtime/cuda/mapped_memory.h>
#include <tutti/runtime/cuda/peer_collectives.h>
#include <tutti/runtime/settings.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>

namespace tutti::runtime {

namespace {

using Kind = CommKernel::Kind;

constexpr int kWidest = 16;  // bytes that a thread moves at once

struct Range {
  const std::byte* begin;
  const std::byte* end;

  Range(const void* place, std::size_t bytes)
      : begin(static_cast<const std::byte*>(place)), end(begin + bytes) {}
  bool meets(const Range& other) const { return begin < other.end && other.begin < end; }
  friend bool operator==(const Range&, const Range&) = default;
};

// Whether some result is its operand; nothing where they overlap otherwise.
std::optional<bool> is_in_place(const GroupCall& call, std::span<const PartAddresses> parts) {
  bool out = false;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Range result(parts[i].result, call.result_bytes[i]);
    for (std::size_t j = 0; j < parts.size(); ++j) {
      const Range operand(parts[j].operand, call.operand_bytes[j]);
      if (!result.meets(operand)) continue;
      if (i != j || !(result == operand)) return std::nullopt;
      out = true;
    }
  }
  return out;
}

bool is_aligned(const void* place) {
  return reinterpret_cast<std::uintptr_t>(place) % kWidest == 0;
}

// The most bytes that divide a size, up to the widest access.
int bytes_at_once(std::size_t bytes) {
  int out = kWidest;
  while (bytes % static_cast<std::size_t>(out) != 0) out /= 2;
  return out;
}

std::optional<Kind> kind_of(const GroupCall& call, std::span<const PartAddresses> parts,
                            const AlgorithmTable& table, int members,
                            const std::function<bool(const void*)>& is_shared, bool multicast) {
  const CollectiveCall& asked = call.call();
  const CommKernelLimits& limits =
      table.rule(asked.kind, asked.reduction, asked.dtype, members).between_gpus;
  const std::int64_t bytes = limited_bytes(asked, members);
  const std::optional<bool> in_place = is_in_place(call, parts);
  if (!in_place) return std::nullopt;
  // Groups can ask for one way or the other, whatever the size (algorithms.h), and for the order of
  // sums with that.
  const bool any_way = !always_one_shot(asked) && !always_two_shot(asked);
  const auto others_reach = [&] {
    return std::ranges::all_of(parts,
                               [&](const PartAddresses& part) { return is_shared(part.result); });
  };
  // What the switch does for the members, whose parts should be whole packs.
  const auto by_switch = [&](std::span<const std::size_t> pieces) {
    return multicast && any_way && bytes <= limits.by_switch &&
           std::ranges::all_of(pieces,
                               [](std::size_t each) { return bytes_at_once(each) == kWidest; });
  };
  const bool is_summed = CommKernel::is_summed_by_switch(asked.dtype, asked.reduction);
  switch (asked.kind) {
    case CollectiveKind::all_reduce: {
      if (is_read_whole(asked, table, members) && !*in_place) return Kind::all_reduce_one_shot;
      if (is_summed && by_switch(call.operand_bytes) && others_reach()) {
        return Kind::all_reduce_multimem;
      }
      const bool two_shot =
          !always_one_shot(asked) && (always_two_shot(asked) || bytes <= limits.two_shot);
      if (two_shot && others_reach()) return Kind::all_reduce_two_shot;
      return std::nullopt;
    }
    case CollectiveKind::all_gather:
      if (*in_place) return std::nullopt;
      if (is_read_whole(asked, table, members)) return Kind::all_gather;
      if (by_switch(call.operand_bytes) && others_reach()) return Kind::all_gather_multimem;
      return std::nullopt;
    case CollectiveKind::reduce_scatter:
      if (*in_place) return std::nullopt;
      if (is_read_whole(asked, table, members)) return Kind::reduce_scatter;
      if (is_summed && by_switch(call.result_bytes)) return Kind::reduce_scatter_multimem;
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

}  // namespace

std::string why_no_comm_kernels(const CudaAccelerator& gpu, const CommKernels* kernels) {
  if (!Settings::process().flag("comm_kernels")) return "TUTTI_SET has comm_kernels=off";
  if (kernels == nullptr) return "nobody compiles them";
  return can_map_memory(*gpu.stream()) ? "" : gpu.device().text() + " can't map memory to share it";
}

std::uint32_t most_meeting_blocks(const CudaAccelerator& gpu) {
  const CudaDriver& driver = gpu.stream()->driver();
  int multiprocessors = 0;
  driver.check(
      driver.cuDeviceGetAttribute(&multiprocessors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT,
                                  gpu.stream()->device()),
      "cuDeviceGetAttribute");
  // One a multiprocessor: a kernel of which not one fits can't be launched.
  return std::clamp(static_cast<std::uint32_t>(multiprocessors), 1U, CommKernel::kMostBlocks);
}

std::vector<PeerLaunch> choose_comm_kernels(const GroupCall& call,
                                            std::span<const PartAddresses> parts,
                                            const AlgorithmTable& table, int members,
                                            const std::function<bool(const void*)>& is_shared,
                                            bool multicast) {
  const CollectiveCall& asked = call.call();
  const bool fits =
      members >= 2 && members <= CommKernel::kMostMembers &&
      std::ranges::all_of(parts,
                          [&](const PartAddresses& part) {
                            // Memory of a result's own is aligned anyway.
                            return is_shared(part.operand) && is_aligned(part.operand) &&
                                   is_aligned(part.result);
                          }) &&
      std::ranges::all_of(asked.parts, [](const TensorPart& part) { return part.sizes.empty(); });
  if (!fits) return {};
  const std::optional<Kind> kind = kind_of(call, parts, table, members, is_shared, multicast);
  if (!kind) return {};
  std::vector<PeerLaunch> out;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    PeerLaunch launch{
        .kernel = {.kind = *kind,
                   .dtype = asked.dtype,
                   .reduction = asked.reduction,
                   .members = members},
        .part = parts[i],
        .elements = asked.parts[i].elements,
    };
    const auto size = static_cast<std::size_t>(size_of(asked.dtype));
    if (asked.kind == CollectiveKind::reduce_scatter) launch.elements /= members;
    if (*kind == Kind::reduce_scatter || *kind == Kind::all_gather) {
      launch.kernel.bytes_at_once = std::max(
          bytes_at_once(static_cast<std::size_t>(launch.elements) * size), static_cast<int>(size));
    }
    if (asked.kind == CollectiveKind::all_gather) {
      // As many bytes whatever they are.
      launch.kernel.dtype = DType::u8;
      launch.kernel.reduction = Reduction::sum;
      launch.elements *= static_cast<std::int64_t>(size);
    }
    out.push_back(launch);
  }
  return out;
}

bool takes_companions(std::span<const PeerLaunch> launches) {
  if (launches.size() != 1 || launches[0].elements == 0) return false;
  const Kind kind = launches[0].kernel.kind;
  return kind == Kind::all_reduce_one_shot || kind == Kind::all_gather ||
         kind == Kind::reduce_scatter;
}

namespace {

// What the proof of a program's places says of them (the plan's layout is that of all members, and
// records say that they lie in one slab) holds for what is launched.
void require_reached(const PeerLaunch& launch, const PeerMemory& peers) {
  const CommKernel& kernel = launch.kernel;
  const bool by_switch = CommKernel::is_by_switch(kernel.kind);
  if (by_switch && !peers.has_multicast()) {
    throw InternalError("a collective by the switch between GPUs, which have no multicast memory");
  }
  const std::size_t part =
      static_cast<std::size_t>(launch.elements) * static_cast<std::size_t>(size_of(kernel.dtype));
  const std::size_t all = part * static_cast<std::size_t>(kernel.members);
  const bool scatters =
      kernel.kind == Kind::reduce_scatter || kernel.kind == Kind::reduce_scatter_multimem;
  const bool gathers = kernel.kind == Kind::all_gather || kernel.kind == Kind::all_gather_multimem;
  const bool others_use_results = kernel.kind == Kind::all_reduce_two_shot ||
                                  kernel.kind == Kind::all_reduce_multimem ||
                                  kernel.kind == Kind::all_gather_multimem;
  const bool is_reached =
      peers.has(launch.part.operand, scatters ? all : part) && is_aligned(launch.part.operand) &&
      is_aligned(launch.part.result) &&
      (!others_use_results || peers.has(launch.part.result, gathers ? all : part)) &&
      (!by_switch || part % kWidest == 0);
  if (!is_reached) {
    throw InternalError("a collective between GPUs at a place that not all of them reach");
  }
}

}  // namespace

std::shared_ptr<const CudaKernel> of_cuda(std::shared_ptr<const DeviceCode> code) {
  auto out = std::dynamic_pointer_cast<const CudaKernel>(std::move(code));
  if (out == nullptr) throw InternalError("a collective between GPUs by no kernel of CUDA's");
  return out;
}

std::shared_ptr<const CudaKernel> PeerCollectives::kernel_of(const CommKernel& kernel,
                                                             const CudaAccelerator& gpu) {
  const auto known = std::ranges::find(codes_, kernel, [](const auto& each) { return each.first; });
  if (known != codes_.end()) return known->second;
  auto code = of_cuda(kernels_->code(kernel, gpu.target()));
  return codes_.emplace_back(kernel, std::move(code)).second;
}

// All members find the same from the launch, whatever else their kernels do.
std::uint32_t PeerCollectives::blocks_of(const PeerLaunch& launch) const {
  const CommKernel& kernel = launch.kernel;
  const std::int64_t at_once = kernel.bytes_at_once / static_cast<int>(size_of(kernel.dtype));
  std::int64_t packs = (launch.elements + at_once - 1) / at_once;
  if (kernel.kind == Kind::all_reduce_two_shot || kernel.kind == Kind::all_reduce_multimem) {
    packs = (packs + kernel.members - 1) / kernel.members;
  }
  const std::int64_t blocks = (packs + CommKernel::kThreads - 1) / CommKernel::kThreads;
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(blocks, 1, most_blocks_));
}

void PeerCollectives::launch(std::span<const PeerLaunch> launches,
                             const std::shared_ptr<PeerMemory>& peers, CudaAccelerator& gpu,
                             CUstream on, Keeping& keeping) {
  keeping.emplace_back(peers, nullptr);
  for (const PeerLaunch& launch : launches) {
    if (launch.elements == 0) continue;
    require_reached(launch, *peers);
    const std::array<void*, 4> parameters = {peers->table(), const_cast<void*>(launch.part.operand),
                                             launch.part.result,
                                             reinterpret_cast<void*>(launch.elements)};
    const auto code = kernel_of(launch.kernel, gpu);
    code->launch_on(on, *gpu.stream(), blocks_of(launch), parameters.data());
    keeping.emplace_back(code, nullptr);
  }
}

void PeerCollectives::launch(const PeerLaunch& launch, const FusedCommKernels& kernels,
                             Companions companions, std::span<void* const> arguments,
                             const std::shared_ptr<PeerMemory>& peers, CudaAccelerator& gpu,
                             CUstream on, Keeping& keeping) const {
  require_reached(launch, *peers);
  keeping.emplace_back(peers, nullptr);
  std::vector<void*> parameters = {peers->table(), const_cast<void*>(launch.part.operand)};
  if (!companions.follower) parameters.push_back(launch.part.result);
  parameters.push_back(reinterpret_cast<void*>(launch.elements));
  parameters.insert(parameters.end(), arguments.begin(), arguments.end());
  const auto code = of_cuda(kernels.with(launch.kernel, companions, gpu.target()));
  code->launch_on(on, *gpu.stream(), blocks_of(launch), parameters.data());
  keeping.emplace_back(code, nullptr);
}

}  // namespace tutti::runtime
