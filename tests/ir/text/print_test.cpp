#include <tutti/ir/builder.h>
#include <tutti/ir/text/print.h>

#include <bit>
#include <cstring>
#include <limits>

#include "tests/support/golden.h"
#include <gmock/gmock.h>

namespace tutti::ir::print_test {
namespace {

using test::matches_golden;
using testing::HasSubstr;

GroupPtr group_of(std::string tag, std::vector<std::int64_t> ranks, std::int64_t stride) {
  return std::make_shared<const Group>(
      Group{.tag = std::move(tag), .ranks = std::move(ranks), .stride = stride});
}

TEST(Print, AFunction) {
  Graph graph("step");
  graph.mesh = std::make_shared<const Mesh>(Mesh{.names = {"dp", "tp"}, .sizes = {2, 2}});
  const Value x = graph.add_parameter("x", {.shape = {64, 784}});
  const Value w = graph.add_parameter("w", {.shape = {784, 10}, .replication = {1, false}}, true);
  Builder builder(graph);
  builder.at({"src/train.cpp", 41});
  const Value product = builder.add(Op::matmul, {x, w});
  builder.at({});
  const Value total = builder.add(Op::sum, {product}, {std::vector<std::int64_t>{0}});
  const auto group = std::make_shared<const Group>(mesh_group(*graph.mesh, 1));
  const Value sum = builder.add(Op::all_reduce, {total}, {std::string("sum"), group});
  builder.node(Op::barrier, {}, {group});
  const Value waited = builder.add(Op::wait, {sum});
  const Value scaled = builder.add(Op::mul, {waited, builder.scalar(DType::f32, 2.5)});
  graph.set_fusion(graph.producer(scaled), 3);
  graph.set_results({scaled, sum});
  EXPECT_TRUE(matches_golden(print(graph), "ir/golden/step.tutti"));
}

TEST(Print, LiteralsOfEveryDtype) {
  Graph graph("literals");
  Builder builder(graph);
  const auto add = [&]<class T>(std::vector<T> values) {
    const auto count = static_cast<std::int64_t>(values.size());
    builder.constant(Array::from(std::span<const T>(values), {count}));
  };
  const auto add_integers = [&]<class T>(T) {
    add(std::vector<T>{std::numeric_limits<T>::min(), 1, std::numeric_limits<T>::max()});
  };
  const auto add_floats = [&]<class T>(T, float smallest, float largest) {
    add(std::vector<T>{T(-0.0F), T(0.1F), T(1e-5F), T(smallest), T(largest), T(HUGE_VALF),
                       T(-HUGE_VALF), T(NAN), T(-NAN)});
  };
  const bool truths[] = {true, false};
  builder.constant(Array::from(std::span<const bool>(truths), {2}));
  add_integers(std::uint8_t{});
  add_integers(std::uint16_t{});
  add_integers(std::uint32_t{});
  add_integers(std::uint64_t{});
  add_integers(std::int8_t{});
  add_integers(std::int16_t{});
  add_integers(std::int32_t{});
  add_integers(std::int64_t{});
  add_floats(Float16{}, 0x1p-24F, 65504);
  add_floats(BFloat16{}, 0x1p-133F, 0x1.FEp127F);
  add_floats(float{}, 0x1p-149F, 0x1.FFFFFEp127F);
  add(std::vector<double>{-0.0, 0.1, 1e-300, 5e-324, std::numeric_limits<double>::max(), NAN});
  add(std::vector<float>{std::bit_cast<float>(0x7F800001U), std::bit_cast<float>(0xFFC00002U)});
  add(std::vector<double>{std::bit_cast<double>(0x7FF8000000000001ULL)});
  builder.scalar(DType::f32, 2.5);
  builder.constant(Array(DType::f32, {0}));
  builder.constant(Array(DType::f32, {1'000'000'000, 0}));
  builder.constant(Array(DType::i32, {2, 1, 3}));
  const auto bytes = [&](DType dtype, const std::vector<std::uint8_t>& bits) {
    Array array(dtype, {std::ssize(bits)});
    std::memcpy(array.bytes().data(), bits.data(), bits.size());
    builder.constant(array);
  };
  bytes(DType::f8_e4m3fn, {0x80, 0x1D, 0x01, 0x7E, 0x7F, 0xFF});
  bytes(DType::f8_e5m2, {0x80, 0x2E, 0x01, 0x7B, 0x7C, 0xFC, 0x7E, 0xFE});
  EXPECT_TRUE(matches_golden(print(graph), "ir/golden/literals.tutti"));
}

TEST(Print, NamesAreMadeLegalAndDifferent) {
  Graph graph("0 odd \"name\"\n");
  for (const char* const name : {"x", "x", "x_1", "x", "", "0", "layer 1/w", "\xC3\xA9"}) {
    graph.add_parameter(name, {.shape = {1}});
  }
  Builder builder(graph);
  for (const char* const tag : {"dp", "dp", "", "1"}) {
    builder.node(Op::barrier, {}, {group_of(tag, {0, 1}, 2)});
  }
  builder.node(Op::barrier, {}, {group_of("dp", {0, 1}, 1)});
  EXPECT_TRUE(matches_golden(print(graph), "ir/golden/names.tutti"));
}

TEST(Print, LocationsThatCannotBeReadBackAreBent) {
  Graph graph;
  Builder builder(graph);
  builder.at({"a folder/my file.cpp", 7});
  builder.scalar(DType::f32, 1);
  builder.at({"a folder/", 8});
  builder.scalar(DType::f32, 2);
  EXPECT_THAT(print(graph), HasSubstr("  // my_file.cpp:7\n"));
  EXPECT_THAT(print(graph), HasSubstr("2} : f32[]\n"));
}

TEST(Print, FunctionsOfAModuleShareGroupsAndMesh) {
  Module module;
  for (const char* const name : {"first", "second"}) {
    Graph graph(name);
    graph.mesh = std::make_shared<const Mesh>(Mesh{.names = {"dp"}, .sizes = {2}});
    Builder(graph).node(Op::barrier, {}, {group_of("dp", {0, 1}, 2)});
    module.functions.push_back(graph);
  }
  EXPECT_EQ(print(module), R"(// tutti ir 1
mesh (dp = 2)
group @dp = {ranks = [0, 1], stride = 2}

func @first() -> () {
  barrier() {group = @dp}
  return
}

func @second() -> () {
  barrier() {group = @dp}
  return
}
)");
  module.functions[1].mesh = nullptr;
  EXPECT_THROW(print(module), TypeError);
}

TEST(Print, Types) {
  const Mesh mesh{.names = {"dp", "tp"}, .sizes = {2, 2}};
  EXPECT_EQ(print(Type{.shape = {2}}, &mesh), "f32[2]");
  EXPECT_EQ(print(Type{.shape = {}, .replication = {3, false}}, &mesh), "f32[] rep(dp, tp)");
  EXPECT_EQ(print(Type{.shape = {2}, .replication = {0, true}}, &mesh), "f32[2]");
  const Type async{.dtype = DType::bf16, .shape = {2}, .replication = {2, false}, .async = true};
  EXPECT_EQ(print(async, &mesh), "async bf16[2] rep(tp)");
  EXPECT_EQ(print(async, nullptr), "async bf16[2] rep(1)");
}

TEST(Print, OneNodeAndOneValue) {
  Graph graph;
  const Value x = graph.add_parameter("x", {.shape = {4}});
  Builder builder(graph);
  builder.at({"a.cpp", 1});
  const Value y = builder.add(Op::all_reduce, {x}, {std::string("sum"), group_of("dp", {0, 1}, 2)});
  EXPECT_EQ(print(graph, graph.producer(y)),
            "%0 = all_reduce(%x) {op = \"sum\", group = @dp} : async f32[4]");
  EXPECT_EQ(print(graph, x), "%x");
  EXPECT_EQ(print(graph, y), "%0");
}

}  // namespace
}  // namespace tutti::ir::print_test
