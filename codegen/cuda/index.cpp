#include <tutti/codegen/around_axis.h>
#include <tutti/codegen/cuda/index.h>
#include <tutti/codegen/cuda/spec_text.h>
#include <tutti/ir/arithmetic.h>
#include <tutti/ir/support/error.h>

#include <algorithm>
#include <string>

namespace tutti::codegen::cuda {

namespace {

// "f32[50257,768] by i64[512] along 0"
std::string detail_of_indexing(const std::vector<View>& operands, std::int64_t axis) {
  const auto text = [](const View& view) {
    return ir::Type{.dtype = view.dtype, .shape = view.shape}.text();
  };
  std::string out = text(operands[0]);
  if (operands.size() > 1) out += " by " + text(operands[1]);
  return out + " along " + std::to_string(axis);
}

// The most neighbours along a dimension that one access can take.
std::int64_t widest(std::int64_t neighbours, std::int64_t element_size,
                    std::int64_t bytes = kWidestAccess) {
  std::int64_t width = bytes / element_size;
  while (neighbours % width != 0) width /= 2;
  return width;
}

void add_sizes(SpecText& spec, const AroundAxis& x, std::int64_t inner, std::int64_t count) {
  spec.count("outer", x.outer);
  spec.count("size", x.size);
  spec.count("inner", inner);
  spec.count("count", count);
}

std::string parameters_of(const std::vector<View>& operands) {
  const std::string dtype(name_of(operands[0].dtype));
  return "const " + dtype + "* x, const " + std::string(name_of(operands[1].dtype)) +
         "* indices, " + dtype + "* result";
}

}  // namespace

Source take_source(const std::vector<View>& operands, std::int64_t axis) {
  const AroundAxis x(operands[0].shape, axis);
  const std::int64_t count = operands[1].shape.elements();
  const std::int64_t bytes = size_of(operands[0].dtype);
  const std::string detail = detail_of_indexing(operands, axis);
  const std::string parameters = parameters_of(operands);
  if (x.outer * count * x.inner == 0) return empty_source("take", detail, parameters);
  const std::int64_t width = widest(x.inner, bytes);
  const std::int64_t inner = x.inner / width;
  SpecText spec("Take", count_type(x.outer * std::max(count, x.size) * inner));
  spec.type("Element", bits_type(bytes * width));
  spec.type("Index", name_of(operands[1].dtype));
  add_sizes(spec, x, inner, count);
  return make_source({.name = "take",
                      .detail = detail,
                      .piece = "index",
                      .specs = {spec},
                      .parameters = parameters,
                      .body = "  take_rows<Take>(x, indices, result);\n"},
                     blocks_for(x.outer * count * inner, kThreads), kThreads);
}

Source take_along_axis_source(const std::vector<View>& operands, std::int64_t axis) {
  const AroundAxis x(operands[0].shape, axis);
  const std::int64_t count = operands[1].shape[static_cast<int>(axis)];
  const std::int64_t elements = operands[1].shape.elements();
  const std::string detail = detail_of_indexing(operands, axis);
  const std::string parameters = parameters_of(operands);
  if (elements == 0) return empty_source("take_along_axis", detail, parameters);
  SpecText spec("Take", count_type(std::max(elements, operands[0].shape.elements())));
  spec.type("Element", bits_type(size_of(operands[0].dtype)));
  spec.type("Index", name_of(operands[1].dtype));
  add_sizes(spec, x, x.inner, count);
  return make_source({.name = "take_along_axis",
                      .detail = detail,
                      .piece = "index",
                      .specs = {spec},
                      .parameters = parameters,
                      .body = "  take_elements<Take>(x, indices, result);\n"},
                     blocks_for(elements, kThreads), kThreads);
}

namespace {

// What scatter_add.cuh says; a block has 16 warps.
constexpr std::uint32_t kScatterThreads = 512;
// What a thread loads of each update. Narrower than it could be: the registers are worth more for
// loads of several updates at a time.
constexpr std::int64_t kScatterAccess = 8;
// Up to so many indices every thread looks at all of them.
constexpr std::int64_t kFewIndices = 16;
// Every block reads all the indices: the more there are, the fewer blocks.
constexpr std::int64_t kIndexReads = std::int64_t{1} << 24;
constexpr std::int64_t kLeastBlocks = 256;
constexpr std::int64_t kMostScatterBlocks = 2048;
constexpr std::int64_t kLeastStrips = 4;  // of a block, where there are as many

// What is added: integers wrap, so signed ones are taken for unsigned ones.
std::string_view scatter_sum_type(DType dtype) {
  return is_floating(dtype) ? name_of(dtype) : bits_type(size_of(dtype));
}

}  // namespace

Source scatter_add_source(const std::vector<View>& operands, std::int64_t axis) {
  const DType dtype = operands[0].dtype;
  if (dtype == DType::boolean) throw InternalError("scatter_add of bool");
  const AroundAxis x(operands[0].shape, axis);
  const std::int64_t count = operands[1].shape.elements();
  const std::string name(name_of(dtype));
  const std::string detail = detail_of_indexing(operands, axis);
  const std::string parameters = "const " + name + "* x, const " +
                                 std::string(name_of(operands[1].dtype)) + "* indices, const " +
                                 name + "* updates, " + name + "* result";
  if (operands[0].shape.elements() == 0) return empty_source("scatter_add", detail, parameters);
  const std::int64_t width = widest(x.inner, size_of(dtype), kScatterAccess);
  const std::int64_t across = x.inner / width;
  const std::int64_t groups = x.outer * x.size * across;
  SpecText spec("Scatter", count_type(std::max(groups, x.outer * count * across)));
  spec.type("Element", scatter_sum_type(dtype));
  spec.type("Index", name_of(operands[1].dtype));
  spec.integer("width", width);
  add_sizes(spec, x, x.inner, count);
  if (count <= kFewIndices) {
    return make_source({.name = "scatter_add",
                        .detail = detail,
                        .piece = "scatter_add",
                        .specs = {spec},
                        .parameters = parameters,
                        .body = "  scatter_add_few<Scatter>(x, indices, updates, result);\n"},
                       blocks_for(groups, kThreads), kThreads);
  }
  // Rows are divided first: the fewer a block has, the fewer indices fall into them.
  const std::int64_t strips = divide_up(across, kWarp);
  const std::int64_t wanted =
      divide_up(std::clamp(kIndexReads / count, kLeastBlocks, kMostScatterBlocks), x.outer);
  const std::int64_t rows =
      std::min(x.size, std::max(divide_up(x.size, wanted), divide_up(kLeastStrips, strips)));
  const std::int64_t row_blocks = divide_up(x.size, rows);
  const std::int64_t strips_per_block =
      std::max(divide_up(strips, std::max<std::int64_t>(wanted / row_blocks, 1)),
               std::min(strips, kLeastStrips));
  const std::int64_t columns = std::min(strips_per_block * kWarp, across);
  const std::int64_t column_blocks = divide_up(across, columns);
  spec.count("rows", rows);
  spec.count("columns", columns);
  spec.count("row_blocks", row_blocks);
  spec.count("column_blocks", column_blocks);
  return make_source({.name = "scatter_add",
                      .detail = detail,
                      .piece = "scatter_add",
                      .specs = {spec},
                      .parameters = parameters,
                      .body = "  scatter_add_many<Scatter>(x, indices, updates, result);\n"},
                     blocks_for(x.outer * row_blocks * column_blocks, 1), kScatterThreads);
}

namespace {

// How many threads find one position.
enum class Team : std::uint8_t { thread, warp, block };

// Fewer results than this leave most of a GPU idle if each has a thread.
constexpr std::int64_t kManyResults = 16 * 1024;
constexpr std::int64_t kFewResults = 1024;
constexpr std::int64_t kLongSequence = 2048;
constexpr std::int64_t kShortRow = 16;
constexpr std::int64_t kVeryLongSequence = 64 * 1024;

Team team_for(const AroundAxis& x) {
  const std::int64_t results = x.outer * x.inner;
  if (x.size <= kShortRow) return Team::thread;
  // Neighbouring results: neighbouring threads read neighbouring elements.
  if (x.inner >= kWarp && results >= kManyResults) return Team::thread;
  const bool few = results < kFewResults && x.size >= kThreads;
  return x.size >= kLongSequence || few ? Team::block : Team::warp;
}

}  // namespace

Source arg_reduce_source(const View& operand, std::int64_t axis, bool largest) {
  const AroundAxis x(operand.shape, axis);
  const std::string name = largest ? "argmax" : "argmin";
  if (operand.dtype == DType::boolean) throw InternalError(name + " of bool");
  const std::string dtype(name_of(operand.dtype));
  const std::string detail = detail_of_indexing({operand}, axis);
  const std::string parameters = "const " + dtype + "* x, i64* result";
  const std::int64_t results = x.outer * x.inner;
  if (results == 0) return empty_source(name, detail, parameters);
  SpecText spec("Reduce", count_type(operand.shape.elements()));
  spec.type("Element", dtype);
  const bool narrow = is_integer(operand.dtype) && size_of(operand.dtype) < 4;
  spec.type("Compared", is_narrow_floating(operand.dtype) ? "f32" : narrow ? "i32" : dtype);
  spec.line("static constexpr bool largest = " + std::string(largest ? "true;" : "false;"));
  spec.count("outer", x.outer);
  spec.count("size", x.size);
  spec.count("inner", x.inner);
  const Team team = team_for(x);
  const std::uint32_t threads =
      team == Team::block && x.size >= kVeryLongSequence ? 4 * kThreads : kThreads;
  const std::int64_t per_result = team == Team::thread ? 1 : team == Team::warp ? kWarp : threads;
  const std::string function = team == Team::thread ? "threads"
                               : team == Team::warp ? "warps"
                                                    : "blocks";
  return make_source({.name = name,
                      .detail = detail,
                      .piece = "arg_reduce",
                      .specs = {spec},
                      .parameters = parameters,
                      .body = "  arg_reduce_by_" + function + "<Reduce>(x, result);\n"},
                     blocks_for(results * per_result, threads), threads);
}

}  // namespace tutti::codegen::cuda
