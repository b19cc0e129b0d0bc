#include <tutti/ir/verify/verify.h>
#include <tutti/lazy/signature.h>

#include <cstdlib>

#include "tests/lazy/lazy_testing.h"
#include "tests/support/command.h"
#include "tests/support/host_accelerator.h"

// Where tensors lie, with a GPU of ordinary memory: what is recorded, and how data comes and goes.
namespace tutti::test::device_test {
namespace {

constexpr Device kCpu = Device::cpu();
const Device kGpu = Device::cuda(0);

// Runs the body on one rank that makes tensors on such a GPU.
void on_gpu(const std::function<void(World&, HostAccelerator&)>& body, Device device = kGpu) {
  simulate(1,
           [&](World& world) {
             auto accelerator = std::make_unique<HostAccelerator>(kGpu);
             HostAccelerator& used = *accelerator;
             world.context()->runtime().use(std::move(accelerator));
             body(world, used);
           },
           {.threads = 1, .timeout = std::chrono::minutes(1), .device = device});
}

TEST(Devices, DataGoesThereAndComesBackByItself) {
  on_gpu([](World&, HostAccelerator& gpu) {
    const Tensor x = tensor({{1.F, 2.F}, {3.F, 4.F}});
    EXPECT_EQ(x.device(), kGpu);
    EXPECT_EQ(gpu.counts.copies_in, 1);
    EXPECT_EQ(x.to_vector<float>(), Floats({1, 2, 3, 4}));
    EXPECT_EQ(gpu.counts.copies_out, 1);
    std::ostringstream text;
    text << x;
    EXPECT_EQ(text.str(), "f32[2,2] [[1, 2],\n [3, 4]]");
    EXPECT_EQ(tensor(5.F).item<float>(), 5);
    EXPECT_EQ(tensor(std::initializer_list<float>{}).to_vector<float>(), Floats());
    EXPECT_EQ(default_device(), kGpu);
  });
}

TEST(Devices, TheHostIsTheDefault) {
  simulate(1, [](World&) {
    EXPECT_EQ(default_device(), kCpu);
    EXPECT_EQ(tensor({1.F}).device(), kCpu);
    EXPECT_EQ(zeros({2}).device(), kCpu);
  });
}

// The environment is read once, so another process reads it.
TEST(Devices, TheDefaultMayComeFromTheEnvironment) {
  const std::vector<std::string> again = {"/proc/self/exe",
                                          "--gtest_filter=Devices.TheHostIsTheDefault"};
  // That process has one test, and runs it.
  ::unsetenv("GTEST_TOTAL_SHARDS");
  ::unsetenv("GTEST_SHARD_INDEX");
  const auto output = [&](const char* device) {
    ::setenv("TUTTI_DEVICE", device, 1);
    const CommandResult result = run_command(again);
    ::unsetenv("TUTTI_DEVICE");
    return std::to_string(result.status) + "\n" + result.output;
  };
  EXPECT_THAT(output("cpu"), testing::StartsWith("0\n"));
  EXPECT_THAT(output("cuda:1"), testing::HasSubstr("Expected equality of these values"));
  EXPECT_THAT(output("gpu"),
              testing::HasSubstr("TUTTI_DEVICE=gpu is no device; write cpu, cuda or cuda:1"));
}

TEST(Devices, AViewOfHostMemoryStaysThere) {
  on_gpu([](World&, HostAccelerator& gpu) {
    Floats numbers = {1, 2};
    const Tensor x = view(numbers.data(), {2}, DType::f32);
    EXPECT_EQ(x.device(), kCpu);
    EXPECT_EQ(x.to_vector<float>(), numbers);
    EXPECT_EQ(gpu.counts.copies_in, 0);
    EXPECT_EQ(to(x, kGpu).device(), kGpu);
  });
}

TEST(Devices, WhatIsMadeFromNumbersLiesOnTheDefaultDevice) {
  on_gpu([](World& world, HostAccelerator&) {
    const Key key(7);
    for (const Tensor& x :
         {zeros({2}), ones({2}, DType::boolean), full({2}, 3), full({2}, 3.F, DType::f64),
          arange(4), iota({2, 2}, 0), key.value, normal({2}, key), uniform({2}, split(key)[0]),
          fold_in(key, 3).value, rank_index(world), sqrt(2.F), zeros_like(zeros({2})) + 1}) {
      EXPECT_EQ(x.device(), kGpu);
    }
    const Tensor on_host = to(zeros({2}), kCpu);
    EXPECT_EQ(on_host.device(), kCpu);
    EXPECT_EQ(full({3}, sum(on_host)).device(), kCpu);
  });
}

TEST(Devices, WhatIsReceivedLiesOnTheDefaultDeviceOrWithWhatIsSent) {
  const auto run = [] {
    simulate(2,
             [](World& world) {
               world.context()->runtime().use(std::make_unique<HostAccelerator>(kGpu));
               EXPECT_EQ(recv({2}, DType::f32, world, 1 - world.rank()).device(), kGpu);
               const Tensor host = to(ones({2}), kCpu);
               const auto batch = batch_send_recv({{host, 1 - world.rank()}},
                                                  {{{2}, DType::f32, 1 - world.rank()}}, world);
               EXPECT_EQ(batch[0].device(), kCpu);
               world.abort("nothing was sent");
             },
             {.threads = 1, .timeout = std::chrono::minutes(1), .device = kGpu});
  };
  EXPECT_THROW(run(), CommError);
}

TEST(Devices, WhatIsScatteredLiesWhereTheOutputDoes) {
  const auto run = [] {
    simulate(2,
             [](World& world) {
               world.context()->runtime().use(std::make_unique<HostAccelerator>(kGpu));
               Tensor output = to(ones({2}), kCpu);
               scatter_(output, {}, world, 1 - world.rank());
               EXPECT_EQ(output.device(), kCpu);
               world.abort("nothing was sent");
             },
             {.threads = 1, .timeout = std::chrono::minutes(1), .device = kGpu});
  };
  EXPECT_THROW(run(), CommError);
}

TEST(Devices, OpsComputeWhereTheirOperandsLieAndNumbersAdapt) {
  on_gpu(
      [](World& world, HostAccelerator&) {
        const Tensor h = tensor({1.F, 2.F});
        EXPECT_EQ(h.device(), kCpu);
        const Tensor x = to(h, kGpu);
        const Tensor y = clamp(2 * x + 1.5F, 0, 3.F);
        EXPECT_EQ(y.device(), kGpu);
        EXPECT_EQ(select(x > 1, x, 0).device(), kGpu);
        EXPECT_EQ(pad(x, {1}, {1}, 0.F).device(), kGpu);
        EXPECT_EQ(fold_in(Key(to(Key(1).value, kGpu)), 5).value.device(), kGpu);
        const AsyncTensor total = all_reduce(y, world);
        EXPECT_EQ(total.device(), kGpu);
        EXPECT_THAT(describe(total), testing::StartsWith("async f32[2] on cuda:0 from all_reduce"));
        const Tensor back = to(total, kCpu) + h;
        EXPECT_EQ(back.device(), kCpu);
        EXPECT_THAT(dump_ir(back), testing::HasSubstr("wait(%6) : f32[2] rep(world) on cuda:0"));
        EXPECT_EQ(to(h, kCpu).state(), h.state());
        EXPECT_EQ(to(1.F, kGpu).device(), kGpu);
        world.abort("this GPU cannot compute");
      },
      kCpu);
}

// Numbers and positions are made for what they meet.
TEST(Devices, CompositesLieWhereTheirOperandsLie) {
  on_gpu(
      [](World&, HostAccelerator&) {
        const Tensor x = to(tensor({{1.F, 2.F}, {3.F, 4.F}}), kGpu);
        const Tensor count = to(tensor(2), kGpu);
        const Key key(to(Key(1).value, kGpu));
        const Tensor narrow = cast(x, DType::bf16);
        for (const Tensor& y :
             {tril(x), triu(x), bernoulli({2}, key, 0.5), dropout(x, key, 0.5F),
              dropout(cast(x, DType::f64), key, 0.5F), nn::rotary(x, to(arange(2), kGpu)),
              reduce_window(narrow, WindowReduce::sum, 0, {2, 2}, {.padding = {1}}),
              set_at(sum(x), 2.F), set_at(x, 2.F, 0, Range{.step = 2}),
              attention(x, x, x, {.causal = true, .keys = count}),
              clip_by_global_norm(x, linear_schedule(tensor(2), 1, 2, 4)).first}) {
          EXPECT_EQ(y.device(), kGpu);
        }
        expect_error<TypeError>([&] { set_at(sum(x), tensor(2.F)); }, {"different devices"});
      },
      kCpu);
}

TEST(Devices, OptimisersTakeLeavesOfSeveral) {
  on_gpu(
      [](World&, HostAccelerator&) {
        const std::vector<Tensor> model = {tensor({1.F}), to(tensor({2.0}), kGpu),
                                           to(tensor({3.F}), kGpu)};
        const AdamW adam;
        const auto expect_there = [&](const AdamW::State& state, const Operand& rate) {
          const auto [next, later] = adam.update(model, model, state, rate);
          EXPECT_EQ(next[0].device(), kCpu);
          EXPECT_EQ(next[1].device(), kGpu);
          EXPECT_EQ(next[2].device(), kGpu);
          EXPECT_EQ(later.second[1].device(), kGpu);
        };
        AdamW::State state = adam.init(model);
        EXPECT_EQ(state.steps.size(), 2U);
        expect_there(state, 0.1F);
        expect_there(state, linear_schedule(2, 0, 1, 4));
        expect_there(state, linear_schedule(tensor(2), 0, 1, 4));
        state.steps.resize(1);  // as it was saved when one counted for all
        expect_there(state, 0.1F);
      },
      kCpu);
}

TEST(Devices, ATensorOfNumbersAdaptsNeitherBeforeNorAfterItIsComputed) {
  on_gpu(
      [](World&, HostAccelerator&) {
        const Tensor x = to(tensor({1.F, 2.F}), kGpu);
        const Tensor ones_here = full({2}, 1.F);
        expect_error<TypeError>([&] { x + ones_here; }, {"f32[2] on cuda:0", "f32[2] on cpu"});
        expect_error<TypeError>([&] { concat(std::vector{ones_here, x}, 0); },
                                {"concat: the operands"});
        eval(ones_here);
        expect_error<TypeError>([&] { x + ones_here; }, {"f32[2] on cuda:0", "f32[2] on cpu"});
        const Tensor keyed = normal({2}, Key(1));
        expect_error<TypeError>([&] { x* keyed; }, {"mul: the operands lie on different devices"});
        EXPECT_EQ(keyed.to_vector<float>().size(), 2U);
        expect_error<TypeError>([&] { x* keyed; }, {"mul: the operands lie on different devices"});
      },
      kCpu);
}

TEST(Devices, TheDefaultMayChangeWhileSomethingIsRecorded) {
  on_gpu(
      [](World&, HostAccelerator&) {
        const Tensor before = iota({4}, 0, DType::f32);
        set_default_device(kGpu);
        const Tensor after = iota({4}, 0, DType::f32);
        const Tensor key = Key(3).value;
        EXPECT_EQ(before.device(), kCpu);
        EXPECT_EQ(after.device(), kGpu);
        EXPECT_EQ(key.device(), kGpu);
        expect_error<TypeError>([&] { before + after; }, {"on cpu", "on cuda:0"});
        set_default_device(kCpu);
        EXPECT_EQ((before + 1).to_vector<float>(), Floats({1, 2, 3, 4}));
        EXPECT_EQ(after.device(), kGpu);
        EXPECT_THAT(dump_ir(after), testing::HasSubstr("to_device(%0) {device = \"cuda:0\"}"));
        EXPECT_THROW(set_default_device(Device::any()), UsageError);
        EXPECT_THROW(to(before, Device::any()), UsageError);
      },
      kCpu);
}

TEST(Devices, GradientsLieWhereTheirTensorsLie) {
  on_gpu(
      [](World&, HostAccelerator&) {
        const Tensor x = to(tensor({1.F, 2.F}), kGpu);
        const Tensor h = tensor({3.F, 4.F});
        const auto loss = [](const std::pair<Tensor, Tensor>& both) {
          return sum(to(exp(both.first), kCpu) * both.second) * 0.5F;
        };
        const auto [dx, dh] = grad(loss)(std::pair(x, h));
        EXPECT_EQ(dx.device(), kGpu);
        EXPECT_EQ(dh.device(), kCpu);
      },
      kCpu);
}

// Values without a handle may lie anywhere: a gradient's iota, say.
TEST(Devices, WhatIsLeftOfATraceNeedsNoDataOfAnotherDevice) {
  on_gpu(
      [](World& world, HostAccelerator&) {
        detail::Trace& trace = world.context()->trace();
        const Tensor x = to(tensor({1.F, 2.F}), kGpu);
        const ir::Value both = trace.builder().constant(Array::scalar(2.F));
        const Tensor here(trace.handle(trace.builder().add(ir::Op::neg, {both}), {}));
        const Tensor there(trace.handle(
            trace.builder().add(ir::Op::mul, {trace.value_of(*x.state(), {}), both}), {}));
        EXPECT_EQ(here.item<float>(), -2);
        const detail::StatePtr state = there.state();
        const ir::Graph rest = world.context()->extract(std::span(&state, 1));
        ir::verify(rest);
        EXPECT_EQ(rest.parameters().size(), 1U);
        EXPECT_EQ(there.device(), kGpu);
      },
      kCpu);
}

TEST(Devices, AreNotMixedInOneLaunchOfATree) {
  on_gpu(
      [](World& world, HostAccelerator&) {
        const std::vector<Tensor> tree = {tensor({1.F}), to(tensor({2.F}), kGpu), tensor({3.F})};
        const std::vector<Tensor> totals = all_reduce(tree, world);
        EXPECT_EQ(totals[0].device(), kCpu);
        EXPECT_EQ(totals[1].device(), kGpu);
        EXPECT_EQ(totals[2].device(), kCpu);
        world.abort("this GPU cannot compute");
      },
      kCpu);
}

TEST(Devices, TensorsOnAGpuAreMarkedAsReplicatedByTheirData) {
  simulate(2,
           [](World& world) {
             world.context()->runtime().use(std::make_unique<HostAccelerator>(kGpu));
             const Tensor same = replicated(tensor({1.F, 2.F}), world);
             EXPECT_EQ(same.device(), kGpu);
             EXPECT_EQ(same.to_vector<float>(), Floats({1, 2}));
             const Group all = world.split(0);
             EXPECT_EQ(all.data()->size(), 2);
             EXPECT_THROW(replicated(tensor({static_cast<float>(world.rank())}), world),
                          UsageError);
           },
           {.threads = 1, .timeout = std::chrono::minutes(1), .device = kGpu});
}

TEST(Devices, ArePartOfASignature) {
  on_gpu([](World&, HostAccelerator&) {
    const auto signature = [](const Tensor& x) {
      detail::CompiledFunction::Arguments arguments;
      arguments.tensors = {x.state()};
      detail::add_signature(detail::RankContext::current(), arguments, false);
      return std::pair(arguments.key, detail::signature_of(arguments, {{"0"}, {}, {}}, false));
    };
    const Tensor x = tensor({1.F, 2.F});
    const Tensor h = to(x, kCpu);
    const auto [gpu_key, gpu_text] = signature(x);
    const auto [host_key, host_text] = signature(h);
    EXPECT_NE(gpu_key, host_key);
    EXPECT_NE(gpu_key, signature(to(x, Device::cuda(1))).first);
    EXPECT_EQ(gpu_key, signature(tensor({1.F, 2.F})).first);
    EXPECT_EQ(detail::difference(host_text, gpu_text), "argument 0 is on cuda:0, was on cpu");
    EXPECT_EQ(detail::difference(gpu_text, host_text), "argument 0 is on cpu, was on cuda:0");
    EXPECT_EQ(detail::difference(gpu_text, signature(tensor({1.F})).second),
              "0: f32[2] on cuda:0 became 0: f32[1] on cuda:0");
    set_default_device(kCpu);
    const auto [later_key, later_text] = signature(x);
    EXPECT_NE(gpu_key, later_key);
    EXPECT_EQ(detail::difference(gpu_text, later_text), "new tensors are on the host");
    EXPECT_EQ(detail::difference(later_text, gpu_text), "new tensors on cuda:0");
  });
}

TEST(Devices, OfNumbersOfACompiledFunctionAreAny) {
  on_gpu([](World&, HostAccelerator&) {
    set_default_device(kCpu);
    CompiledGraphs compiled;
    auto f = compile([](const Tensor& x, float rate) { return x * rate + full({2}, rate); });
    EXPECT_EQ(f(tensor({1.F, 2.F}), 2.F).to_vector<float>(), Floats({4, 6}));
    EXPECT_THAT(f.ir(), testing::HasSubstr("%a1: f32[] rep(*)"));
    EXPECT_TRUE(compiled.last().type(compiled.last().parameters()[1].value).device.is_any());
  });
}

}  // namespace
}  // namespace tutti::test::device_test
