#include <tutti/ir/arithmetic.h>
#include <tutti/ir/support/error.h>
#include <tutti/kernels/host/matmul.h>
#include <tutti/kernels/host/tile_product.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace tutti::kernels {

namespace {

// What a tile is worth: smaller ones cost more to hand out than they gain.
constexpr std::int64_t kLeastWork = 500'000;  // floating-point operations
// Of a matrix and a vector, whose elements are read for two operations each.
constexpr std::int64_t kLeastWorkOfVector = 120'000;
// A matrix is divided until its tiles are at most kMostSide wide, then to kGoodSide while there are
// fewer than kManyTiles, then to kLeastSide while there are too few for a small machine's cores.
constexpr std::int64_t kMostSide = 256;
constexpr std::int64_t kGoodSide = 128;
constexpr std::int64_t kLeastSide = 64;
constexpr std::int64_t kManyTiles = 32;
constexpr std::int64_t kFewTiles = 8;
constexpr std::int64_t kSideStep = 32;  // tiles end at whole vectors

void check(const Matmul& spec) {
  const bool sizes = spec.m >= 0 && spec.n >= 0 && spec.k >= 0 &&
                     std::all_of(spec.batch.begin(), spec.batch.end(),
                                 [](std::int64_t size) { return size >= 0; });
  const auto takes = [&](std::optional<DType> stored) {
    return !stored || products_widen(*stored, spec.dtype);
  };
  if (spec.dtype == DType::boolean || !takes(spec.a_narrow) || !takes(spec.b_narrow) || !sizes ||
      spec.a_batch_strides.size() != spec.batch.size() ||
      spec.b_batch_strides.size() != spec.batch.size()) {
    throw InternalError("malformed matmul of " + std::string(name_of(spec.dtype)) + ": " +
                        std::to_string(spec.m) + "x" + std::to_string(spec.n) + "x" +
                        std::to_string(spec.k) + " with " + std::to_string(spec.batch.size()) +
                        " batch dimensions");
  }
}

// The stride of a dimension of size 1 means nothing: makes it one that the library takes.
void choose_strides(std::int64_t rows, std::int64_t columns, std::int64_t& row_stride,
                    std::int64_t& column_stride) {
  if (rows == 1) row_stride = column_stride == 1 ? std::max<std::int64_t>(columns, 1) : 1;
  if (columns == 1) column_stride = row_stride == 1 ? std::max<std::int64_t>(rows, 1) : 1;
}

// The same products with as few batch dimensions as possible: where all matrices of a batch are
// multiplied by one b, they are the rows of one tall matrix.
Matmul merged(Matmul spec) {
  while (!spec.batch.empty() && spec.b_batch_strides.back() == 0 &&
         (spec.m == 1 || spec.a_batch_strides.back() == spec.m * spec.a_row_stride)) {
    if (spec.m == 1) spec.a_row_stride = spec.a_batch_strides.back();
    spec.m *= spec.batch.back();
    spec.batch.pop_back();
    spec.a_batch_strides.pop_back();
    spec.b_batch_strides.pop_back();
  }
  choose_strides(spec.m, spec.k, spec.a_row_stride, spec.a_column_stride);
  choose_strides(spec.k, spec.n, spec.b_row_stride, spec.b_column_stride);
  return spec;
}

// How a merged matmul is divided.
struct Tiling {
  std::int64_t matrices = 1;           // in the batch
  std::int64_t matrices_per_tile = 1;  // more than 1 only where a tile is a whole matrix
  std::int64_t rows, columns;          // of a tile
  std::int64_t row_tiles, column_tiles;

  explicit Tiling(const Matmul& spec) : rows(spec.m), columns(spec.n) {
    for (const std::int64_t size : spec.batch) matrices *= size;
    const std::int64_t work_per_result = 2 * std::max<std::int64_t>(spec.k, 1);
    const std::int64_t least_work = spec.m == 1 || spec.n == 1 ? kLeastWorkOfVector : kLeastWork;
    // Halves a side; false if the tiles would be too small.
    const auto halve = [&](std::int64_t& side, std::int64_t other, std::int64_t least) {
      const std::int64_t half = (side / 2 + kSideStep - 1) / kSideStep * kSideStep;
      if (half >= side || half < least || half * other * work_per_result < least_work) return false;
      side = half;
      return true;
    };
    while (true) {
      count(spec);
      const std::int64_t tiles = matrices * row_tiles * column_tiles;
      std::int64_t least = tiles < kFewTiles ? kLeastSide : kGoodSide;
      if (tiles >= kManyTiles) least = kMostSide / 2 + 1;
      std::int64_t& longer = rows >= columns ? rows : columns;
      std::int64_t& shorter = rows >= columns ? columns : rows;
      if (!halve(longer, shorter, least) && !halve(shorter, longer, least)) break;
    }
    const std::int64_t work = rows * columns * work_per_result;
    if (row_tiles * column_tiles == 1 && work > 0) {
      matrices_per_tile = std::max<std::int64_t>(divide_up(kLeastWork, work), 1);
    }
  }

  std::int64_t tiles() const {
    return divide_up(matrices, matrices_per_tile) * row_tiles * column_tiles;
  }

