#pragma once

#include <tutti/ir/builder.h>
#include <tutti/tutti.h>

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tests/support/ops/oracle.h"

// The table of tested ops: a row per op of the IR says how it is used and what it means. What is
// tested with every row stands in every_op_test.cpp (local ops) and every_collective_test.cpp.
namespace tutti::test {

using ir::Attributes;

// How an operand's elements are made: irregular numbers of [low, high].
struct OperandSpec {
  enum class Make : std::uint8_t {
    main,     // of the dtype under test
    truth,    // bool
    indices,  // i64
    key,      // one u64
  };
  Make make = Make::main;
  double low = -2;
  double high = 2;
};
using Make = OperandSpec::Make;
inline constexpr OperandSpec kSmall = {.low = -2, .high = 2};
inline constexpr OperandSpec kDigits = {.low = 0, .high = 5};

// One use of an op. Operands beyond the row's list are made like its last one.
struct OpCase {
  std::vector<Shape> shapes;
  std::vector<ir::Attribute> attributes = {};
};

enum class ResultDType : std::uint8_t { main, truth, i64, u64, u32, attribute };

// What the gradient of a floating-point operand is.
enum class HasGradient : std::uint8_t {
  yes,
  zero,     // the derivative is zero almost everywhere
  refused,  // a TypeError
  none,     // the result is not floating-point, or there is no such operand
};
inline constexpr auto kYes = HasGradient::yes;

struct OpRow {
  ir::Op op;
  // The first is tested with all cases, the others with the first two.
  std::vector<DType> dtypes;
  std::vector<OperandSpec> operands;
  std::vector<OpCase> cases;
  // The user's function.
  std::function<Tensor(std::span<const Tensor>, const Attributes&)> call;
  // What the result is; of a collective, on every rank.
  std::function<Plain(const std::vector<Plain>&, const Attributes&)> oracle = {};
  std::function<std::vector<Plain>(const RankPlains&, const Attributes&)> collective_oracle = {};
  HasGradient gradient = HasGradient::none;
  ResultDType result = ResultDType::main;
  double slack = 1;                               // times the tolerance of the dtype
  std::optional<std::size_t> result_number = {};  // of several; none: all, flat
  // Instead of a node of the op alone: what records it, for a rank.
  std::function<ir::Value(ir::Builder&, std::span<const ir::Value>, std::int64_t)> build = {};

  bool communicates() const { return collective_oracle != nullptr; }
  // The case's attributes by name, defaults filled in.
  std::vector<ir::Attribute> complete(const OpCase& use) const;
  // A case of uneven parts as one rank has it: its own shapes, part and lists. In the table
  // send_sizes is the whole matrix, a sender's row after another's.
  OpCase own_case(const OpCase& use, std::int64_t rank) const;
  DType result_dtype(DType main, const Attributes& attributes) const;
};

std::span<const OpRow> table();

// The rows of each file that the table is put together from.
std::vector<OpRow> elementwise_rows();
std::vector<OpRow> shape_rows();
std::vector<OpRow> reduce_rows();
std::vector<OpRow> order_rows();
std::vector<OpRow> index_rows();
std::vector<OpRow> making_rows();
std::vector<OpRow> composite_rows();
std::vector<OpRow> product_rows();
// Over a number of ranks; the table has those of four.
std::vector<OpRow> collective_rows(std::int64_t ranks);

// The dtypes of a row as lists.
extern const std::vector<DType> kFloats;
extern const std::vector<DType> kNumbers;
extern const std::vector<DType> kIntegers;
extern const std::vector<DType> kBool;
extern const std::vector<DType> kAnything;

// The operands of one case, as data. `salt` makes other numbers.
std::vector<Array> make_operands(const OpRow& row, const OpCase& use, DType main,
                                 std::int64_t salt = 0);

// Elements in double precision, and back: integers wrap.
Plain plain(const Array& array);
Array rounded(const Plain& plain, DType dtype);

}  // namespace tutti::test
