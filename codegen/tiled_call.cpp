#include <tutti/codegen/tiled_call.h>
#include <tutti/ir/arithmetic.h>
#include <tutti/ir/support/error.h>

#include <utility>

namespace tutti::codegen {

namespace {

class CodeWithEpilogue final : public KernelCode {
 public:
  CodeWithEpilogue(std::shared_ptr<const TiledCode> call,
                   std::shared_ptr<const KernelCode> epilogue)
      : call_(std::move(call)),
        epilogue_(std::move(epilogue)),
        tile_columns_(call_->division().tile_columns),
        across_(divide_up(call_->division().columns, tile_columns_)) {}

  const std::shared_ptr<const TiledCode>& call() const { return call_; }

  void run(void* const* buffers, std::int64_t begin, std::int64_t end) const override {
    struct Context {
      const CodeWithEpilogue& self;
      void* const* buffers;
    } const context = {*this, buffers + call_->buffers()};
    // One reference: a std::function of it allocates nothing.
    call_->run_tiles(buffers, begin, end, [&context](const kernels::ResultTile& tile) {
      context.self.run_epilogue(context.buffers, tile);
    });
  }

  double library_seconds(int threads) const override { return call_->library_seconds(threads); }

 private:
  void run_epilogue(void* const* buffers, const kernels::ResultTile& tile) const {
    if (across_ == 1) return epilogue_->run(buffers, tile.row_begin, tile.row_end);
    const std::int64_t column = tile.column_begin / tile_columns_;
    for (std::int64_t row = tile.row_begin; row < tile.row_end; ++row) {
      epilogue_->run(buffers, row * across_ + column, row * across_ + column + 1);
    }
  }

  std::shared_ptr<const TiledCode> call_;
  std::shared_ptr<const KernelCode> epilogue_;
  std::int64_t tile_columns_;
  std::int64_t across_;  // tiles of a row
};

}  // namespace

kernels::ResultDivision division_of(const KernelCode& code) {
  const auto* const call = dynamic_cast<const TiledCode*>(&code);
  return call == nullptr ? kernels::ResultDivision{} : call->division();
}

std::shared_ptr<const KernelCode> with_epilogue(const std::shared_ptr<const KernelCode>& call,
                                                std::shared_ptr<const KernelCode> epilogue) {
  auto code = std::dynamic_pointer_cast<const TiledCode>(call);
  if (const auto* const fused = dynamic_cast<const CodeWithEpilogue*>(call.get())) {
    code = fused->call();
  }
  if (code == nullptr || code->division().columns == 0) {
    throw InternalError("an epilogue follows a call whose results are not made tile by tile");
  }
  return std::make_shared<const CodeWithEpilogue>(std::move(code), std::move(epilogue));
}

}  // namespace tutti::codegen
