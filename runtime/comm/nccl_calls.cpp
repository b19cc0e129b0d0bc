#include <tutti/runtime/comm/nccl_calls.h>

#include <algorithm>
#include <array>

namespace tutti::runtime {

namespace {

// In the order of NCCL's numbers, which a test compares with those of its header.
constexpr std::array kTypes = {DType::i8,  DType::u8,  DType::i32, DType::u32, DType::i64,
                               DType::u64, DType::f16, DType::f32, DType::f64, DType::bf16};
constexpr std::array kReductions = {Reduction::sum, Reduction::product, Reduction::max,
                                    Reduction::min};

template <class Table, class T>
std::optional<int> number_in(const Table& table, T wanted) {
  const auto found = std::ranges::find(table, wanted);
  if (found == table.end()) return std::nullopt;
  return static_cast<int>(found - table.begin());
}

bool nccl_reduces(Reduction reduction, DType dtype) {
  const bool extreme = reduction == Reduction::min || reduction == Reduction::max;
  return nccl_number(dtype) && nccl_number(reduction) && !(extreme && is_floating(dtype));
}

}  // namespace

std::optional<int> nccl_number(DType dtype) { return number_in(kTypes, dtype); }
std::optional<int> nccl_number(Reduction reduction) { return number_in(kReductions, reduction); }

bool are_messages(const CollectiveCall& call) {
  switch (call.kind) {
    case CollectiveKind::all_reduce:
    case CollectiveKind::reduce:
    case CollectiveKind::broadcast:
    case CollectiveKind::reduce_scatter:
      return false;
    case CollectiveKind::all_gather:
      return std::ranges::any_of(call.parts,
                                 [](const TensorPart& part) { return !part.sizes.empty(); });
    default:
      return true;
  }
}

bool nccl_serves(const CollectiveCall& call, int members) {
  if (members < 2 || call.parts.empty()) return false;
  if (call.kind == CollectiveKind::scan_ranks || call.kind == CollectiveKind::send_recv) {
    return false;
  }
  if (kernels::reduces(call.kind) && !nccl_reduces(call.reduction, call.dtype)) return false;
  // A member's part is one piece of memory.
  return !kernels::has_axis(call.kind) ||
         std::ranges::all_of(call.parts, [](const TensorPart& part) { return part.outer == 1; });
}

}  // namespace tutti::runtime
