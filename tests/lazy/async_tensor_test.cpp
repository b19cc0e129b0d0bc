// What one may do with a result that is still under way, and what waits for it.

#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <thread>

#include "tests/lazy/lazy_testing.h"

namespace tutti::test::async_tensor_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Lets threads pass once somebody has opened it.
class Gate {
 public:
  void open() {
    const std::scoped_lock lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }
  void pass() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return open_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = false;
};

// The other rank completes what this one has started and never waited for, while this one computes:
// small ones and those that are shared out in chunks.
TEST(AsyncTensor, IsCompletedByAPeerWhileThisRankComputesInEagerMode) {
  for (const std::int64_t size : {2, 1 << 20}) {
    Gate started;
    Gate completed;
    simulate(2, [&](World& world) {
      world.set_eager(true);
      const Group group = Group(world).named("sum");  // called from two lines
      const Tensor x = full({size}, static_cast<float>(world.rank() + 1));
      if (world.rank() == 1) {
        started.pass();
        EXPECT_EQ(all_reduce(x, group).to_vector<float>(),
                  Floats(static_cast<std::size_t>(size), 3));
        completed.open();
        return;
      }
      const AsyncTensor sum = all_reduce(x, group);
      EXPECT_FALSE(sum.is_ready());
      started.open();
      const Tensor computed = x * 3.F + 1.F;
      EXPECT_EQ(computed.to_vector<float>(), Floats(static_cast<std::size_t>(size), 4));
      completed.pass();
      EXPECT_EQ(sum.to_vector<float>(), Floats(static_cast<std::size_t>(size), 3));
    });
  }
}

// Two collectives are in flight, since the other rank has not come, and still this rank computes.
TEST(AsyncTensor, CallsReturnBeforeThePeersHaveComeInEagerMode) {
  Gate gate;
  simulate(2, [&](World& world) {
    world.set_eager(true);
    const Tensor x = tensor({1.F, 2.F});
    if (world.rank() == 1) gate.pass();
    const AsyncTensor sum = all_reduce(x, world);
    const AsyncTensor all = all_gather(x, world);
    if (world.rank() == 0) {
      const Tensor computed = x * 3.F + 1.F;
      EXPECT_EQ(computed.to_vector<float>(), Floats({4, 7}));
      EXPECT_THAT(describe(sum), HasSubstr("under way"));
      EXPECT_THAT(describe(all), HasSubstr("under way"));
      EXPECT_FALSE(sum.is_ready());
      EXPECT_FALSE(all.is_ready());
      gate.open();
    }
    EXPECT_EQ(sum.to_vector<float>(), Floats({2, 4}));
    EXPECT_EQ(all.to_vector<float>(), Floats({1, 2, 1, 2}));
    EXPECT_TRUE(sum.is_ready());
    EXPECT_THAT(describe(sum), HasSubstr("complete"));
  });
}

// In-place collectives of eager mode, too: the handle is a Tensor, and nobody waits for it.
TEST(AsyncTensor, InPlaceCollectivesOverlapInEagerMode) {
  Gate gate;
  simulate(2, [&](World& world) {
    world.set_eager(true);
    Tensor x = tensor({1.F, 2.F});
    const Tensor before = x;
    if (world.rank() == 1) gate.pass();
    all_reduce_(x, world);
    if (world.rank() == 0) {
      EXPECT_EQ((before * 3.F).to_vector<float>(), Floats({3, 6}));
      gate.open();
    }
    EXPECT_EQ(x.to_vector<float>(), Floats({2, 4}));
  });
}

