#include <tutti/codegen/kernel/parse_affine.h>
#include <tutti/codegen/kernel/parse_cell.h>
#include <tutti/codegen/kernel/parse_kernel.h>
#include <tutti/codegen/kernel/text_words.h>
#include <tutti/ir/text/literal.h>
#include <tutti/ir/text/parse_group.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

namespace tutti::codegen {

namespace {

using ir::ScalarOp;
using ir::Token;

// Every access names all of them, so that more would not be linear in the text.
constexpr std::size_t kMostAxes = 16;
// Checking a kernel takes memory for each value, named or not.
constexpr std::int64_t kMostValues = 1 << 24;

std::optional<ScalarOp> scalar_op_from_name(std::string_view name) {
  for (int i = 0; i <= static_cast<int>(ScalarOp::bitcast); ++i) {
    const auto op = static_cast<ScalarOp>(i);
    if (ir::name_of(op) == name) return op;
  }
  return std::nullopt;
}

class KernelParser {
 public:
  explicit KernelParser(ir::Lexer& lexer) : lexer_(lexer) {}

  Kernel run() {
    name();
    lexer_.expect("outer", "and the sizes of the outer axes");
    kernel_.outer = axes();
    lexer_.expect("inner", "and the sizes of the inner axes");
    kernel_.inner = axes();
    lexer_.expect("along", "and the vectorised axes, outer or inner");
    if (lexer_.accept("inner")) {
      kernel_.vector_axis = VectorAxis::inner;
    } else {
      lexer_.expect("outer", "or 'inner' after 'along'");
    }
    lexer_.expect("block", "and the size of a block");
    kernel_.block = positive("the size of a block");
    lexer_.expect("values", "and how many values the kernel has");
    kernel_.value_count = value_count();
    lexer_.expect("{", "before the body of the kernel");
    while (lexer_.peek().kind == Token::Kind::word && !lexer_.peek().is_word("point") &&
           !lexer_.peek().is_word("loop")) {
      buffer();
    }
    while (!lexer_.accept("}")) segment();
    return std::move(kernel_);
  }

 private:
  void name() {
    const Token token = lexer_.peek();
    if (token.kind != Token::Kind::word && token.kind != Token::Kind::text) {
      lexer_.fail_expected("the kernel's name");
    }
    lexer_.take();
    kernel_.name = ir::name_in(lexer_, token);
  }

  std::vector<std::int64_t> axes() {
    const std::size_t offset = lexer_.peek().offset;
    std::vector<std::int64_t> out = ir::read_integers(lexer_);
    if (out.size() > kMostAxes) {
      lexer_.fail(offset, "a kernel has at most " + std::to_string(kMostAxes) + " axes of a kind");
    }
    for (const std::int64_t extent : out) {
      if (extent < 0) lexer_.fail(offset, "an axis has a negative size");
    }
    return out;
  }

  std::int64_t positive(std::string_view what) {
    const std::size_t offset = lexer_.peek().offset;
    const std::int64_t number = ir::read_integer(lexer_, what);
    if (number < 1) lexer_.fail(offset, std::string(what) + " is at least 1");
    return number;
  }

  ValueId value_count() {
    const std::size_t offset = lexer_.peek().offset;
    const std::int64_t count = ir::read_integer(lexer_, "how many values the kernel has");
    if (count < 0 || count > kMostValues) {
      lexer_.fail(offset, "a kernel has 0 to " + std::to_string(kMostValues) + " values");
    }
    return static_cast<ValueId>(count);
  }

  // b0: f32 read, or b0: f32 read at 8*clamp(b3[0], 5) + clamp(b3[1], 7)
  void buffer() {
    const Token token = lexer_.take();
    if (number_in_name(token.text, 'b') != static_cast<int>(kernel_.buffers.size())) {
      lexer_.fail(token.offset, "expected buffer b" + std::to_string(kernel_.buffers.size()) +
                                    ", a segment ('point' or 'loop') or '}', not " +
                                    shown(token.text));
    }
    lexer_.expect(":", "after the name of a buffer");
    KernelBuffer buffer{.dtype = ir::read_dtype(lexer_)};
    buffer.written = lexer_.accept("written");
    if (!buffer.written) lexer_.expect("read", "or 'written' after the dtype of a buffer");
    if (!buffer.written && lexer_.accept("at")) {
      do buffer.starts.push_back(start());
      while (lexer_.accept("+"));
    }
    kernel_.buffers.push_back(std::move(buffer));
  }

