#include <tutti/codegen/around_axis.h>
#include <tutti/codegen/cuda/sort.h>
#include <tutti/codegen/cuda/spec_text.h>
#include <tutti/codegen/library.h>
#include <tutti/ir/arithmetic.h>
#include <tutti/ir/support/error.h>

#include <algorithm>
#include <limits>
#include <string>

namespace tutti::codegen::cuda {

namespace {

// Elements that a block sorts: each is compared with all of its row or run.
constexpr std::int64_t kRun = 1024;

// Bytes of a key or an index.
std::int64_t word_bytes(const View& operand, const AroundAxis& x) {
  const bool wide =
      size_of(operand.dtype) == 8 || x.size > std::numeric_limits<std::uint32_t>::max();
  return wide ? 8 : 4;
}

SpecText spec_of(const View& operand, const AroundAxis& x, bool descending) {
  if (operand.dtype == DType::boolean) throw InternalError("sort of bool");
  // Both the keys and the indices of sorted runs are counted.
  SpecText spec("Sort", count_type(2 * operand.shape.elements()));
  spec.type("Element", name_of(operand.dtype));
  spec.type("Word", bits_type(word_bytes(operand, x)));
  spec.line("static constexpr bool descending = " + std::string(descending ? "true;" : "false;"));
  spec.count("outer", x.outer);
  spec.count("size", x.size);
  spec.count("inner", x.inner);
  return spec;
}

std::string detail_of_sort(const View& operand, std::int64_t axis) {
  return operands_text({operand}) + " along " + std::to_string(axis);
}

}  // namespace

std::int64_t sorted_runs_bytes(const View& operand, std::int64_t axis) {
  const AroundAxis x(operand.shape, axis);
  return x.size <= kRun ? 0 : 2 * operand.shape.elements() * word_bytes(operand, x);
}

Source sort_runs_source(const View& operand, std::int64_t axis, bool descending) {
  const AroundAxis x(operand.shape, axis);
  const std::string word(bits_type(word_bytes(operand, x)));
  const std::string parameters =
      "const " + std::string(name_of(operand.dtype)) + "* x, " + word + "* sorted";
  const std::string detail = detail_of_sort(operand, axis);
  if (operand.shape.elements() == 0) return empty_source("sort_runs", detail, parameters);
  SpecText spec = spec_of(operand, x, descending);
  spec.integer("run", kRun);
  return make_source({.name = "sort_runs",
                      .detail = detail,
                      .piece = "sort",
                      .specs = {spec},
                      .parameters = parameters,
                      .body = "  sort_each_run<Sort>(x, sorted);\n"},
                     blocks_for(x.outer * x.inner * divide_up(x.size, kRun), 1), kThreads);
}

Source sort_source(const View& operand, std::int64_t axis, bool descending) {
  const AroundAxis x(operand.shape, axis);
  const std::string dtype(name_of(operand.dtype));
  const bool in_runs = sorted_runs_bytes(operand, axis) > 0;
  const std::string word(bits_type(word_bytes(operand, x)));
  const std::string parameters = "const " + dtype + "* x, " +
                                 (in_runs ? "const " + word + "* sorted, " : "") + dtype +
                                 "* values, i64* indices";
  const std::string detail = detail_of_sort(operand, axis);
  if (operand.shape.elements() == 0) return empty_source("sort", detail, parameters);
  SpecText spec = spec_of(operand, x, descending);
  const std::int64_t sequences = x.outer * x.inner;
  CallText text{.name = "sort",
                .detail = detail,
                .piece = "sort",
                .specs = {},
                .parameters = parameters,
                .body = "  sort_rows<Sort>(x, values, indices);\n"};
  std::int64_t blocks = 0;
  if (in_runs) {
    spec.integer("run", kRun);
    text.body =
        "  merge_runs<Sort, " + std::to_string(kThreads) + ">(x, sorted, values, indices);\n";
    blocks = sequences * divide_up(x.size, kRun);
  } else {
    const std::int64_t rows = std::min(kRun / x.size, sequences);
    spec.integer("rows", rows);
    blocks = divide_up(sequences, rows);
  }
  text.specs.push_back(std::move(spec));
  return make_source(text, blocks_for(blocks, 1), kThreads);
}

}  // namespace tutti::codegen::cuda
