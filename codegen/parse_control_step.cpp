#include <tutti/codegen/parse_kernel.h>
#include <tutti/codegen/parse_plan_step.h>
#include <tutti/ir/literal.h>
#include <tutti/ir/names.h>

namespace tutti::codegen {

using ir::Token;

// scan f0 @body (b0, b1) -> b2 {carries = 1, sequences = 1, length = 5, reverse = true},
// while f0 @condition do f1 @body (b0) -> b1 {carries = 1}, or
// conditional f0 @first, f1 @second (b0, b1) -> b2
Control StepParser::control() {
  Control out;
  if (lexer_.accept("scan")) {
    out.kind = Control::Kind::scan;
    out.functions.push_back(function());
  } else if (lexer_.accept("while")) {
    out.kind = Control::Kind::while_loop;
    out.functions.push_back(function());
    lexer_.expect("do", "after the condition of a loop");
    out.functions.push_back(function());
  } else {
    lexer_.expect("conditional", "or another step");
    out.kind = Control::Kind::conditional;
    do out.functions.push_back(function());
    while (lexer_.accept(","));
  }
  out.operands = buffers(true);
  if (lexer_.accept("->")) out.results = buffers(false);
  attributes([&](const Token& field) { this->field(out, field); });
  out.location = location();
  return out;
}

void StepParser::field(Control& control, const Token& name) {
  const bool scan = control.kind == Control::Kind::scan;
  if (name.text == "carries" && control.kind != Control::Kind::conditional) {
    control.carries = number("the number of carries");
  } else if (name.text == "sequences" && scan) {
    control.sequences = number("the number of sequences");
  } else if (name.text == "length" && scan) {
    control.length = number("the number of steps");
  } else if (name.text == "reverse" && scan) {
    control.reverse = ir::read_flag(lexer_);
  } else {
    lexer_.fail(name.offset, "there is no attribute '" + std::string(name.text.substr(0, 40)) +
                                 "' here; loops have carries, and a scan sequences, length and "
                                 "reverse, too");
  }
}

// f0 @body; gives the function's place in the plan.
int StepParser::function() {
  const Token token = lexer_.expect(Token::Kind::word, "a function, as in f0 @body");
  const int number = number_in_name(token.text, 'f');
  if (number < 0 || number >= std::ssize(functions_)) {
    lexer_.fail(token.offset,
                "there is no function '" + std::string(token.text.substr(0, 40)) + "' above");
  }
  const std::shared_ptr<Plan>& function = functions_[static_cast<std::size_t>(number)];
  const Token symbol = lexer_.expect(Token::Kind::symbol, "and the function's name, as in @body");
  if (ir::name_in(lexer_, symbol) != function->name) {
    lexer_.fail(symbol.offset, "f" + std::to_string(number) + " is @" + function->name);
  }
  const auto [place, inserted] =
      places_.try_emplace(number, static_cast<int>(plan_.functions.size()));
  if (inserted) plan_.functions.push_back(function);
  return place->second;
}

}  // namespace tutti::codegen
