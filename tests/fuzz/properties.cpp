#include "tests/fuzz/properties.h"

#include <tutti/codegen/plan/check_plan.h>
#include <tutti/codegen/plan/parse_plan.h>
#include <tutti/ir/parse/parse.h>
#include <tutti/ir/support/error.h>
#include <tutti/ir/verify/verify.h>

#include <optional>
#include <stdexcept>
#include <string>

namespace tutti::fuzz {

namespace {

void require(bool holds, const char* what, const std::string& text) {
  if (!holds) throw std::logic_error(std::string(what) + "\n" + text);
}

template <class Parse>
auto read(std::string_view text, Parse&& parse) -> std::optional<decltype(parse(text))> {
  try {
    return parse(text);
  } catch (const ParseError&) {
    return std::nullopt;
  }
}

// Rules beyond the grammar may be broken, but nothing worse.
template <class Check>
void check_quietly(Check&& check) {
  try {
    check();
  } catch (const VerifyError&) {
  } catch (const InternalError&) {
  }
}

}  // namespace

void ir_text(std::string_view text) {
  const auto module = read(text, [](std::string_view all) { return ir::parse(all); });
  if (!module) return;
  for (const ir::Graph& function : module->functions) {
    check_quietly([&] { ir::verify(function); });
  }
  const std::string printed = ir::print(*module);
  const ir::Module again = ir::parse(printed, "printed");
  require(ir::print(again) == printed, "printed differently the second time", printed);
  require(again.functions.size() == module->functions.size(), "functions got lost", printed);
  for (std::size_t i = 0; i < again.functions.size(); ++i) {
    require(structurally_equal(again.functions[i], module->functions[i]), "not the same", printed);
  }
}

void plan_text(std::string_view text) {
  const auto plan = read(text, [](std::string_view all) { return codegen::parse_plan(all); });
  if (!plan) return;
  check_quietly([&] { codegen::check(*plan); });
  for (const codegen::Kernel& kernel : plan->kernels) {
    check_quietly([&] { codegen::check(kernel); });
  }
  const std::string printed = print(*plan);
  const codegen::Plan again = codegen::parse_plan(printed, "printed");
  require(print(again) == printed, "printed differently the second time", printed);
  require(structurally_equal(again, *plan), "not the same", printed);
}

}  // namespace tutti::fuzz
