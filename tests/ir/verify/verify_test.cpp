#include <tutti/ir/builder.h>
#include <tutti/ir/parse/parse.h>
#include <tutti/ir/verify/verify.h>

#include "tests/support/random/random_program.h"
#include <gmock/gmock.h>

namespace tutti::ir::verify_test {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

const Type kVector{.shape = {4}};

// A function with one parameter, to be broken by `append`, which no builder would do.
struct Broken {
  Broken() { x = graph.add_parameter("x", kVector); }

  NodeId append(Op op, std::vector<Value> operands, std::vector<Attribute> attributes,
                std::vector<Type> types) {
    return graph.append(op, operands, std::move(attributes), types, {"model.cpp", 3});
  }
  void expect(const std::string& message) const {
    EXPECT_THAT([&] { verify(graph); }, ThrowsMessage<VerifyError>(HasSubstr(message)));
  }

  Graph graph{"f"};
  Value x;
};

TEST(Verify, TakesWhatTheBuilderMakes) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto mesh = seed % 2 == 0 ? test::mesh_of_four() : nullptr;
    EXPECT_NO_THROW(verify(test::random_program(seed, {.nodes = 30, .mesh = mesh}).graph)) << seed;
  }
}

TEST(Verify, NamesFunctionLineAndNode) {
  Broken broken;
  broken.append(Op::neg, {broken.x}, {}, {{.shape = {5}}});
  EXPECT_THAT([&] { verify(broken.graph); },
              ThrowsMessage<VerifyError>(
                  "model.cpp:3: @f: %0 = neg(%x) : f32[5]: its type is f32[4], not f32[5]"));
}

TEST(Verify, OperandsComeBeforeTheirUses) {
  Broken broken;
  broken.append(Op::neg, {Value{2}}, {}, {kVector});
  broken.expect("node 1, neg: an operand is no value of the function");
  Broken late;
  late.append(Op::neg, {Value{2}}, {}, {kVector});
  late.append(Op::neg, {late.x}, {}, {kVector});
  late.expect("an operand is defined before its use");
}

TEST(Verify, ResultsAreValues) {
  Broken broken;
  broken.graph.set_results({Value{7}});
  broken.expect("@f: result number 7 is no value of the function");
}

TEST(Verify, ParametersComeFirst) {
  Broken broken;
  broken.append(Op::neg, {broken.x}, {}, {kVector});
  broken.graph.add_parameter("late", kVector);
  broken.expect("the parameters are the first nodes");
  Broken hidden;
  hidden.append(Op::parameter, {}, {}, {kVector});
  hidden.expect("the parameters are the first nodes");
}

TEST(Verify, ParametersAreReplicatedOverDimensionsOfTheMesh) {
  Broken broken;
  broken.graph.add_parameter("w", {.shape = {4}, .replication = {1, false}});
  broken.expect("parameter %w is replicated over what is no dimension of the mesh");
}

TEST(Verify, AttributesAreThoseOfTheOp) {
  Broken few;
  few.append(Op::sum, {few.x}, {std::vector<std::int64_t>{0}}, {{.shape = {}}});
  few.expect("needs 2 attributes, not 1");
  Broken kind;
  kind.append(Op::sum, {kind.x}, {std::int64_t{0}, false}, {{.shape = {}}});
  kind.expect("attribute axes has the wrong kind");
  Broken null;
  null.append(Op::constant, {}, {ArrayPtr()}, {{.shape = {}}});
  null.expect("attribute value is null");
}

TEST(Verify, TypesFollowFromOperands) {
  Broken dtype;
  dtype.append(Op::eq, {dtype.x, dtype.x}, {}, {kVector});
  dtype.expect("its type is bool[4], not f32[4]");
  Broken literal;
  literal.append(Op::constant, {}, {std::make_shared<const Array>(Array::scalar(1.0F))}, {{}});
  literal.expect("its type is f32[] (a literal), not f32[]");
  Broken count;
  count.append(Op::neg, {count.x}, {}, {kVector, kVector});
  count.expect("has 1 results, not 2");
  Broken operands;
  operands.append(Op::add, {operands.x}, {}, {kVector});
  operands.expect("add: takes 2 operands, not 1");
}

TEST(Verify, OperandsAgreeInReplication) {
  Broken broken;
  broken.graph.mesh = std::make_shared<const Mesh>(Mesh{.names = {"dp"}, .sizes = {2}});
  const Value w = broken.graph.add_parameter("w", {.shape = {4}, .replication = {1, false}});
  broken.append(Op::add, {broken.x, w}, {}, {kVector});
  broken.expect("%w is replicated over more than the other operands; it needs a 'vary' first");
}

TEST(Verify, GroupsAreInsideTheMesh) {
  const auto group = std::make_shared<const Group>(Group{.tag = "g", .ranks = {0, 2}, .stride = 2});
  Broken outside;
  outside.graph.mesh = std::make_shared<const Mesh>(Mesh{.names = {"dp"}, .sizes = {2}});
  outside.append(Op::barrier, {}, {group}, {});
  outside.expect("group \"g\" names rank 2, but the mesh has 2 ranks");
  Broken twice;
  twice.append(Op::barrier, {}, {std::make_shared<const Group>(Group{"g", {1, 1}, 2})}, {});
  twice.expect("group \"g\" has rank 1 twice");
}

TEST(Verify, MeshesAreSound) {
  for (const Mesh& mesh : {Mesh{}, Mesh{{"a"}, {0}}, Mesh{{"a", "a"}, {1, 1}}, Mesh{{"a"}, {1, 1}},
                           Mesh{{"a", "b"}, {INT64_MAX, 2}}, Mesh{{"a,b"}, {1}}, Mesh{{""}, {1}}}) {
    Graph graph;
    graph.mesh = std::make_shared<const Mesh>(mesh);
    EXPECT_THROW(verify(graph), VerifyError);
  }
}

TEST(Verify, AValueIsWaitedForOnce) {
  const auto group = std::make_shared<const Group>(Group{.tag = "g", .ranks = {0, 1}, .stride = 2});
  const Type async{.shape = {4}, .async = true};
  Broken broken;
  const Value sum = broken.graph.result(
      broken.append(Op::all_reduce, {broken.x}, {std::string("sum"), group}, {async}));
  const Value view = broken.graph.result(broken.append(Op::identity, {sum}, {}, {async}));
  broken.append(Op::wait, {sum}, {}, {kVector});
  broken.append(Op::wait, {view}, {}, {kVector});  // another path
  EXPECT_NO_THROW(verify(broken.graph));
  broken.append(Op::wait, {view}, {}, {kVector});
  broken.expect("%4 = wait(%1) : f32[4]: a value is waited for once, but %1 is already by %3");
}

TEST(Verify, OnlyWaitsAndViewsTakeAsyncValues) {
  const auto group = std::make_shared<const Group>(Group{.tag = "g", .ranks = {0, 1}, .stride = 2});
  Broken broken;
  const Value sum = broken.graph.result(broken.append(
      Op::all_reduce, {broken.x}, {std::string("sum"), group}, {{.shape = {4}, .async = true}}));
  broken.append(Op::neg, {sum}, {}, {kVector});
  broken.expect("an async operand needs a wait first");
}

}  // namespace
}  // namespace tutti::ir::verify_test