  // Of a buffer that may come behind.
  Start start() {
    Start out{.stride = 1};
    if (!lexer_.accept("clamp")) {
      out.stride = ir::read_integer(lexer_, "a stride, as in 8*clamp(b3[0], 5), or 'clamp'");
      lexer_.expect("*", "after the stride");
      lexer_.expect("clamp", "after '*'");
    }
    lexer_.expect("(", "after 'clamp'");
    const Token token = lexer_.expect(Token::Kind::word, "a buffer, as in b3");
    out.buffer = number_in_name(token.text, 'b');
    if (out.buffer < 0) lexer_.fail(token.offset, shown(token.text) + " is no buffer");
    lexer_.expect("[", "before the element of a buffer");
    out.element = ir::read_integer(lexer_, "the element");
    lexer_.expect("]", "after the element of a buffer");
    lexer_.expect(",", "and the most that the number may be");
    out.most = ir::read_integer(lexer_, "the most that the number may be");
    lexer_.expect(")", "after it");
    return out;
  }

  void segment() {
    Segment& segment = kernel_.segments.emplace_back();
    segment.loop = lexer_.accept("loop");
    if (!segment.loop) lexer_.expect("point", "'loop' or '}' in the body of a kernel");
    in_loop_ = segment.loop;
    while (true) {
      if (lexer_.peek().kind == Token::Kind::value) {
        definition(segment);
      } else if (number_in_name(word(), 'b') >= 0) {
        store(segment);
      } else {
        return;
      }
    }
  }
  std::string_view word() const {
    return lexer_.peek().kind == Token::Kind::word ? lexer_.peek().text : std::string_view();
  }

  // b2[o0] = %3
  void store(Segment& segment) {
    Store store;
    store.buffer = buffer_number();
    store.address = address();
    lexer_.expect("=", "and the value that is stored");
    store.value = value();
    segment.stores.push_back(std::move(store));
  }

  // %2: f32 = add.f32 %0, %1
  void definition(Segment& segment) {
    Instruction instruction;
    instruction.result = value();
    lexer_.expect(":", "after a value's name");
    instruction.type = ir::read_dtype(lexer_);
    lexer_.expect("=", "after a value's dtype");
    const Token token = lexer_.expect(Token::Kind::word, "an instruction, as in add.f32");
    std::string_view rest = token.text;
    const std::string_view name = part(rest);
    if (name == "reduce") {
      segment.reductions.push_back(reduction(token, rest, instruction));
      return;
    }
    if (token.text == "load") {
      instruction.kind = Instruction::Kind::load;
      instruction.buffer = buffer_number();
      lexer_.expect("[", "before the element of a buffer");
      read_address(lexer_, kernel_, in_loop_, instruction);
      lexer_.expect("]", "after the element of a buffer");
      if (lexer_.accept("where")) bounds(instruction);
    } else if (token.text == "index") {
      instruction.kind = Instruction::Kind::index;
      instruction.address = read_affine(lexer_, kernel_, in_loop_);
    } else if (token.text == "constant") {
      instruction.kind = Instruction::Kind::constant;
      instruction.dtype = instruction.type;
      instruction.constant = read_cell(lexer_, instruction.dtype);
    } else {
      scalar(token, name, rest, instruction);
    }
    segment.body.push_back(std::move(instruction));
  }

