#include <tutti/kernels/host/copy_grid.h>
#include <tutti/kernels/host/instruction_set.h>
#include <tutti/kernels/host/packed_product.h>
#include <tutti/kernels/host/per_thread.h>
#include <tutti/kernels/host/scratch.h>

#include <algorithm>

namespace tutti::kernels {

namespace {

constexpr std::int64_t kFewPlaces = 2048;  // bytes; what lies so far apart shares places of a cache
constexpr std::int64_t kLeastUses = 32;    // of each element that is packed
constexpr std::int64_t kLeastLines = 16;   // along k: fewer find places

// Lines along k of an operand that has them, `apart` elements from one to the next.
bool are_crowded(std::int64_t stride, std::int64_t apart, std::int64_t length, std::int64_t uses) {
  const bool are_lines = stride == 1 && length > 1;
  return are_lines && apart * 4 % kFewPlaces == 0 && uses >= kLeastUses;
}

std::int64_t packed_line(std::int64_t length) {
  return uncrowded(divide_up(length, kElementsOfLine) * kElementsOfLine);
}

bool packs_a(const Product& p) { return are_crowded(p.a_row_stride, p.a_column_stride, p.m, p.n); }
bool packs_b(const Product& p) { return are_crowded(p.b_column_stride, p.b_row_stride, p.n, p.m); }

}  // namespace

bool PackedProduct::suits(const Product& product) {
  return product.dtype == DType::f32 && instruction_set() == InstructionSet::avx2 &&
         product.k >= kLeastLines && (packs_a(product) || packs_b(product));
}

PackedProduct::PackedProduct(const Product& product)
    : product_(product),
      a_packed_(packs_a(product) ? packed_line(product.m) : 0),
      b_packed_(packs_b(product) ? packed_line(product.n) : 0),
      pieces_(product.k, [this](std::int64_t number) { return piece(number); }) {}

Product PackedProduct::piece(std::int64_t number) const {
  Product out = product_;
  out.k = std::min(DepthPieces::kDepth, product_.k - number * DepthPieces::kDepth);
  if (a_packed_ > 0) out.a_column_stride = a_packed_;
  if (b_packed_ > 0) out.b_row_stride = b_packed_;
  out.accumulate = product_.accumulate || number > 0;
  return out;
}

void PackedProduct::run(LibraryUse& library, const void* a, const void* b, void* c) const {
  const Product& p = product_;
  constinit thread_local PerThread<Scratch> scratch;
  const std::int64_t most_depth = std::min(DepthPieces::kDepth, p.k);
  const auto memory = scratch.get().use<float>((a_packed_ + b_packed_) * most_depth);
  float* const a_copy = memory.get();
  float* const b_copy = a_copy + a_packed_ * most_depth;
  for (std::int64_t l = 0; l < p.k; l += DepthPieces::kDepth) {
    const std::int64_t depth = std::min(DepthPieces::kDepth, p.k - l);
    const auto* own_a = static_cast<const float*>(a) + l * p.a_column_stride;
    const auto* own_b = static_cast<const float*>(b) + l * p.b_row_stride;
    if (a_packed_ > 0) {
      copy_grid(depth, p.m, own_a, {.line = p.a_column_stride}, a_copy, {.line = a_packed_});
      own_a = a_copy;
    }
    if (b_packed_ > 0) {
      copy_grid(depth, p.n, own_b, {.line = p.b_row_stride}, b_copy, {.line = b_packed_});
      own_b = b_copy;
    }
    pieces_[l / DepthPieces::kDepth].run(library, own_a, own_b, c);
  }
}

}  // namespace tutti::kernels
