// Parts that are put into tensors as native code: what kernels/host/dynamic_slice.cpp does, of few
// bytes.

#include <tutti/codegen/llvm/emit_index.h>
#include <tutti/codegen/llvm/plan_emitter.h>
#include <tutti/kernels/host/dynamic_slice.h>

#include <vector>

namespace tutti::codegen::native {

void PlanEmitter::put_part(const kernels::DynamicUpdateSlice& update,
                           std::span<const BufferId> buffers) {
  Value x = address_of(buffers[0]);
  Value part = address_of(buffers[1]);
  Value starts = address_of(buffers[2]);
  Value result = address_of(buffers[3]);
  const std::int64_t size = update.element_size;
  move(result, x, update.x.elements() * size);
  const std::vector<kernels::PartDimension> dimensions =
      kernels::part_dimensions(update.x, update.part);
  llvm::Type* const index_type =
      ir_.getIntNTy(static_cast<unsigned>(8 * size_of(update.index_dtype)));
  Value begin = long_number(0);  // in bytes
  std::vector<std::int64_t> runs = {0};
  std::int64_t stride = size;
  for (std::size_t d = dimensions.size(); d-- > 0;) {
    const kernels::PartDimension& dimension = dimensions[d];
    const int axis = dimension.axis;
    const std::int64_t most = axis < 0 ? 0 : update.x[axis] - update.part[axis];
    if (most > 0) {
      Value index = ir_.CreateLoad(
          index_type, ir_.CreateConstGEP1_64(index_type, starts, static_cast<std::uint64_t>(axis)),
          "start");
      index = emit_clamped_index(ir_, index, update.index_dtype, most, ir_.getInt64Ty());
      begin = ir_.CreateAdd(begin, ir_.CreateMul(index, long_number(dimension.scale * stride)));
    }
    if (d + 1 < dimensions.size()) {
      std::vector<std::int64_t> all;  // row-major, as the part is
      for (std::int64_t i = 0; i < dimension.part; ++i) {
        for (const std::int64_t run : runs) all.push_back(i * stride + run);
      }
      runs = std::move(all);
    }
    stride *= dimension.size;
  }
  const std::int64_t bytes = dimensions.back().part * size;
  Value to = behind(result, begin);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    copy(behind(to, long_number(runs[i])),
         behind(part, long_number(static_cast<std::int64_t>(i) * bytes)), bytes);
  }
}

}  // namespace tutti::codegen::native
