#pragma once

#include <tutti/codegen/library.h>
#include <tutti/kernels/host/result_tile.h>

#include <cstdint>
#include <memory>

namespace tutti::codegen {

// The code of a call of some operands and a result, which it computes a tile at a time, so that a
// kernel can go over each tile right after it, while it is in the cache.
class TiledCode : public KernelCode {
 public:
  virtual int buffers() const { return 3; }
  // Of the result as it lies in its buffer. No columns: it lies there in an order in which tiles
  // are no part of a matrix.
  virtual kernels::ResultDivision division() const = 0;
  virtual void run_tiles(void* const* buffers, std::int64_t begin, std::int64_t end,
                         const kernels::AfterTile& after) const = 0;

  void run(void* const* buffers, std::int64_t begin, std::int64_t end) const final {
    run_tiles(buffers, begin, end, {});
  }
};

// That of a call's code; no columns if no kernel can follow its tiles.
kernels::ResultDivision division_of(const KernelCode& code);

// The call with a kernel that goes over each tile right after it. The kernel's tile r * t + j is
// row r of the j-th of the t columns of tiles. Its buffers follow the call's. Throws InternalError
// where division_of has no columns.
std::shared_ptr<const KernelCode> with_epilogue(const std::shared_ptr<const KernelCode>& call,
                                                std::shared_ptr<const KernelCode> epilogue);

}  // namespace tutti::codegen
