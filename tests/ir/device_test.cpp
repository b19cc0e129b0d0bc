#include <tutti/ir/derive/gradient.h>
#include <tutti/ir/device.h>
#include <tutti/ir/interpret/interpret.h>
#include <tutti/ir/parse/parse.h>
#include <tutti/ir/support/error.h>
#include <tutti/ir/text/print.h>
#include <tutti/ir/verify/verify.h>

#include <cmath>

#include <gmock/gmock.h>

namespace tutti::ir::device_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr Device kCpu = Device::cpu();
const Device kGpu = Device::cuda(0);

TEST(Device, IsReadAndShownAsText) {
  for (const std::string text : {"cpu", "cuda:0", "cuda:255"}) {
    EXPECT_EQ(Device::from_text(text)->text(), text);
  }
  EXPECT_EQ(Device::from_text("cuda"), kGpu);
  for (const std::string text : {"", "gpu", "cuda:", "cuda:256", "cuda:-1", "cuda:0 ", "any"}) {
    EXPECT_EQ(Device::from_text(text), std::nullopt) << text;
  }
  EXPECT_THROW(Device::cuda(256), UsageError);
}

TEST(Device, IsThatOfTheOperandsWhichAreNotMadeFromConstantsAlone) {
  Graph graph;
  Builder builder(graph);
  const Value x = graph.add_parameter("x", {.shape = {4}, .device = kGpu});
  const Value h = graph.add_parameter("h", {.shape = {4}});
  const Value number = builder.scalar(DType::f32, 2);
  const Value sum = builder.add(Op::add, {number, number});
  EXPECT_TRUE(graph.type(number).device.is_any());
  EXPECT_TRUE(graph.type(sum).device.is_any());
  EXPECT_EQ(graph.type(builder.add(Op::mul, {sum, x})).device, kGpu);
  EXPECT_EQ(graph.type(builder.add(Op::mul, {h, sum})).device, kCpu);
  EXPECT_THAT([&] { builder.add(Op::add, {x, h}); },
              ThrowsMessage<TypeError>(
                  "add: the operands lie on different devices, cuda:0 and cpu; copy one of them "
                  "with to(x, device); the operands are f32[4] on cuda:0 and f32[4]"));
  EXPECT_EQ(graph.type(builder.add(Op::to_device, {x}, {std::string("cpu")})).device, kCpu);
}

TEST(Device, OfAValueThatLiesAnywhereIsTheDefaultOne) {
  Graph graph;
  Builder builder(graph);
  const Value number = builder.scalar(DType::f32, 2);
  EXPECT_EQ(graph.device(number), kCpu);
  graph.default_device = kGpu;
  EXPECT_EQ(graph.device(number), kGpu);
}

TEST(Device, OfCollectivesIsThatOfTheOperand) {
  Graph graph;
  Builder builder(graph);
  const Value x = graph.add_parameter("x", {.shape = {4}, .device = kGpu});
  const auto pair =
      std::make_shared<const Group>(Group{.tag = "pair", .ranks = {0, 1}, .stride = 2});
  const Value sum = builder.add(Op::all_reduce, {x}, {std::string("sum"), pair});
  EXPECT_EQ(graph.type(sum).text(), "async f32[4] on cuda:0");
  EXPECT_EQ(graph.type(builder.add(Op::wait, {sum})).text(), "f32[4] on cuda:0");
  const Value received = builder.add(
      Op::recv, std::span<const Value>(),
      {DType::f32, std::vector<std::int64_t>{4}, std::int64_t{1}, pair, std::string("cuda:1")});
  EXPECT_EQ(graph.type(received).text(), "async f32[4] on cuda:1");
}

TEST(Device, IsPartOfWhatMakesGraphsEqual) {
  const auto hash = [](const std::string& text) {
    return structural_hash(parse(text).functions[0]);
  };
  const std::string plain = "func @f(%x: f32[2]) { return %x }";
  EXPECT_EQ(hash(plain), hash("func @f(%x: f32[2] on cpu) -> (f32[2]) on cpu { return %x }"));
  EXPECT_NE(hash(plain), hash("func @f(%x: f32[2] on cuda:0) { return %x }"));
  EXPECT_NE(hash(plain), hash("func @f(%x: f32[2]) on cuda { return %x }"));
  EXPECT_NE(hash("func @f(%x: f32[2] on cuda:1) { return %x }"),
            hash("func @f(%x: f32[2] on cuda:0) { return %x }"));
}

