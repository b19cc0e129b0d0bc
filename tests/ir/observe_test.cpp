#include <tutti/ir/builder.h>
#include <tutti/ir/interpret/interpret.h>
#include <tutti/ir/observation.h>
#include <tutti/ir/support/error.h>

#include <cmath>
#include <string>
#include <vector>

#include <gmock/gmock.h>

namespace tutti::ir::observe_test {
namespace {

using testing::HasSubstr;

// observe(x) with these attributes.
Graph program(const std::string& what, const Type& type = {.dtype = DType::f32, .shape = {2}}) {
  Graph graph;
  graph.name = "f";
  const Value x = graph.add_parameter("x", type);
  Builder builder(graph);
  graph.set_results({builder.add(Op::observe, {x}, {what, std::string("x is {} now")})});
  return graph;
}

std::string type_error(const std::string& what, const Type& type) {
  try {
    program(what, type);
  } catch (const TypeError& error) {
    return error.what();
  }
  return "";
}

TEST(Observe, TakesTheWordsItKnowsAndTheHostsMemory) {
  const Type type{.dtype = DType::f32, .shape = {2}};
  EXPECT_THAT(type_error("look", type),
              HasSubstr("what is \"look\"; it may be \"print\", \"finite\" and \"no_nan\""));
  Type there = type;
  there.device = Device::cuda();
  EXPECT_THAT(type_error("print", there), HasSubstr("looks at the host's memory"));
}

TEST(Observe, IsTheReferenceToo) {
  std::vector<Array> x;
  x.emplace_back(DType::f32, Shape{2});
  x[0].data<float>()[0] = 1;
  x[0].data<float>()[1] = INFINITY;
  testing::internal::CaptureStdout();
  const Array out = interpret(program("print"), x)[0];
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "x is f32[2] [1, inf] now\n");
  EXPECT_EQ(out.data<float>()[1], INFINITY);
  EXPECT_NO_THROW(interpret(program("no_nan"), x));
  EXPECT_THROW(interpret(program("finite"), x), NumericError);
}

TEST(Observe, WordsAndNamesAreOneToOne) {
  for (const Observation each : {Observation::print, Observation::finite, Observation::no_nan}) {
    EXPECT_EQ(observation_from_name(name_of(each)), each);
  }
  EXPECT_EQ(observation_from_name("nothing"), std::nullopt);
}

}  // namespace
}  // namespace tutti::ir::observe_test
