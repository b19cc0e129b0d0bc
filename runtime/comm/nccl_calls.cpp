#include <tutti/runtime/comm/nccl_calls.h>

#include <algorithm>

namespace tutti::runtime {

namespace {

bool nccl_reduces(Reduction reduction, DType dtype) {
  switch (dtype) {
    case DType::f16:
    case DType::bf16:
    case DType::f32:
    case DType::f64:
      return reduction == Reduction::sum || reduction == Reduction::product;
    case DType::i8:
    case DType::u8:
    case DType::i32:
    case DType::u32:
    case DType::i64:
    case DType::u64:
      return reduction == Reduction::sum || reduction == Reduction::product ||
             reduction == Reduction::min || reduction == Reduction::max;
    default:
      return false;
  }
}

}  // namespace

bool nccl_serves(const CollectiveCall& call, int members) {
  if (members < 2 || call.parts.empty()) return false;
  if (call.kind == CollectiveKind::scan_ranks || call.kind == CollectiveKind::send_recv) {
    return false;
  }
  if (kernels::reduces(call.kind) && !nccl_reduces(call.reduction, call.dtype)) return false;
  return std::ranges::all_of(call.parts, [&](const TensorPart& part) {
    // A member's part is one piece of memory.
    if (kernels::has_axis(call.kind) && part.outer != 1) return false;
    // Of uneven exchanges each member knows its own sizes alone, which nobody would compare.
    return part.sizes.empty() ||
           (call.kind != CollectiveKind::reduce_scatter && call.kind != CollectiveKind::all_to_all);
  });
}

}  // namespace tutti::runtime