TEST(AsyncTensor, MetadataAndViewsNeverWait) {
  Gate gate;
  simulate(2, [&](World& world) {
    world.set_eager(true);
    const Tensor x = iota({2, 3}, 1, DType::f32);
    if (world.rank() == 1) gate.pass();
    const AsyncTensor sum = all_reduce(x, world);
    EXPECT_EQ(sum.shape(), Shape({2, 3}));
    EXPECT_EQ(sum.dtype(), DType::f32);
    EXPECT_EQ(sum.device(), Device::cpu());
    const AsyncTensor turned = transpose(sum);
    const AsyncTensor row = slice(turned, {{.start = 2}});
    const AsyncTensor line = squeeze(reverse(expand_dims(reshape(row, {-1}), {0}), {1}));
    const AsyncTensor wide = broadcast_to(line, {4, 2});
    EXPECT_EQ(turned.shape(), Shape({3, 2}));
    EXPECT_EQ(turned.size(0), 3);
    EXPECT_EQ(sum.size(-1), 3);
    EXPECT_EQ(sum.elements(), 6);
    EXPECT_EQ(row.shape(), Shape({1, 2}));
    EXPECT_EQ(line.shape(), Shape({2}));
    EXPECT_THAT(describe(wide), HasSubstr("f32[4,2] from all_reduce over world"));
    if (world.rank() == 0) {
      EXPECT_FALSE(wide.is_ready());
      gate.open();
    }
    EXPECT_EQ(line.to_vector<float>(), Floats({4, 4}));
    EXPECT_EQ(wide.wait().shape(), Shape({4, 2}));
    EXPECT_EQ(turned.to_vector<float>(), Floats({0, 0, 2, 2, 4, 4}));
    EXPECT_EQ(sum.to_vector<float>(), Floats({0, 2, 4, 0, 2, 4}));
  });
}

TEST(AsyncTensor, MistakesInViewsAreFoundAtTheCall) {
  simulate(1, [](World& world) {
    const AsyncTensor sum = all_reduce(zeros({2, 3}), world);
    expect_error<TypeError>([&] { reshape(sum, {4}); }, {"reshape", "f32[2,3]"});
    expect_error<TypeError>([&] { transpose(sum, {0, 2}); }, {"transpose"});
    expect_error<TypeError>([&] { squeeze(sum, 0); }, {"squeeze"});
    expect_error<TypeError>([&] { sum.size(2); }, {"size: dimension 2 of", "f32[2,3]"});
    expect_error<TypeError>([&] { sum[2]; }, {"f32[2,3]"});
  });
}

TEST(AsyncTensor, PartsWaitForIt) {
  simulate(2, [](World& world) {
    const AsyncTensor sum = all_reduce(iota({2, 3}, 1, DType::f32), world);
    EXPECT_EQ(sum[1].to_vector<float>(), Floats({0, 2, 4}));
    EXPECT_EQ(transpose(sum)[-1][0].item<float>(), 4);
  });
}

TEST(AsyncTensor, ViewsShareOneWait) {
  auto f = compile([](const Tensor& x) {
    const AsyncTensor sum = all_gather(x, {0, 1});
    const AsyncTensor flat = reshape(sum, {-1});
    return sum * 2.F + reshape(flat, {2, 2}) + reshape(transpose(sum), {2, 2});
  });
  const std::string ir = f.lower({.world = 2}, abstract({1, 2})).ir();
  EXPECT_NE(ir.find("wait("), std::string::npos);
  EXPECT_EQ(ir.find("wait("), ir.rfind("wait(")) << ir;
}

TEST(AsyncTensor, TheWaitStandsBeforeTheFirstConsumer) {
  auto f = compile([](const Tensor& x) {
    const AsyncTensor sum = all_reduce(x, {0, 1});
    const Tensor other = exp(x);
    const Tensor first = sum * 2.F;
    return std::tuple(first, other, sum + 1.F);
  });
  const std::string ir = f.lower({.world = 2}, abstract({4})).ir();
  const std::size_t start = ir.find("all_reduce(");
  const std::size_t independent = ir.find("exp(");
  const std::size_t wait = ir.find("wait(");
  const std::size_t consumer = ir.find("mul(");
  EXPECT_LT(start, independent) << ir;
  EXPECT_LT(independent, wait) << ir;
  EXPECT_LT(wait, consumer) << ir;
  EXPECT_EQ(wait, ir.rfind("wait(")) << ir;
}