 private:
  void count(const Matmul& spec) {
    row_tiles = rows > 0 ? divide_up(spec.m, rows) : 0;
    column_tiles = columns > 0 ? divide_up(spec.n, columns) : 0;
  }
};

// The offsets of matrix `number` of the batch in a and b, in elements.
std::array<std::int64_t, 2> batch_offsets(const Matmul& spec, std::int64_t number) {
  std::array<std::int64_t, 2> offsets = {0, 0};
  for (std::size_t d = spec.batch.size(); d-- > 0;) {
    const std::int64_t index = number % spec.batch[d];
    number /= spec.batch[d];
    offsets[0] += index * spec.a_batch_strides[d];
    offsets[1] += index * spec.b_batch_strides[d];
  }
  return offsets;
}

}  // namespace

Matmul dense_matmul(DType dtype, std::int64_t m, std::int64_t n, std::int64_t k) {
  Matmul spec;
  spec.dtype = dtype;
  spec.m = m;
  spec.n = n;
  spec.k = k;
  spec.a_row_stride = k;
  spec.a_column_stride = 1;
  spec.b_row_stride = n;
  spec.b_column_stride = 1;
  return spec;
}

struct PreparedMatmul::Division {
  Matmul spec;
  Tiling tiling;
  // Of a tile, of one in the last column, of one in the last row, and of the last one, which may be
  // smaller. None where there is nothing to multiply.
  std::vector<TileProduct> products;

  explicit Division(const Matmul& given) : spec(merged(given)), tiling(spec) {
    if (spec.k == 0 || tiling.tiles() == 0) return;
    for (const std::int64_t row : {std::int64_t{0}, tiling.row_tiles - 1}) {
      for (const std::int64_t column : {std::int64_t{0}, tiling.column_tiles - 1}) {
        products.emplace_back(Product{.dtype = spec.dtype,
                                      .m = rows(row),
                                      .n = columns(column),
                                      .k = spec.k,
                                      .a_row_stride = spec.a_row_stride,
                                      .a_column_stride = spec.a_column_stride,
                                      .b_row_stride = spec.b_row_stride,
                                      .b_column_stride = spec.b_column_stride,
                                      .c_row_stride = spec.n,
                                      .a_narrow = spec.a_narrow,
                                      .b_narrow = spec.b_narrow});
      }
    }
  }

  // Of the tiles that are the row-th from above, or the column-th from the left.
  std::int64_t rows(std::int64_t row) const {
    return std::min(tiling.rows, spec.m - row * tiling.rows);
  }
  std::int64_t columns(std::int64_t column) const {
    return std::min(tiling.columns, spec.n - column * tiling.columns);
  }

  // Null where k is 0.
  const TileProduct* product(std::int64_t row, std::int64_t column) const {
    if (products.empty()) return nullptr;
    const bool is_last_row = row + 1 == tiling.row_tiles;
    const bool is_last_column = column + 1 == tiling.column_tiles;
    return &products[(is_last_row ? 2 : 0) + (is_last_column ? 1 : 0)];
  }
};

PreparedMatmul::PreparedMatmul(const Matmul& spec) {
  check(spec);
  division_ = std::make_shared<const Division>(spec);
}

std::int64_t PreparedMatmul::tiles() const { return division_->tiling.tiles(); }
ResultDivision PreparedMatmul::division() const {
  const Matmul& spec = division_->spec;
  const Tiling& tiling = division_->tiling;
  return {.rows = tiling.matrices * spec.m, .columns = spec.n, .tile_columns = tiling.columns};
}

void PreparedMatmul::run(const void* a, const void* b, void* c, std::int64_t begin,
                         std::int64_t end, const AfterTile& after) const {
  if (begin >= end) return;
  const Division& own = *division_;
  const Matmul& spec = own.spec;
  const Tiling& tiling = own.tiling;
  const std::int64_t bytes = size_of(spec.dtype);
  const auto element = [&](const void* base, std::optional<DType> stored, std::int64_t offset) {
    return static_cast<const std::byte*>(base) + offset * size_of(stored.value_or(spec.dtype));
  };
  const std::int64_t per_matrix = tiling.row_tiles * tiling.column_tiles;
  LibraryUse library;
  for (std::int64_t tile = begin; tile < end; ++tile) {
    const std::int64_t row = tile % per_matrix / tiling.column_tiles;
    const std::int64_t column = tile % tiling.column_tiles;
    const std::int64_t i = row * tiling.rows;
    const std::int64_t j = column * tiling.columns;
    const std::int64_t rows = own.rows(row);
    const std::int64_t columns = own.columns(column);
    const TileProduct* const product = own.product(row, column);
    const std::int64_t first = tile / per_matrix * tiling.matrices_per_tile;
    const std::int64_t last = std::min(first + tiling.matrices_per_tile, tiling.matrices);
    for (std::int64_t matrix = first; matrix < last; ++matrix) {
      const auto [a_offset, b_offset] = batch_offsets(spec, matrix);
      auto* const result =
          static_cast<std::byte*>(c) + ((matrix * spec.m + i) * spec.n + j) * bytes;
      if (product != nullptr) {
        product->run(library, element(a, spec.a_narrow, a_offset + i * spec.a_row_stride),
                     element(b, spec.b_narrow, b_offset + j * spec.b_column_stride), result);
        continue;
      }
      for (std::int64_t r = 0; r < rows; ++r) {
        std::memset(result + r * spec.n * bytes, 0, static_cast<std::size_t>(columns * bytes));
      }
    }
    if (after == nullptr) continue;
    // A tile of several matrices has all their rows.
    after({first * spec.m + i, (last - 1) * spec.m + i + rows, j, j + columns});
  }
}

}  // namespace tutti::kernels