  // o1 in 3..10, i0 in 0..4 else 0
  void bounds(Instruction& load) {
    do {
      const Token token = lexer_.expect(Token::Kind::word, "an axis, as in o0 or i0");
      Bound bound{.inner = token.text.starts_with('i')};
      bound.axis = number_in_name(token.text, bound.inner ? 'i' : 'o');
      const auto axes = std::ssize(bound.inner ? kernel_.inner : kernel_.outer);
      if (bound.axis < 0 || bound.axis >= axes || (bound.inner && !in_loop_)) {
        lexer_.fail(token.offset, shown(token.text) + " is no axis here");
      }
      lexer_.expect("in", "and a range, as in o1 in 3..10");
      bound.begin = ir::read_integer(lexer_, "the first index inside");
      lexer_.expect("..", "and the first index behind");
      bound.end = ir::read_integer(lexer_, "the first index behind");
      load.bounds.push_back(bound);
    } while (lexer_.accept(","));
    lexer_.expect("else", "and the value outside of the bounds");
    load.constant = read_cell(lexer_, load.type);
  }

  Reduction reduction(const Token& token, std::string_view rest, const Instruction& defined) {
    const std::optional<ScalarOp> combine = scalar_op_from_name(rest);
    if (!combine) {
      lexer_.fail(token.offset, "no reduction " + shown(token.text) + "; write one as reduce.add");
    }
    return {.combine = *combine, .dtype = defined.type, .value = value(), .result = defined.result};
  }

  // add.f32, cast.f32.i64, and round.bf16, which is no op but a rounding.
  void scalar(const Token& token, std::string_view name, std::string_view rest,
              Instruction& instruction) {
    const std::optional<ScalarOp> op = scalar_op_from_name(name);
    if (!op || *op == ScalarOp::argument || *op == ScalarOp::constant) {
      lexer_.fail(token.offset, "unknown instruction " + shown(token.text));
    }
    instruction.op = *op;
    instruction.dtype = dtype(token, rest);
    const bool converts = *op == ScalarOp::cast || *op == ScalarOp::bitcast;
    if (converts) instruction.to = dtype(token, rest);
    if (!rest.empty()) lexer_.fail(token.offset, shown(token.text) + " names too many dtypes");
    const bool rounds = *op == ScalarOp::round && is_narrow_floating(instruction.dtype);
    instruction.kind = rounds ? Instruction::Kind::round : Instruction::Kind::scalar;
    if (rounds) instruction.op = ScalarOp::constant;  // as where nothing is said
    for (int i = 0; i < (rounds ? 1 : ir::operand_count(*op)); ++i) {
      if (i > 0) lexer_.expect(",", "and more operands of " + std::string(name));
      instruction.operands[static_cast<std::size_t>(i)] = value();
    }
  }

  // What stands before the next '.', which `rest` is moved behind.
  static std::string_view part(std::string_view& rest) {
    const std::size_t end = std::min(rest.find('.'), rest.size());
    const std::string_view out = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    return out;
  }
  DType dtype(const Token& token, std::string_view& rest) const {
    const std::string_view name = part(rest);
    if (const auto dtype = dtype_from_name(name)) return *dtype;
    lexer_.fail(token.offset, shown(token.text) + " lacks a dtype, as in add.f32 or cast.f32.i64");
  }

  ValueId value() { return read_value(lexer_, kernel_); }

  int buffer_number() {
    const Token token = lexer_.expect(Token::Kind::word, "a buffer, as in b0");
    const int number = number_in_name(token.text, 'b');
    if (number >= 0 && number < std::ssize(kernel_.buffers)) return number;
    lexer_.fail(token.offset, "the kernel has no buffer " + shown(token.text));
  }

  Affine address() {
    lexer_.expect("[", "before the element of a buffer");
    Affine out = read_affine(lexer_, kernel_, in_loop_);
    lexer_.expect("]", "after the element of a buffer");
    return out;
  }

  ir::Lexer& lexer_;
  Kernel kernel_;
  bool in_loop_ = false;
};

}  // namespace

Kernel read_kernel(ir::Lexer& lexer) { return KernelParser(lexer).run(); }

Kernel parse_kernel(std::string_view text, std::string file_name) {
  ir::Lexer lexer(text, std::move(file_name));
  lexer.expect("kernel", "and its name");
  Kernel kernel = read_kernel(lexer);
  if (lexer.peek().kind != Token::Kind::end) lexer.fail_expected("the end after a kernel");
  return kernel;
}

}  // namespace tutti::codegen