TEST(AsyncTensor, LiesInContainersStructsAndTuples) {
  struct Pair {
    AsyncTensor sum;
    Tensor plain;
    TUTTI_FIELDS(sum, plain)
  };
  simulate(2, [](World& world) {
    const Tensor x = tensor({1.F});
    std::map<std::string, std::vector<Pair>> tree;
    tree["a"].push_back({all_reduce(x, world), x});
    tree["a"].push_back({all_reduce(2 * x, world), x});
    std::optional<std::tuple<AsyncTensor, Tensor>> more = std::tuple(all_reduce(3 * x, world), x);
    wait_all(tree);
    wait_all(more);
    EXPECT_TRUE(tree["a"][1].sum.is_ready());
    EXPECT_EQ(tree["a"][1].sum.item<float>(), 4);
    EXPECT_EQ(leaves(tree)[2].first, "a.1.sum");
    EXPECT_EQ(std::get<0>(*more).item<float>(), 6);
    const std::vector<AsyncTensor> several = {all_reduce(x, world), all_reduce(x + 1, world)};
    wait_all(several);
    EXPECT_EQ(several[1].item<float>(), 4);
  });
}

// The other rank comes when the function that takes it has been called.
TEST(AsyncTensor, GoesIntoAndComesOutOfCompiledFunctionsUnderWay) {
  Gate gate;
  simulate(2, [&](World& world) {
    world.set_eager(true);
    auto start = compile([&](const Tensor& x) { return all_reduce(2 * x, world); });
    auto finish = compile([&](const AsyncTensor& x, const Tensor& y) {
      if (world.rank() == 0) gate.open();
      return x + y;
    });
    const Tensor x = tensor({1.F});
    if (world.rank() == 1) gate.pass();
    const AsyncTensor under_way = start(x);
    EXPECT_TRUE(world.rank() == 1 || !under_way.is_ready());
    EXPECT_EQ(finish(under_way, x).item<float>(), 5);
    EXPECT_EQ(finish(reshape(under_way, {1, 1}), x).item<float>(), 5);
  });
}

// The other rank comes only when it has got what the function sends before it uses its argument.
TEST(AsyncTensor, IsWaitedForWhereACompiledFunctionUsesIt) {
  simulate(2,
           [](World& world) {
             world.set_eager(true);
             const Group group = Group(world).named("sum");  // called from two lines
             const Tensor x = tensor({1.F});
             auto f = compile([&](const AsyncTensor& a, const Tensor& b, const Tensor& y) {
               send(y * 2.F, world, 1);
               return std::pair(a + b * y, b + 1.F);
             });
             for (int call = 0; call < 3; ++call) {
               if (world.rank() == 1) {
                 EXPECT_EQ(recv({1}, DType::f32, world, 0).item<float>(), 14);
                 EXPECT_EQ(all_reduce(x * 2.F, group).item<float>(), 3);
                 continue;
               }
               const AsyncTensor a = all_reduce(x, group);
               const auto [sum, more] = f(a, a, tensor({7.F}));
               EXPECT_EQ(sum.item<float>(), 3 + 3 * 7);
               EXPECT_EQ(more.item<float>(), 4);
               EXPECT_EQ(Tensor(a).item<float>(), 3);
             }
           },
           {.threads = 1, .timeout = std::chrono::seconds(30)});
}

TEST(AsyncTensor, LeavesACompiledFunctionThatOnlyPassesItOnUnderWay) {
  Gate gate;
  simulate(2, [&](World& world) {
    world.set_eager(true);
    auto f = compile([](const AsyncTensor& a, const Tensor& y) { return std::pair(a, y * 2.F); });
    const Tensor x = tensor({1.F});
    for (int call = 0; call < 3; ++call) {
      if (world.rank() == 1) gate.pass();
      const AsyncTensor a = all_reduce(x, world);
      const auto [same, twice] = f(a, x);
      EXPECT_EQ(twice.item<float>(), 2);
      EXPECT_TRUE(call > 0 || world.rank() == 1 || !same.is_ready());
      gate.open();
      EXPECT_EQ(Tensor(same).item<float>(), 2);
      EXPECT_EQ(Tensor(a).item<float>(), 2);
    }
  });
}

