#include <tutti/ir/stablehlo/loop.h>
#include <tutti/ir/stablehlo/rules.h>

// Functions and regions that run at most once, or again and again.
namespace tutti::ir::stablehlo {

namespace {

void call(Step& step) {
  const Attribute* callee = step.find("callee");
  for (const Attribute& item : step.operation.attributes.items) {
    if (callee == nullptr && item.kind == Attribute::Kind::symbol) callee = &item;
  }
  if (callee == nullptr) step.fail("expected the function's name, as in @f");
  std::vector<Bound> arguments;
  for (const Reference& operand : step.operation.operands) {
    arguments.push_back(step.translator.lookup(operand));
  }
  step.results = step.translator.call(callee->text, step.operation.offset, arguments);
}

// An operation of another dialect with a function that says what it means.
void composite(Step& step) {
  const Attribute* const decomposition = step.find("decomposition");
  if (decomposition == nullptr) step.fail("the attribute 'decomposition' is missing");
  std::vector<Bound> arguments;
  for (const Reference& operand : step.operation.operands) {
    arguments.push_back(step.translator.lookup(operand));
  }
  step.results = step.translator.call(decomposition->text, step.operation.offset, arguments);
}

constexpr Rule kControlRules[] = {
    {"func.call", call, true},
    {"stablehlo.case", case_of},
    {"stablehlo.composite", composite, true},
    {"stablehlo.if", if_of},
    {"stablehlo.while", while_loop},
};

}  // namespace

std::span<const Rule> control_rules() { return kControlRules; }

}  // namespace tutti::ir::stablehlo
