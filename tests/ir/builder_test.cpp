#include <tutti/ir/builder.h>

#include <gmock/gmock.h>

namespace tutti::ir::builder_test {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

// A function over mesh (dp = 2, tp = 2) whose parameters are replicated as given.
struct Meshed {
  Meshed() {
    graph.mesh = std::make_shared<const Mesh>(Mesh{.names = {"dp", "tp"}, .sizes = {2, 2}});
  }
  Value parameter(std::uint8_t dimensions) {
    return graph.add_parameter("x", {.shape = {4}, .replication = {dimensions, false}});
  }
  GroupPtr group(std::uint8_t dimensions) const {
    return std::make_shared<const Group>(mesh_group(*graph.mesh, dimensions));
  }
  Graph graph;
  Builder builder{graph};
};

TEST(Builder, ErrorsNameTheLine) {
  Graph graph;
  const Value x = graph.add_parameter("x", {.shape = {2}});
  Builder builder(graph);
  builder.at({"train.cpp", 12});
  EXPECT_THAT([&] { builder.add(Op::matmul, {x, x}); },
              ThrowsMessage<TypeError>(HasSubstr("train.cpp:12: matmul: both operands need two")));
}

TEST(Builder, AddsDefaultsAndRefusesWhatIsMissing) {
  Graph graph;
  const Value x = graph.add_parameter("x", {.shape = {2}});
  Builder builder(graph);
  const Value total = builder.add(Op::sum, {x}, {std::vector<std::int64_t>{0}});
  EXPECT_EQ(graph.node(graph.producer(total)).attributes.size(), 2U);
  EXPECT_THROW(builder.add(Op::sum, {x}), TypeError);
  EXPECT_THROW(builder.add(Op::sum, {x}, {true}), InternalError);
  EXPECT_THROW(builder.add(Op::neg, {x}, {true}), InternalError);
}

TEST(Builder, InsertsVaryOncePerValueAndDimensions) {
  Meshed in;
  const Value w = in.parameter(1);
  const Value x = in.parameter(0);
  const Value first = in.builder.add(Op::mul, {x, w});
  in.builder.add(Op::add, {w, x});
  EXPECT_EQ(in.graph.node_count(), 5U);  // two parameters, vary, mul, add
  EXPECT_EQ(in.graph.op(in.graph.operand(in.graph.producer(first), 1)), Op::vary);
  EXPECT_EQ(in.graph.type(first).replication, Replication());
}

TEST(Builder, ReplicationIsTheIntersection) {
  Meshed in;
  const Value both = in.parameter(3);
  const Value tp = in.parameter(2);
  EXPECT_EQ(in.graph.type(in.builder.add(Op::add, {both, both})).replication.dimensions, 3);
  EXPECT_EQ(in.graph.type(in.builder.add(Op::add, {both, tp})).replication.dimensions, 2);
  const Value half = in.builder.scalar(DType::f32, 0.5);
  EXPECT_TRUE(in.graph.type(half).replication.literal);
  EXPECT_EQ(in.graph.type(in.builder.add(Op::mul, {both, half})).replication.dimensions, 3);
}

TEST(Builder, WhatIsComputedFromLiteralsIsOne) {
  Meshed in;
  const auto replication = [&](Value value) { return in.graph.type(value).replication; };
  const Value half = in.builder.scalar(DType::f32, 0.5);
  const Value position =
      in.builder.add(Op::iota, {}, {DType::f32, std::vector<std::int64_t>{4}, std::int64_t{0}});
  for (const Value other : {half, position}) {
    const Value sum = in.builder.add(Op::add, {position, other});
    EXPECT_TRUE(replication(sum).literal);
    EXPECT_EQ(replication(sum).positions, other == position);
    EXPECT_EQ(replication(in.builder.add(Op::add, {sum, in.parameter(3)})).dimensions, 3);
    EXPECT_EQ(replication(in.builder.add(Op::add, {sum, in.parameter(0)})).dimensions, 0);
  }
}

TEST(Builder, CollectivesTakeVaryingValuesAndReplicate) {
  Meshed in;
  const Value both = in.parameter(3);
  const auto reduce = [&](std::uint8_t dimensions) {
    return in.builder.add(Op::all_reduce, {both}, {std::string("sum"), in.group(dimensions)});
  };
  const Value sum = reduce(1);
  EXPECT_EQ(in.graph.op(in.graph.operand(in.graph.producer(sum), 0)), Op::vary);
  EXPECT_EQ(in.graph.type(sum).replication.dimensions, 3);
  EXPECT_TRUE(in.graph.type(sum).async);
  const Value waited = in.builder.add(Op::wait, {sum});
  EXPECT_FALSE(in.graph.type(waited).async);
  EXPECT_EQ(in.graph.type(waited).replication.dimensions, 3);
  const GroupPtr odd = std::make_shared<const Group>(Group{"odd", {0, 3}, 2});
  EXPECT_EQ(in.graph.type(in.builder.add(Op::all_reduce, {both}, {std::string("sum"), odd}))
                .replication.dimensions,
            0);
}

TEST(Builder, AsyncValuesPassThroughViewsOnly) {
  Meshed in;
  const Value sum =
      in.builder.add(Op::all_reduce, {in.parameter(0)}, {std::string("sum"), in.group(1)});
  const Value view = in.builder.add(Op::reshape, {sum}, {std::vector<std::int64_t>{2, 2}});
  EXPECT_TRUE(in.graph.type(view).async);
  EXPECT_THROW(in.builder.add(Op::neg, {sum}), TypeError);
  EXPECT_THROW(in.builder.add(Op::all_reduce, {sum}, {std::string("sum"), in.group(1)}), TypeError);
}

TEST(Builder, WaitsOncePerValue) {
  Meshed in;
  const Value sum =
      in.builder.add(Op::all_reduce, {in.parameter(0)}, {std::string("sum"), in.group(1)});
  const Value waited = in.builder.add(Op::wait, {sum});
  EXPECT_EQ(in.builder.add(Op::wait, {sum}), waited);
  Builder later(in.graph);
  EXPECT_EQ(later.add(Op::wait, {sum}), waited);
  EXPECT_THROW(in.builder.add(Op::wait, {waited}), TypeError);
}

}  // namespace
}  // namespace tutti::ir::builder_test
