#include <tutti/codegen/driver/verify_text.h>
#include <tutti/codegen/plan/equal_plans.h>
#include <tutti/codegen/plan/parse_plan.h>
#include <tutti/ir/debug/difference.h>
#include <tutti/ir/debug/text_difference.h>
#include <tutti/ir/parse/parse.h>
#include <tutti/ir/support/error.h>
#include <tutti/ir/text/print.h>

#include <string>
#include <vector>

namespace tutti::codegen {

namespace {

// Large constants are passed by: they would make long texts and say nothing new.
class Constants {
 public:
  ir::StoreConstant store() {
    return [this](const ir::Array& array) {
      arrays_.push_back(&array);
      return std::to_string(arrays_.size() - 1);
    };
  }
  ir::LoadConstant load() const {
    return [this](const std::string& name, DType, const Shape&) {
      return *arrays_.at(std::stoul(name));
    };
  }

 private:
  std::vector<const ir::Array*> arrays_;
};

// What a program lost or gained on its way through its text, in which A is the program and B what
// was read back; empty if nothing.
std::string first_difference(const ir::Graph& a, const ir::Graph& b) {
  if (!structurally_equal(a, b)) {
    const auto found = ir::difference(a, b);
    if (found) return found->first;
    const std::string names = ir::difference_in_names(a, b);
    return names.empty() ? "the head" : names;
  }
  for (std::size_t i = 0; i < a.parameters().size(); ++i) {
    if (a.parameters()[i].sharding == b.parameters()[i].sharding) continue;
    return "the sharding of parameter %" + a.parameters()[i].name;
  }
  for (std::size_t i = 0; i < a.results().size(); ++i) {
    if (a.result_sharding(i) == b.result_sharding(i)) continue;
    return "the sharding of result " + std::to_string(i);
  }
  // Of file names the text has what a comment can hold.
  for (ir::NodeId id = 0; id < a.node_count(); ++id) {
    const bool told = a.node(id).op != ir::Op::parameter && !a.node(id).location.file().empty();
    if (!told || a.node(id).location.line() == b.node(id).location.line()) continue;
    return "the source line of " + print(a, id);
  }
  return "";
}

template <class Program, class Parse>
void verify(const Program& program, const char* what, Parse&& parse) {
  Constants constants;
  const std::string text = print(program, constants.store());
  const auto fail = [&](const std::string& why) {
    throw InternalError(std::string(what) + " can't be told by its text: " + why + "\n" + text);
  };
  try {
    const Program again = parse(text, constants.load());
    const std::string place = first_difference(program, again);
    Constants others;
    const std::string second = print(again, others.store());
    if (second != text) {
      fail("read back (B) it is printed otherwise" + (place.empty() ? "" : ": " + place) + "\n" +
           ir::text_difference(text, second, {.before = "A", .after = "B"}));
    }
    if (!place.empty()) fail("read back (B) it differs: " + place);
  } catch (const ParseError& error) {
    fail(error.what());
  }
}

}  // namespace

void verify_text(const ir::Graph& graph) {
  verify(graph, "a program", [](const std::string& text, const ir::LoadConstant& load) {
    return ir::parse(text, "its text", load).functions.at(0);
  });
}

void verify_text(const Plan& plan) {
  verify(plan, "a plan", [](const std::string& text, const ir::LoadConstant& load) {
    return parse_plan(text, "its text", load);
  });
}

}  // namespace tutti::codegen
