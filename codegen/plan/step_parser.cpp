#include <tutti/codegen/kernel/text_words.h>
#include <tutti/codegen/plan/step_parser.h>
#include <tutti/ir/names.h>
#include <tutti/ir/text/literal.h>
#include <tutti/ir/text/location_text.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <type_traits>

namespace tutti::codegen {

namespace {

using ir::Token;

// Reads a step of the first kind that begins with the word at hand; false if there is none.
template <class... S>
bool read_step(StepParser& parser, std::type_identity<std::variant<S...>> /*kinds*/) {
  const Token word = parser.lexer().peek();
  const auto read = [&]<class Kind>(std::type_identity<Kind>) {
    const auto begins = [&](std::string_view text) { return word.is_word(text); };
    if (std::ranges::none_of(Kind::kWords, begins)) return false;
    // Named first: what a step reads may look at how many there are.
    Kind step = Kind::parse(parser);
    parser.plan().steps.emplace_back(std::move(step));
    return true;
  };
  return (read(std::type_identity<S>()) || ...);
}

// "a step: allocate, launch, ... or conditional"
template <class... S>
std::string any_step(std::type_identity<std::variant<S...>> /*kinds*/) {
  std::string out = "a step: ";
  std::size_t left = (S::kWords.size() + ...);
  const auto add = [&](std::string_view word) {
    out += word;
    if (--left > 0) out += left == 1 ? " or " : ", ";
  };
  (std::ranges::for_each(S::kWords, add), ...);
  return out;
}

}  // namespace

void StepParser::read() {
  const std::size_t offset = lexer_.peek().offset;
  const std::int64_t number = ir::read_integer(lexer_, "the number of a step");
  if (number != std::ssize(plan_.steps)) {
    lexer_.fail(offset,
                "steps are numbered in order; the next is " + std::to_string(plan_.steps.size()));
  }
  lexer_.expect(":", "after the number of a step");
  constexpr std::type_identity<Step> kKinds;
  if (!read_step(*this, kKinds)) lexer_.fail_expected(any_step(kKinds));
}

void StepParser::finish() {
  for (const auto& complete : at_end_) complete();
}

BufferId StepParser::buffer(const Token& token) const {
  const int number = number_in_name(token.text, 'b');
  if (number >= 0 && number < std::ssize(plan_.buffers)) return number;
  lexer_.fail(token.offset, "there is no buffer " + shown(token.text) + " above");
}

BufferId StepParser::next_buffer() {
  return buffer(lexer_.expect(Token::Kind::word, "a buffer, as in b0"));
}

int StepParser::work() {
  const Token token = lexer_.expect(Token::Kind::word, "a collective, as in w0");
  const int number = number_in_name(token.text, 'w');
  if (number >= 0 && number < plan_.works) return number;
  lexer_.fail(token.offset, "no step above starts " + shown(token.text));
}

int StepParser::new_work() {
  const Token work = lexer_.expect(Token::Kind::word, "a collective, as in w0");
  if (number_in_name(work.text, 'w') != plan_.works) {
    lexer_.fail(work.offset,
                "collectives are numbered in order; the next is w" + std::to_string(plan_.works));
  }
  return plan_.works++;
}

std::int64_t StepParser::number(std::string_view what) {
  const std::size_t offset = lexer_.peek().offset;
  const std::int64_t out = ir::read_integer(lexer_, what);
  if (out >= 0 && out <= std::numeric_limits<std::int64_t>::max() / 2) return out;
  lexer_.fail(offset, std::string(what) + " is 0 or more, and at most 2^62 - 1");
}

std::int64_t StepParser::bytes() {
  const std::int64_t out = number("a number of bytes");
  lexer_.expect("bytes", "after their number");
  return out;
}

int StepParser::small(std::string_view what, int least) {
  const std::size_t offset = lexer_.peek().offset;
  const std::int64_t out = ir::read_integer(lexer_, what);
  if (out >= least && out <= std::numeric_limits<int>::max()) return static_cast<int>(out);
  lexer_.fail(offset,
              std::string(what) + " is " + std::to_string(least) + " or more, and fits in i32");
}

// b0, b1; in parentheses maybe none.
std::vector<BufferId> StepParser::buffers(bool in_parentheses) {
  std::vector<BufferId> out;
  if (in_parentheses) {
    lexer_.expect("(", "and the buffers that are read");
    if (lexer_.accept(")")) return out;
  }
  do out.push_back(next_buffer());
  while (lexer_.accept(","));
  if (in_parentheses) lexer_.expect(")", "or ',' after a buffer");
  return out;
}

std::string StepParser::name(std::string_view what) {
  const Token token = lexer_.peek();
  if (token.kind != Token::Kind::word && token.kind != Token::Kind::text) {
    lexer_.fail_expected(what);
  }
  lexer_.take();
  return ir::name_in(lexer_, token);
}

int StepParser::kernel_number() {
  const Token token = lexer_.expect(Token::Kind::word, "a kernel, as in k0");
  const int number = number_in_name(token.text, 'k');
  if (number < 0)
    lexer_.fail(token.offset, "expected a kernel, as in k0, not " + shown(token.text));
  return number;
}

Location StepParser::location() const { return ir::location_from(lexer_.comment_after()); }

const Kernel& StepParser::kernel(int number, std::size_t offset) const {
  if (number < std::ssize(plan_.kernels)) return plan_.kernels[static_cast<std::size_t>(number)];
  lexer_.fail(offset, "there is no kernel k" + std::to_string(number) + " in the text");
}

// r0 @body
int StepParser::region() {
  const Token token = lexer_.expect(Token::Kind::word, "a region, as in r0 @body");
  const int number = number_in_name(token.text, 'r');
  if (number < 0 || number >= std::ssize(plan_.regions)) {
    lexer_.fail(token.offset, "there is no region " + shown(token.text) + " above");
  }
  const Token symbol = lexer_.expect(Token::Kind::symbol, "and the region's name, as in @body");
  const std::string& name = plan_.regions[at(number)].name;
  if (ir::name_in(lexer_, symbol) != name) {
    lexer_.fail(symbol.offset, "r" + std::to_string(number) + " is @" + name);
  }
  return number;
}

ir::GroupPtr StepParser::group() {
  return groups_.group(lexer_.expect(Token::Kind::symbol, "a group, as in @dp"));
}

std::vector<ir::CallId> StepParser::calls() {
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  const std::size_t offset = lexer_.peek().offset;
  std::vector<ir::CallId> out;
  for (const std::int64_t call : ir::read_integers(lexer_)) {
    if (call < 0 || call > kMost) {
      lexer_.fail(offset, "a call is a number from 0 to " + std::to_string(kMost));
    }
    out.push_back(static_cast<ir::CallId>(call));
  }
  return out;
}

std::pair<std::uint32_t, std::uint32_t> StepParser::hashes(std::string_view what) {
  const std::size_t offset = lexer_.peek().offset;
  const std::vector<std::int64_t> hashes = ir::read_integers(lexer_);
  const auto fits = [](std::int64_t hash) { return hash >= 0 && hash <= UINT32_MAX; };
  if (hashes.size() != 2 || !std::ranges::all_of(hashes, fits) || hashes[0] == 0) {
    lexer_.fail(offset, "expected two hashes of 32 bits, the first not 0, " + std::string(what));
  }
  return {static_cast<std::uint32_t>(hashes[0]), static_cast<std::uint32_t>(hashes[1])};
}

std::uint64_t StepParser::hexadecimal() {
  const Token token = lexer_.expect(Token::Kind::number, "a number such as 0x7f");
  std::uint64_t out = 0;
  if (token.text.starts_with("0x")) {
    const char* const end = token.text.data() + token.text.size();
    const auto result = std::from_chars(token.text.data() + 2, end, out, 16);
    if (result.ec == std::errc() && result.ptr == end) return out;
  }
  lexer_.fail(token.offset, "expected a number such as 0x7f, not " + shown(token.text));
}

}  // namespace tutti::codegen