// Of any kind, of a result of the function and of an argument; the other rank comes afterwards.
TEST(AsyncTensor, LeavesACompiledFunctionAsAViewUnderWay) {
  Gate gate;
  simulate(2, [&](World& world) {
    world.set_eager(true);
    auto f = compile([&](const AsyncTensor& a, const Tensor& x) {
      const AsyncTensor sum = all_reduce(x, world);
      return std::tuple(transpose(sum, {1, 0}),
                        slice(reverse(transpose(sum, {1, 0}), {0}), {{1, 3}}), transpose(a, {1, 0}),
                        sum);
    });
    const Tensor x = tensor({{1.F, 2.F, 3.F}, {4.F, 5.F, 6.F}});
    for (int call = 0; call < 3; ++call) {
      if (world.rank() == 1 && call == 0) gate.pass();
      const AsyncTensor a = all_reduce(x * 10.F, world);
      const auto [turned, cut, argument, sum] = f(a, x);
      if (world.rank() == 0 && call == 0) {
        EXPECT_FALSE(turned.is_ready());
        EXPECT_FALSE(cut.is_ready());
        EXPECT_FALSE(argument.is_ready());
        EXPECT_EQ(turned.shape(), Shape({3, 2}));
        EXPECT_EQ(cut.shape(), Shape({2, 2}));
        gate.open();
      }
      EXPECT_THAT(turned.to_vector<float>(), ElementsAre(2, 8, 4, 10, 6, 12));
      EXPECT_THAT(cut.to_vector<float>(), ElementsAre(4, 10, 2, 8));
      EXPECT_THAT(argument.to_vector<float>(), ElementsAre(20, 80, 40, 100, 60, 120));
      EXPECT_THAT(sum.to_vector<float>(), ElementsAre(2, 4, 6, 8, 10, 12));
    }
  });
}

// What is no view alone, or was waited for inside, is the program's.
TEST(AsyncTensor, WhatACompiledFunctionComputesOfItIsComputedInside) {
  simulate(2, [&](World& world) {
    auto f = compile([&](const Tensor& x) {
      const AsyncTensor turned = transpose(all_reduce(x, world), {1, 0});
      const Tensor used = turned * 2.F;
      return std::tuple(turned, turned.then([x](const Tensor& t) { return t + sum(x); }), used);
    });
    // Computing the second leaves the first as it is.
    auto g = compile([&](const Tensor& x) {
      const AsyncTensor turned = transpose(all_reduce(x, world), {1, 0});
      return std::pair(turned, turned.then([](const Tensor& t) { return t + 1.F; }));
    });
    const Tensor x = tensor({{1.F, 2.F}, {3.F, 4.F}});
    for (int call = 0; call < 2; ++call) {
      const auto [turned, more, used] = f(x);
      EXPECT_THAT(turned.to_vector<float>(), ElementsAre(2, 6, 4, 8));
      EXPECT_THAT(more.to_vector<float>(), ElementsAre(12, 16, 14, 18));
      EXPECT_THAT(used.to_vector<float>(), ElementsAre(4, 12, 8, 16));
      const auto [first, second] = g(x);
      EXPECT_THAT(first.to_vector<float>(), ElementsAre(2, 6, 4, 8));
      EXPECT_THAT(second.to_vector<float>(), ElementsAre(3, 7, 5, 9));
    }
  });
}

TEST(AsyncTensor, ThatFailsAsAnArgumentFailsTheCallAndItsCollectives) {
  simulate(2, [](World& world) {
    world.set_eager(true);
    auto f = compile([&](const AsyncTensor& a) { return all_reduce(a * 2.F, world); });
    const Group own({0, 1}, "other");
    const AsyncTensor a =
        world.rank() == 0 ? all_reduce(tensor({1.F}), own) : all_reduce(tensor({1.F, 2.F}), own);
    EXPECT_THROW(f(a).to_vector<float>(), CommError);
  });
}