TEST(Device, OfNumbersIsAnyUnlessTheySayWhere) {
  const Module module =
      parse("func @f(%s: f32[] rep(*), %t: f32[] rep(*) on cpu, %x: f32[2] rep(*)) { return }");
  const auto device = [&](std::size_t i) {
    return module.functions[0].type(module.functions[0].parameters()[i].value).device;
  };
  EXPECT_TRUE(device(0).is_any());
  EXPECT_EQ(device(1), kCpu);
  EXPECT_EQ(device(2), kCpu);
}

TEST(Device, VerifyTakesAPlaceForWhatLiesAnywhereAndNothingElse) {
  const auto graph = [](Op op, const std::vector<Value>& operands, Device device) {
    Graph out;
    out.add_parameter("x", {.shape = {2}, .device = kGpu});
    const Type type{.shape = {2}, .device = device};
    std::vector<Attribute> attributes;
    if (op == Op::iota) {
      attributes = {DType::f32, std::vector<std::int64_t>{2}, std::int64_t{0}};
    }
    out.append(op, operands, attributes, std::span(&type, 1), {});
    return out;
  };
  EXPECT_THAT([&] { verify(graph(Op::neg, {Value{0}}, kCpu)); },
              ThrowsMessage<VerifyError>(HasSubstr("its type is f32[2] on cuda:0, not f32[2]")));
  EXPECT_NO_THROW(verify(graph(Op::neg, {Value{0}}, kGpu)));
  Graph iota = graph(Op::iota, {}, kGpu);
  EXPECT_THROW(verify(iota), VerifyError);  // a literal, but not marked so
  iota.default_device = Device::any();
  EXPECT_THAT([&] { verify(iota); },
              ThrowsMessage<VerifyError>(HasSubstr("the default device is a certain one")));
}

TEST(Device, CopiesAreIdentitiesAndGradientsGoBack) {
  Graph graph = std::move(parse(R"(
    func @f(%x: f32[2] on cuda:0) {
      %0 = mul(%x, %x)
      %1 = to_device(%0) {device = "cpu"}
      %2 = exp(%1)
      %3 = sum(%2) {axes = [0]}
      return %3
    })")
                              .functions[0]);
  Builder builder(graph);
  const Value x = graph.parameters()[0].value;
  const std::vector<Value> gradients = gradient(builder, graph.results()[0], std::vector<Value>{x});
  EXPECT_EQ(graph.type(gradients[0]), graph.type(x));
  graph.set_results({graph.results()[0], gradients[0]});
  verify(graph);
  const std::vector<Array> results =
      interpret(graph, {Array::from(std::span<const float>(std::vector<float>{0, 1}), {2})});
  EXPECT_FLOAT_EQ(results[0].data<float>()[0], 1 + std::exp(1.0F));
  EXPECT_FLOAT_EQ(results[1].data<float>()[0], 0);
  EXPECT_FLOAT_EQ(results[1].data<float>()[1], 2 * std::exp(1.0F));
}

TEST(Device, OfAGradientIsThatOfTheValue) {
  Graph graph = std::move(parse(R"(
    func @f(%c: f32[2] on any, %h: f32[2], %x: f32[2] on cuda:0) {
      %0 = mul(%h, %c)
      %1 = mul(%x, %c)
      %2 = to_device(%1) {device = "cpu"}
      %3 = add(%0, %2)
      %4 = sum(%3) {axes = [0]}
      return %4
    })")
                              .functions[0]);
  Builder builder(graph);
  std::vector<Value> values;
  for (const Parameter& parameter : graph.parameters()) values.push_back(parameter.value);
  std::vector<Device> devices;
  for (const Value value : gradient(builder, graph.results()[0], values)) {
    devices.push_back(graph.device(value));
  }
  EXPECT_THAT(devices, ElementsAre(kCpu, kCpu, kGpu));
  verify(graph);
}

}  // namespace
}  // namespace tutti::ir::device_test
