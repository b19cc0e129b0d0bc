#pragma once

#include <tutti/codegen/library.h>
#include <tutti/kernels/host/matmul.h>

#include <cstdint>
#include <memory>
#include <vector>

namespace tutti::codegen {

// The product of operands with these views, with as few batch dimensions as a tall product saves.
// Its operands start at the views' offsets.
kernels::Matmul matmul_spec(const ir::Type& result, const std::vector<View>& operands);

// "f32 128x64x32, batch 4"
std::string matmul_text(const kernels::Matmul& product);

// The call for a matmul whose operands have these views.
LaunchPart matmul_call(const ir::Type& result, const std::vector<View>& operands);

// How a matmul's results are divided, seen as one dense [rows, columns] matrix.
struct MatmulRegion {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t tile_columns = 0;
};
// Null unless the code is a matmul_call's.
const MatmulRegion* matmul_region(const KernelCode& code);

// The matmul with a kernel that goes over each tile right after it, while the tile is in the cache.
// The kernel's tile r * t + j is row r of the j-th of the t columns of tiles. Its buffers follow
// the matmul's.
std::shared_ptr<const KernelCode> with_epilogue(const std::shared_ptr<const KernelCode>& matmul,
                                                std::shared_ptr<const KernelCode> epilogue);

}  // namespace tutti::codegen