TEST(AsyncTensor, DroppedWithoutAWaitItStillTakesPlace) {
  simulate(3, [](World& world) {
    for (int i = 0; i < 100; ++i) {
      all_reduce(full({1000}, 1.F), world);
      reshape(all_gather(tensor({1.F}), world), {3, 1});
    }
    EXPECT_EQ(all_reduce(tensor({1.F}), Group({0, 1, 2}, "other")).item<float>(), 3);
  });
}

TEST(AsyncTensor, CallsBackWhenItIsReady) {
  simulate(2, [](World& world) {
    std::vector<float> seen;
    const Tensor x = tensor({1.F});
    const AsyncTensor sum = all_reduce(x, world);
    const AsyncTensor all = all_gather(x, world);
    sum.on_ready([&](const Tensor& value) { seen.push_back(value.item<float>()); });
    all.on_ready([&](const Tensor& value) {
      seen.push_back(tutti::sum(value * 2.F).item<float>());
      all.on_ready([&](const Tensor&) { seen.push_back(20); });
    });
    wait_all(std::vector<AsyncTensor>{sum, all});
    EXPECT_TRUE(sum.is_ready());
    world.close();
    EXPECT_EQ(seen, Floats({2, 4, 20}));
  });
}

// Ranks notice at different times.
TEST(AsyncTensor, CallbacksCallNoCollectives) {
  simulate(2, [](World& world) {
    const Tensor x = tensor({1.F});
    const AsyncTensor sum = all_reduce(x, world);
    sum.on_ready([&](const Tensor&) {
      expect_error<UsageError>([&] { all_reduce(x, world); }, {"callback", "all_reduce"});
    });
    EXPECT_EQ(sum.item<float>(), 2);
    EXPECT_TRUE(sum.is_ready());
  });
}

TEST(AsyncTensor, CallbacksMayCallCompiledFunctions) {
  simulate(2, [](World& world) {
    auto step = compile([](const Tensor& t, float factor) { return t * factor; });
    float seen = 0;
    const AsyncTensor total = all_reduce(tensor({1.F}), world);
    total.on_ready([&](const Tensor& t) { seen = step(t, 3.F).item<float>(); });
    EXPECT_EQ(step(tensor({5.F}), 2.F).item<float>(), 10);
    wait_all(total);
    EXPECT_TRUE(total.is_ready());
    EXPECT_EQ(seen, 6);
  });
}

TEST(AsyncTensor, CallbacksMayAssignWhatIsBeingRead) {
  const AsyncTensor total = all_reduce(ones({}), Group({0}));
  Tensor t = zeros({});
  total.on_ready([&](const Tensor& value) { t = broadcast_to(value + 1.F, {3}); });
  const auto read = t.host<float>();
  EXPECT_EQ(read.shape(), Shape());
  EXPECT_EQ(read[0], 0);
  EXPECT_EQ(t.to_vector<float>(), Floats({2, 2, 2}));
  AsyncTensor sum = all_reduce(ones({}), Group({0}));
  sum.on_ready([&](const Tensor&) { sum = AsyncTensor(); });
  compile([](const Tensor& x) { return x + 1.F; })(ones({}));  // issues it and calls nobody back
  EXPECT_TRUE(sum.is_ready());
  EXPECT_FALSE(sum.defined());
}

// What is lost before it was issued, nobody has waited for.
TEST(AsyncTensor, CallsBackForWhatWasLost) {
  simulate(2, [](World& world) {
    if (world.rank() == 1) return;  // a rank that waited would make this one issue what it records
    const Group group({0, 1}, "group");
    group.abort("no more");
    const AsyncTensor total = all_reduce(tensor({1.F}), group);
    bool failed = false;
    total.on_ready([&](const Tensor& t) {
      try {
        t.array();
      } catch (const CommError&) {
        failed = true;
      }
    });
    EXPECT_THROW(barrier(Group({0}, "alone")), CommError);
    EXPECT_THROW(total.is_ready(), CommError);
    EXPECT_THAT(describe(total), HasSubstr("lost"));
    EXPECT_TRUE(failed);
  });
}

