#include <tutti/codegen/parse_plan.h>
#include <tutti/codegen/verify_text.h>
#include <tutti/ir/parse.h>
#include <tutti/ir/print.h>
#include <tutti/ir/support/error.h>

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

template <class Program, class Parse>
void verify(const Program& program, const char* what, Parse&& parse) {
  Constants constants;
  const std::string text = print(program, constants.store());
  const auto fail = [&](const std::string& why) {
    throw InternalError(std::string(what) + " can't be told by its text: " + why + "\n" + text);
  };
  try {
    const Program again = parse(text, constants.load());
    if (!structurally_equal(again, program)) fail("read back it differs");
    Constants others;
    if (print(again, others.store()) != text) fail("read back it is printed otherwise");
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
