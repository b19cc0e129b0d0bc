#include <tutti/lazy/nn.h>
#include <tutti/lazy/numpy_files.h>
#include <tutti/lazy/optim.h>
#include <tutti/lazy/statistics.h>

#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "tests/lazy/lazy_testing.h"

// What each function of the library says of calls that make no sense: on the caller's line, and
// under the name of what was called.
namespace tutti::test::wrong_calls_test {
namespace {

struct WrongCall {
  const char* text;
  unsigned line;
  std::string name;  // that the message begins with
  std::string part;  // that it holds
  std::function<void()> call;
};

#define WRONG(name, part, ...)                                       \
  WrongCall {                                                        \
    #__VA_ARGS__, __LINE__, name, part, [=] { (void)(__VA_ARGS__); } \
  }

// Each throws an error of the library that names this file and the line of the call (a long one has
// several).
void expect_told(const std::vector<WrongCall>& calls) {
  constexpr unsigned kLongCall = 4;
  for (const WrongCall& each : calls) {
    SCOPED_TRACE(each.text);
    try {
      each.call();
      ADD_FAILURE() << "nothing was thrown";
    } catch (const Error& error) {
      EXPECT_EQ(error.where().file(), __FILE__) << error.what();
      EXPECT_NEAR(error.where().line(), each.line, kLongCall) << error.what();
      EXPECT_THAT(error.message(), testing::StartsWith(each.name));
      EXPECT_THAT(error.message(), testing::HasSubstr(each.part));
    } catch (const std::exception& error) {
      ADD_FAILURE() << "a foreign exception: " << error.what();
    }
  }
}

constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max();
const auto kNoDType = static_cast<DType>(77);

TEST(WrongCalls, OfWhatMakesTensors) {
  const Floats two = {1, 2};
  static float five = 5;
  char* const beside = reinterpret_cast<char*>(&five) + 1;
  expect_told({
      WRONG("from: ", "2 values do not fill", from(two, {3})),
      WRONG("shape [-1]", "negative", zeros({-1})),
      WRONG("zeros: ", "no dtype of the number 77", zeros({2}, kNoDType)),
      WRONG("ones: ", "no dtype of the number 77", ones({2}, kNoDType)),
      WRONG("full: ", "no dtype of the number 77", full({2}, 1, kNoDType)),
      WRONG("full: ", "broadcast", full({2}, ones({3}))),
      WRONG("full: ", "does not fit", full({2}, 300, DType::u8)),
      WRONG("arange: ", "-1 numbers", arange(-1)),
      WRONG("arange: ", "2^60", arange(kHuge)),
      WRONG("arange: ", "step of 0", arange(0, 5, 0)),
      WRONG("arange: ", "no end", arange(0.0, 1.0, 0.0)),
      WRONG("arange: ", "u8 does not hold 299", arange(300, DType::u8)),
      WRONG("arange: ", "f16 does not hold 99999", arange(100000, DType::f16)),
      WRONG("arange: ", "bool holds true and false", arange(0, 5, 1, DType::boolean)),
      WRONG("arange: ", "i8 does not hold -200", arange(-200, 0, 1, DType::i8)),
      WRONG("arange: ", "f16 does not hold 70000", arange(7e4, 7e4 + 2, 0.5, DType::f16)),
      WRONG("linspace: ", "f32 does not hold inf", linspace(0, HUGE_VAL, 3)),
      WRONG("linspace: ", "f8_e4m3fn does not hold 500", linspace(0, 500, 3, DType::f8_e4m3fn)),
      WRONG("linspace: ", "2^60", linspace(0, 1, kHuge)),
      WRONG("linspace: ", "holds no fractions", linspace(0, 1, 3, DType::i32)),
      WRONG("eye: ", "2^60", eye(kHuge, 2)),
      WRONG("eye: ", "-1 columns", eye(2, -1)),
      WRONG("iota: ", "axis 3 of shape [2]; -1 to 0 are there", iota({2}, 3)),
      WRONG("this tensor", "never given a value", constant(Tensor())),
      WRONG("abstract: ", "cpu or a GPU", abstract({2}, DType::f32, {.device = Device::any()})),
      WRONG("", "no dtype", abstract({2}, kNoDType)),
      WRONG("", "no dtype", view(&five, {1}, kNoDType, [](void*) {})),
      WRONG("", "no dtype", uniform({2}, Key(1), kNoDType)),
      WRONG("randint: ", "no dtype", randint({2}, Key(1), 0, 5, kNoDType)),
      WRONG("view: ", "not aligned for f32", view(beside, {}, DType::f32, [](void*) {})),
      WRONG("view: ", "null", view(nullptr, {2}, DType::f32, [](void*) {})),
      WRONG("view: ", "neither 0 nor 1", view(&five, {4}, DType::boolean, [](void*) {})),
  });
}

TEST(WrongCalls, OfTensorsThemselves) {
  const Tensor none;
  const Tensor x = ones({2, 3});
  const AsyncTensor no_async;
  expect_told({
      WRONG("dimension 100000", "[2,3]; 0 to 1 are there", x.shape()[100000]),
      WRONG("dimension -1", "[2,3]; 0 to 1 are there", x.shape()[-1]),
      WRONG("dimension 0", "[], which has none", Shape()[0]),
      WRONG("size: ", "-2 to 1", x.size(2)),
      WRONG("this tensor", "never given a value", none.size(0)),
      WRONG("this tensor", "never given a value", none.shape()),
      WRONG("this tensor", "never given a value", none.dtype()),
      WRONG("this tensor", "never given a value", none.device()),
      WRONG("this tensor", "never given a value", none.item<float>()),
      WRONG("this tensor", "never given a value", none + 1),
      WRONG("this tensor", "never given a value", eval(none)),
      WRONG("this tensor", "never given a value", dump_ir(none)),
      WRONG("this", "never given a value", describe(no_async)),
      WRONG("this", "never given a value", no_async.wait()),
      WRONG("item() ", "exactly one", x.item<float>()),
      WRONG("the elements are f32", "read as f64", ones({1}).item<double>()),
      WRONG("the elements are f32", "read as i32", x.to_vector<int>()),
      WRONG("Device::cuda(300)", "0 to 255", Device::cuda(300)),
      WRONG("to: ", "cpu or a GPU", to(x, Device::any())),
      WRONG("set_default_device: ", "cpu or a GPU", set_default_device(Device::any())),
      WRONG("", "GPU", memory_stats(Device::cuda(7))),
      WRONG("", "GPU", reset_peak_memory_stats(Device::cuda(7))),
  });
}

TEST(WrongCalls, OfOps) {
  const Tensor x = ones({2, 3});
  const Tensor i = arange(3);
  const Tensor d = ones({2, 3}, DType::f64);
  expect_told({
      WRONG("cast: ", "no dtype of the number 77", cast(x, kNoDType)),
      WRONG("bitcast: ", "no dtype of the number 77", bitcast(x, kNoDType)),
      WRONG("add: ", "f64", x + d),
      WRONG("matmul: ", "cast", matmul(x, transpose(d))),
      WRONG("matmul: ", "", matmul(x, x)),
      WRONG("dot_general: ", "axis 7", dot_general(x, x, {.contract_x = {7}, .contract_y = {0}})),
      WRONG("einsum(", "names 3 axes", einsum("abc,ab->c", {x, x})),
      WRONG("einsum(", "cast", einsum("ab,ab->a", {x, d})),
      WRONG("select: ", "", select(x, x, x)),
      WRONG("reshape: ", "", reshape(x, {4})),
      WRONG("reshape: ", "-1", reshape(x, {-1, 4})),
      WRONG("reshape: ", "-1", reshape(x, {-1, kHuge, kHuge})),
      WRONG("transpose: ", "", transpose(x, {0, 0})),
      WRONG("slice: ", "step of 0", slice(x, {{.step = 0}})),
      WRONG("slice: ", "3 ranges", slice(x, {{}, {}, {}})),
      WRONG("concat: ", "no tensors", concat({})),
      WRONG("this tensor", "never given", concat({x, Tensor()})),
      WRONG("stack: ", "agree", stack({x, i})),
      WRONG("stack: ", "never given", stack({x, Tensor()})),
      WRONG("split: ", "5 equal parts", split(x, 5)),
      WRONG("split: ", "add up", split(x, std::vector<std::int64_t>{3})),
      WRONG("repeat: ", "-1 times", repeat(x, -1, 0)),
      WRONG("repeat: ", "2^60", repeat(x, kHuge, 0)),
      WRONG("tril: ", "rank 1", tril(i)),
      WRONG("pad: ", "", pad(x, {1}, {1}, 0)),
      WRONG("take: ", "-3 to 2 are there", take(i, 7)),
      WRONG("topk: ", "", topk(x, 9)),
      WRONG("argsort: ", "axis 7", argsort(x, 7)),
      WRONG("layer_norm: ", "an epsilon of -1", layer_norm(x, ones({3}), zeros({3}), -1)),
      WRONG("rms_norm: ", "an epsilon of nan", rms_norm(x, ones({3}), std::nan(""))),
      WRONG("one_hot: ", "no dtype of the number 77", one_hot(i, 3, kNoDType)),
      WRONG("layer_norm: ", "", layer_norm(x, ones({2}), zeros({3}))),
      WRONG("var: ", "axis 4", var(x, 4)),
      WRONG("stddev: ", "axis 4", stddev(x, 4)),
      WRONG("var: ", "floating-point", var(i)),
      WRONG("norm: ", "an order of", norm(x, {}, -1)),
      WRONG("this tensor", "never given", debug_print("{}", Tensor())),
  });
}

TEST(WrongCalls, OfPlaces) {
  const Tensor x = ones({2, 3});
  expect_told({
      WRONG("at: ", "-2 to 1 are there", x[2]),
      WRONG("at: ", "-3 to 2 are there", at(x, 0, -4)),
      WRONG("at: ", "which has 2 axes", at(x, 0, 0, 0)),
      WRONG("at: ", "step of 0", at(x, Range{.step = 0})),
      WRONG("at: ", "integer scalar", at(x, ones({2}))),
      WRONG("set_at: ", "does not broadcast", set_at(x, ones({5}), 0)),
      WRONG("set_at: ", "cast(value", set_at(x, ones({3}, DType::f64), 0)),
      WRONG("set_at: ", "there is no element 5", set_at(x, 1, 5)),
      WRONG("set_at: ", "holds no fractions", set_at(arange(3), 0.5, 0)),
      WRONG("add_at: ", "does not broadcast", add_at(x, ones({5}), 0)),
      WRONG("add_at: ", "cast(value", add_at(x, ones({3}, DType::f64), 0)),
  });
}

TEST(WrongCalls, OfWindows) {
  const Tensor x = ones({1, 4, 8, 8});
  const Tensor w = ones({4, 2, 3, 3});
  expect_told({
      WRONG("max_pool: ", "at most 1 is right", max_pool(x, {2, 2}, {.padding = {2}})),
      WRONG("avg_pool: ", "at most 1 is right", avg_pool(x, {2, 2}, {.padding = {2}})),
      WRONG("max_pool: ", "above 2^60", max_pool(x, {2, 2}, {.padding = {kHuge}})),
      WRONG("max_pool: ", "does not fit", max_pool(x, {9, 9})),
      WRONG("max_pool: ", "[n, c, spatial...]", max_pool(ones({3}), {1})),
      WRONG("reduce_window: ", "numbers for 4", reduce_window(x, WindowReduce::sum, 0, {2, 2})),
      WRONG("reduce_window: ", "a number or a scalar",
            reduce_window(x, WindowReduce::sum, ones({2}), {1, 1, 2, 2})),
      WRONG("reduce_window: ", "holds no fractions",
            reduce_window(arange(4), WindowReduce::sum, 0.5, {2})),
      WRONG("conv: ", "", conv(x, w)),
      WRONG("conv_transpose: ", "above 2^60", conv_transpose(x, w, {.padding = {kHuge}})),
      WRONG("conv_transpose: ", "output_padding of 2", conv_transpose(x, w, {.stride = {2}}, {2})),
      WRONG("conv_transpose: ", "f64", conv_transpose(x, cast(w, DType::f64))),
      WRONG("conv_transpose: ", "3 groups", conv_transpose(x, w, {.groups = 3})),
  });
}

TEST(WrongCalls, OfRandomNumbers) {
  const Key none;
  const Key key(1);
  expect_told({
      WRONG("this key", "Key(seed)", uniform({2}, none)),
      WRONG("this key", "Key(seed)", normal({2}, none)),
      WRONG("this key", "Key(seed)", random_bits({2}, none)),
      WRONG("this key", "Key(seed)", split(none)),
      WRONG("fold_in: ", "Key(seed)", fold_in(none, 1)),
      WRONG("randint: ", "Key(seed)", randint({2}, none, 0, 5)),
      WRONG("bernoulli: ", "Key(seed)", bernoulli({2}, none, 0.5)),
      WRONG("bernoulli: ", "a probability of 1.5", bernoulli({2}, key, 1.5)),
      WRONG("bernoulli: ", "broadcast", bernoulli({2}, key, ones({3}))),
      WRONG("dropout: ", "Key(seed)", dropout(ones({2}), none, 0.5)),
      WRONG("dropout: ", "a rate of 1", dropout(ones({2}), key, 1.0)),
      WRONG("permutation: ", "Key(seed)", permutation(3, none)),
      WRONG("uniform: ", "", uniform({2}, key, DType::i32)),
      WRONG("randint: ", "empty", randint({2}, key, 5, 5)),
      WRONG("randint: ", "can't hold", randint({2}, key, 0, 300, DType::u8)),
  });
}

TEST(WrongCalls, OfLayers) {
  const Key none;
  const Key key(1);
  const Tensor x = ones({2, 4, 3});
  const auto batch_norm = nn::batch_norm(4);
  const auto other_norm = nn::batch_norm(5);
  const auto statistics = nn::batch_statistics(4);
  const auto linear = nn::linear(key, 3, 2);
  const auto embedding = nn::embedding(key, 5, 2);
  const auto labels = from<std::int64_t>({0, 1}, {2});
  expect_told({
      WRONG("nn::linear: ", "Key(seed)", nn::linear(none, 2, 3)),
      WRONG("nn::linear: ", "negative", nn::linear(key, -2, 3)),
      WRONG("nn::norm: ", "negative", nn::norm(-1)),
      WRONG("nn::group_norm: ", "3 groups of 4", nn::group_norm(3, 4)),
      WRONG("nn::batch_norm: ", "negative", nn::batch_norm(-1)),
      WRONG("nn::batch_statistics: ", "negative", nn::batch_statistics(-1)),
      WRONG("nn::embedding: ", "negative", nn::embedding(key, -5, 2)),
      WRONG("linear: ", "matmul", linear(ones({2, 4}))),
      WRONG("linear: ", "never given a value", nn::Linear()(x)),
      WRONG("linear: ", "bias is f32[5,2]", nn::Linear{linear.weight, ones({5, 2})}(x)),
      WRONG("embedding: ", "weight is f32[3]", nn::Embedding{ones({3})}(labels)),
      WRONG("group_norm: ", "an epsilon of", nn::group_norm(2, 4)(x, -1.0)),
      WRONG("batch_norm: ", "a momentum of 2", batch_norm.train(x, statistics, {.momentum = 2})),
      WRONG("batch_norm: ", "with 1 element a channel",
            nn::batch_norm(3).train(ones({1, 3}), nn::batch_statistics(3))),
      WRONG("batch_norm: ", "with 0 elements a channel",
            batch_norm.train(ones({0, 4, 3}), statistics)),
      WRONG("attention: ", "never given a value", attention(x, x, x, {.keys = Tensor()})),
      WRONG("attention: ", "finite", attention(x, x, x, {.scale = std::nan("")})),
      WRONG("norm: ", "layer_norm", nn::norm(5)(x)),
      WRONG("group_norm: ", "scale is f32[6]", nn::group_norm(3, 6)(ones({1, 3, 2}))),
      WRONG("group_norm: ", "floating point", nn::group_norm(1, 3)(arange(3))),
      WRONG("batch_norm: ", "scale is f32[5]", other_norm(x, statistics)),
      WRONG("batch_norm: ", "mean is f32[5]", batch_norm(x, nn::batch_statistics(5))),
      WRONG("batch_norm: ", "mean is f32[5]", batch_norm.train(x, nn::batch_statistics(5))),
      WRONG("batch_norm: ", "never given a value", batch_norm(x, nn::BatchStatistics())),
      WRONG("embedding: ", "integer", embedding(ones({2}))),
      WRONG("rotary: ", "pairs are turned", nn::rotary(x, arange(4))),
      WRONG("rotary: ", "[4], is right", nn::rotary(ones({4, 2}), arange(3))),
      WRONG("cross_entropy: ", "label_smoothing",
            nn::cross_entropy(ones({2, 3}), labels, {.label_smoothing = 2})),
      WRONG("cross_entropy: ", "", nn::cross_entropy(ones({3, 3}), labels)),
      WRONG("attention: ", "", attention(x, x, ones({2, 5, 3}))),
  });
}

TEST(WrongCalls, OfOptimisers) {
  using Model = std::map<std::string, Tensor>;
  const Model model = {{"w", ones({2})}};
  const Model other = {{"w", ones({3})}};
  const Model empty = {{"w", Tensor()}};
  const Model counters = {{"steps", arange(2)}};
  const Sgd sgd{.momentum = 0.9F};
  const auto state = sgd.init(model);
  const AdamW adam;
  const auto adam_state = adam.init(model);
  const Tensor w = ones({2});
  expect_told({
      WRONG("Sgd: ", "'w' was never given a value", sgd.init(empty)),
      WRONG("Sgd: ", "only floating-point tensors are trained", sgd.init(counters)),
      WRONG("Sgd: ", "momentum is -5", Sgd{.momentum = -5}.init(model)),
      WRONG("Sgd: ", "nesterov", Sgd{.nesterov = true}.init(model)),
      WRONG("Sgd: ", "'w' is f32[2], and its gradient f32[3]",
            sgd.update(model, other, state, 0.1F)),
      WRONG("Sgd: ", "the model is f32[2], and its gradient f32[3]",
            Sgd{}.update(w, ones({3}), {}, 0.1F)),
      WRONG("Sgd: ", "there are 0 velocity tensors", sgd.update(model, model, {}, 0.1F)),
      WRONG("Sgd: ", "the rate", sgd.update(model, model, state, ones({2}))),
      WRONG("Sgd: ", "the rate of a step is nan", sgd.update(model, model, state, std::nan(""))),
      WRONG("AdamW: ", "epsilon is inf", AdamW{.epsilon = HUGE_VALF}.init(model)),
      WRONG("AdamW: ", "'w' was never given a value", adam.init(empty)),
      WRONG("AdamW: ", "beta1 is 1", AdamW{.beta1 = 1}.init(model)),
      WRONG("AdamW: ", "only floating-point tensors are trained", adam.init(counters)),
      WRONG("AdamW: ", "'w' is f32[2], and its gradient f32[3]",
            adam.update(model, other, adam_state, 0.1F)),
      WRONG("AdamW: ", "'w' was never given a value", adam.update(model, empty, adam_state, 0.1F)),
      WRONG("clip_by_global_norm: ", "0 and above", clip_by_global_norm(model, -1.F)),
      WRONG("clip_by_global_norm: ", "'steps'", clip_by_global_norm(counters, 1.F)),
      WRONG("clip_by_global_norm: ", "'w' was never given", clip_by_global_norm(empty, 1.F)),
      WRONG("", "'w' was never given", global_norm(empty)),
      WRONG("global_norm: ", "takes floating-point tensors, not i64[2]", global_norm(counters)),
      WRONG("moving_average: ", "f32[3]", moving_average(model, other, 0.9F)),
      WRONG("moving_average: ", "decay is 1.5", moving_average(model, model, 1.5F)),
      WRONG("moving_average: ", "'w' was never given", moving_average(model, empty, 0.9F)),
      WRONG("linear_schedule: ", "at least one step", linear_schedule(1, 0, 1, 0)),
      WRONG("linear_schedule: ", "the step is nan", linear_schedule(std::nan(""), 0, 1, 5)),
      WRONG("warmup_cosine_schedule: ", "a rate is inf", warmup_cosine_schedule(1, HUGE_VAL, 1, 5)),
      WRONG("cosine_schedule: ", "scalar", cosine_schedule(ones({2}), 0, 1, 5)),
      WRONG("warmup_cosine_schedule: ", "fewer", warmup_cosine_schedule(1, 1, 9, 5)),
  });
}

TEST(WrongCalls, OfDerivatives) {
  const Tensor x = ones({2});
  const auto nothing = [](const Tensor&) { return Tensor(); };
  const auto halves = [](const Tensor& y) { return std::pair(sum(y), Tensor()); };
  const auto twice = [](const Tensor& y) { return y + y; };
  const auto of_number = [](double number) { return 2.F * tensor(number); };
  const auto of_pair = [](const auto& pair) { return tensor(pair.second); };
  const auto [value, pullback] = vjp(twice)(x);
  expect_told({
      WRONG("the result of the function to differentiate", "never given", grad(nothing)(x)),
      WRONG("", "never given", vjp(nothing)(x)),
      WRONG("", "never given", jvp(nothing)(x, x)),
      WRONG("", "scalar", grad(twice)(x)),
      WRONG("", "not floating-point", grad(twice)(arange(2))),
      WRONG("", "never given", grad(twice)(Tensor())),
      WRONG("no derivative with respect to a C++ number", "tensor(x)", grad(of_number)(3.0)),
      WRONG("no derivative with respect to '1', a C++ number", "tensor(x)",
            vjp(of_pair)(std::pair(std::string("a"), 2.F))),
      WRONG("a derivative of 1 floating-point tensor", "cotangents have the dtypes",
            pullback(arange(2))),
      WRONG("", "f32[3]", pullback(ones({3}))),
  });
  EXPECT_FALSE(grad(halves)(x).second.defined());
}

TEST(WrongCalls, OfControlFlow) {
  const Tensor x = ones({2});
  using Branch = std::function<Tensor(const Tensor&)>;
  using Step = std::function<std::pair<Tensor, Tensor>(const Tensor&, const Tensor&)>;
  const auto same = [](const Tensor& y) { return y; };
  const auto more = [](const Tensor&) { return ones({3}); };
  const auto nothing = [](const Tensor&) { return Tensor(); };
  const auto step = [](const Tensor&, const Tensor&) { return Tensor(); };
  expect_told({
      WRONG("conditional: ", "no function to call",
            conditional(0, std::vector<Branch>{Branch()}, x)),
      WRONG("conditional: ", "no branch", conditional(0, std::vector<Branch>{}, x)),
      WRONG("cond: ", "", cond(true, same, more, x)),
      WRONG("", "never given", cond(true, same, nothing, x)),
      WRONG("cond: ", "no function to call", cond(true, Branch(), Branch(), x)),
      WRONG("for_loop: ", "no function to call",
            for_loop(2, std::function<Tensor(Tensor, Tensor)>(), x)),
      WRONG("scan: ", "no function to call", scan(Step(), x, x)),
      WRONG("compile: ", "no function to call", compile(Branch())),
      WRONG("checkpoint: ", "no function to call", checkpoint(Branch())),
      WRONG("custom_vjp: ", "no function to call", custom_vjp(Step(), more)),
      WRONG("custom_vjp: ", "no function to call", custom_vjp(more, Step())),
      WRONG("grad: ", "no function to call", grad(Branch())),
      WRONG("cond: ", "compare it", cond(0.5F, same, same, x)),
      WRONG("", "never given", for_loop(3, step, x)),
      WRONG("a loop of -3 steps", "", for_loop(-3, step, x)),
      WRONG("while_loop: ", "", while_loop(same, same, x)),
      WRONG("scan", "first axis",
            scan([](Tensor c, Tensor y) { return std::pair(c, y); }, x, tensor(1.F))),
  });
}

TEST(WrongCalls, OfCompiledFunctions) {
  auto nothing = compile([](const Tensor&) { return Tensor(); });
  auto pair = compile([](const Tensor& x) { return std::pair(x, Tensor()); });
  auto twice = compile([](const Tensor& x) { return x + x; });
  const Tensor x = ones({2});
  expect_told({
      WRONG("the result was never given a value", "", decltype(nothing)(nothing)(x)),
      WRONG("result '1' was never given a value", "", decltype(pair)(pair)(x)),
      WRONG("argument '0' was never given a value", "", decltype(twice)(twice)(Tensor())),
  });
  std::function<Tensor(const Tensor&)> again;
  auto endless = compile([&](const Tensor& y) { return again(y) + 1; });
  again = [&](const Tensor& y) { return endless(y); };
  expect_error<UsageError>([&] { endless(x); }, {"a compiled function calls itself"}, kNowhere);
}

TEST(WrongCalls, OfFiles) {
  const std::string none = "/no/such/folder/x";
  const TensorMap zero_byte = {{std::string("a\0b", 3), ones({1})}};
  expect_told({
      WRONG("", "/no/such/folder", load_tensors(none)),
      WRONG("", "/no/such/folder", load_npy(none)),
      WRONG("", "/no/such/folder", load_npz(none)),
      WRONG("save_npz: ", "zero byte", save_npz(zero_byte, "x.npz")),
      WRONG("", "/no/such/folder", save(std::map<std::string, Tensor>{{"w", ones({1})}}, none)),
      WRONG("", "/no/such/folder", save_npy(ones({1}), none)),
      WRONG("", "never given", save_npy(Tensor(), "/tmp/x.npy")),
  });
}

TEST(WrongCalls, OfGroupsAndMeshes) {
  const Group self({0});
  const DeviceMesh mesh({{"data", 2}, {"model", 2}});
  expect_told({
      WRONG("simulate: ", "no function", simulate(2, nullptr)),
      WRONG("simulate: ", "at least one", simulate(0, [](World&) {})),
      WRONG("", "rank 0", Group({0, 0})),
      WRONG("", "-1", Group({-1, 0})),
      WRONG("", "", Group(std::vector<std::int64_t>())),
      WRONG("a partition", "not 2 and 1",
            Group(std::vector<std::vector<std::int64_t>>{{0, 1}, {2}})),
      WRONG("", "time-out", self.with_timeout(std::chrono::milliseconds(-1))),
      WRONG("", "nowhere", self.with_backends("nowhere")),
      WRONG("", "name", self.named("")),
      WRONG("", "fastest", self.with_algorithm("fastest")),
      WRONG("", "dimension", DeviceMesh(std::vector<MeshDimension>())),
      WRONG("", "data", DeviceMesh({{"data", 0}})),
      WRONG("", "data", DeviceMesh({{"data", 2}, {"data", 2}})),
      WRONG("", "", DeviceMesh({{"data", 2}}, {0, 1, 2})),
      WRONG("", "data, model", mesh.size("pipe")),
      WRONG("", "data, model", mesh["pipe"]),
      WRONG("", "data, model", mesh.slice({"pipe"})),
      WRONG("", "data, model", mesh.coordinate("pipe")),
      WRONG("", "data, model", Group(mesh, "pipe")),
  });
}

TEST(WrongCalls, OfCollectives) {
  const Group self({0});
  const Group both({0, 1});
  const Tensor x = ones({2, 3});
  const Tensor truth = ones({2}, DType::boolean);
  const Tensor none;
  Tensor y = x;
  expect_told({
      WRONG("all_reduce: ", "rank 1", all_reduce(x, both)),
      WRONG("all_reduce: ", "bool", all_reduce(truth, self)),
      WRONG("all_reduce: ", "", all_reduce(arange(2), self, Reduce::mean)),
      WRONG("there is no reduction", "99", all_reduce(x, self, static_cast<Reduce>(99))),
      WRONG("this tensor", "never given", all_reduce(none, self)),
      WRONG("all_gather: ", "axis 5", all_gather(x, self, 5)),
      WRONG("all_gather: ", "", all_gather(x, self, 0, {7})),
      WRONG("gather: ", "", gather(x, self, 3)),
      WRONG("reduce: ", "", reduce(x, self, Reduce::sum, 3)),
      WRONG("reduce_scatter: ", "axis", reduce_scatter(x, self, Reduce::sum, 4)),
      WRONG("scatter: ", "", scatter(x, self, -1)),
      WRONG("broadcast: ", "", broadcast(x, self, 2)),
      WRONG("all_to_all: ", "", all_to_all(x, self, 9)),
      WRONG("all_to_all: ", "", all_to_all(x, self, {1, 1}, {2})),
      WRONG("collective_permute: ", "", collective_permute(x, self, {{0, 5}})),
      WRONG("scan_ranks: ", "", scan_ranks(truth, self)),
      WRONG("send: ", "", send(x, self, 4)),
      WRONG("recv: ", "", recv({2}, DType::f32, self, 4)),
      WRONG("recv: ", "dtype", recv({2}, kNoDType, self, 0)),
      WRONG("barrier: ", "rank 1", barrier(both)),
      WRONG("replicated()", "DeviceMesh", replicated(x, both)),
      WRONG("matmul", "",
            all_reduce(x, self, [](const Tensor& a, const Tensor& b) { return matmul(a, b); })),
  });
  expect_error<TypeError>([&] { all_gather_into_(y, ones({5}), self); }, {""});
  expect_error<UsageError>([&] { all_reduce_(y, both); }, {"rank 1"});
  Tensor unset;
  std::vector<Tensor> some;
  expect_error<UsageError>([&] { all_reduce_(unset, self); }, {"never given a value"});
  expect_error<UsageError>([&] { broadcast_(unset, self); }, {"never given a value"});
  expect_error<UsageError>([&] { all_gather_into_(y, unset, self); }, {"never given a value"});
  expect_error<UsageError>([&] { reduce_scatter_(y, {unset}, self); }, {"never given a value"});
  expect_error<UsageError>([&] { scatter_(y, {unset}, self); }, {"never given a value"});
  expect_error<UsageError>([&] { all_to_all_(some, {unset}, self); }, {"never given a value"});
  expect_error<UsageError>([&] { (void)(DistributedTensor() + DistributedTensor()); },
                           {"no value"});
}

}  // namespace
}  // namespace tutti::test::wrong_calls_test