TEST(AsyncTensor, ThenMayUseOtherTensors) {
  simulate(2, [](World& world) {
    const Tensor k = tensor({3.F});
    const AsyncTensor total = all_reduce(tensor({1.F}), world);
    EXPECT_EQ(total.then([k](const Tensor& t) { return t * k; }).item<float>(), 6);
  });
}

TEST(AsyncTensor, ThenMayUseWhatIsUnderWay) {
  simulate(2, [](World& world) {
    const AsyncTensor a = all_reduce(tensor({1.F}), world);
    const AsyncTensor b = all_reduce(tensor({2.F}), world);
    EXPECT_EQ(a.then([b](const Tensor& t) { return t * b; }).item<float>(), 8);
  });
}

TEST(AsyncTensor, ThereIsNothingToReadInThen) {
  simulate(2, [](World& world) {
    const AsyncTensor total = all_reduce(tensor({1.F}), world);
    expect_error<UsageError>(
        [&] { total.then([](const Tensor& t) { return t * t.item<float>(); }); },
        {"no data to read"}, kNowhere);
    EXPECT_EQ(total.item<float>(), 2);
  });
}

TEST(AsyncTensor, WhatIsRecordedCallsNobodyBack) {
  simulate(1, [](World& world) {
    auto f = compile([&](const Tensor& x) {
      const AsyncTensor sum = all_reduce(x, Group(world));
      sum.on_ready([](const Tensor&) {});
      return Tensor(sum);
    });
    expect_error<UsageError>([&] { f(tensor({1.F})); }, {"no data to read"}, __LINE__ - 3);
  });
}

TEST(AsyncTensor, CallsBackForAFailureToo) {
  simulate(2, [](World& world) {
    bool failed = false;
    const AsyncTensor sum = all_reduce(tensor({1.F}), Group({0, 1}, "group"));
    sum.on_ready([&](const Tensor& value) {
      try {
        value.item<float>();
      } catch (const CommError&) {
        failed = true;
      }
    });
    Group({0, 1}, "group").abort("no more");
    EXPECT_THROW(sum.item<float>(), CommError);
    try {
      world.close();
    } catch (const CommError&) {
      // Whether somebody was told already is not the point here.
    }
    EXPECT_TRUE(failed);
  });
}

TEST(AsyncTensor, IsReadyNeverIssuesAnything) {
  simulate(1, [](World& world) {  // of more ranks one may be waited for, and issue what it has
    const AsyncTensor sum = all_reduce(tensor({1.F}), world);
    for (int i = 0; i < 10; ++i) EXPECT_FALSE(sum.is_ready());
    EXPECT_THAT(describe(sum), HasSubstr("recorded"));
    EXPECT_EQ(sum.item<float>(), 1);
    EXPECT_TRUE(sum.is_ready());
  });
}

TEST(AsyncTensor, IsWaitedForByTheThreadOfItsRankAlone) {
  Tensor outlives;
  simulate(2, [&](World& world) {
    const AsyncTensor async = all_reduce(tensor({1.F}), world);
    const Tensor waited = all_reduce(tensor({2.F}), world);
    const Tensor last = all_reduce(tensor({3.F}), world);
    eval(tensor({4.F}) + 1.F);  // starts them
    ASSERT_TRUE(computed(waited));
    std::thread([&] {
      const std::vector<std::string> parts = {"another rank or thread", "world.attach()"};
      expect_error<UsageError>([&] { waited.item<float>(); }, parts);
      expect_error<UsageError>([&] { eval(waited); }, parts);
      expect_error<UsageError>([&] { async.wait(); }, parts);
    }).join();
    EXPECT_EQ(async.item<float>(), 2);
    EXPECT_EQ(waited.item<float>(), 4);
    std::thread([&] { EXPECT_EQ(waited.item<float>(), 4); }).join();
    if (world.rank() == 0) outlives = last;
  });
  EXPECT_EQ(outlives.item<float>(), 6);
}

}  // namespace
}  // namespace tutti::test::async_tensor_test
