#include <algorithm>
#include <array>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "tests/lazy/lazy_testing.h"

// Calls that meet come from one source position, or bear one name.
namespace tutti::test::call_sites_test {
namespace {

constexpr SimulateOptions kQuickly = {.threads = 1, .timeout = std::chrono::seconds(20)};

// What the body throws on each of two ranks; empty where nothing.
std::array<std::string, 2> thrown(const std::function<void(World&)>& body,
                                  SimulateOptions options = kQuickly) {
  std::array<std::string, 2> out;
  simulate(
      2,
      [&](World& world) {
        try {
          body(world);
        } catch (const CommError& error) {
          out[static_cast<std::size_t>(world.rank())] = error.what();
        }
      },
      options);
  return out;
}

void expect_mismatch(const std::array<std::string, 2>& said) {
  for (const std::string& text : said) {
    EXPECT_THAT(text, testing::HasSubstr("two places of the program"));
    EXPECT_THAT(text, testing::HasSubstr("group.named("));
    EXPECT_THAT(text, testing::HasSubstr("programs_differ()"));
  }
}

void expect_none(const std::array<std::string, 2>& said) {
  for (const std::string& text : said) EXPECT_EQ(text, "");
}

// Two gradients of one shape that one rank adds up in the other order.
void swapped(World& world, const Group& first, const Group& second) {
  const auto rank = static_cast<float>(world.rank());
  const Tensor p = full({4}, 1.F + rank);
  const Tensor q = full({4}, 100.F + rank);
  AsyncTensor a, b;
  if (rank == 0) {
    a = all_reduce(p, first);
    b = all_reduce(q, second);
  } else {
    b = all_reduce(q, second);
    a = all_reduce(p, first);
  }
  EXPECT_EQ(a.to_vector<float>()[0], 3);
  EXPECT_EQ(b.to_vector<float>()[0], 201);
}

TEST(CallSites, SwappedCallsOfOneTypeAreAMismatchWithBothLines) {
  const auto said = thrown([](World& world) { swapped(world, world, world); });
  expect_mismatch(said);
  for (const std::string& text : said) {
    EXPECT_THAT(text, testing::ContainsRegex("rank 0 calls all_reduce sum f32\\[4\\] "
                                             "\\(call_sites_test.cpp:[0-9]+\\), rank 1 calls "
                                             "all_reduce sum f32\\[4\\] \\(call_sites_test.cpp"));
  }
}

TEST(CallSites, SwappedCallsOfOneLineAreAMismatch) {
  expect_mismatch(thrown([](World& world) {
    const bool first = world.rank() == 0;
    // clang-format off
    const Tensor x = tensor({1.F});
    const AsyncTensor a = first ? all_reduce(x, world) : all_reduce(x + 1.F, world);
    // clang-format on
    a.item<float>();
  }));
}

TEST(CallSites, SwappedNamesAreAMismatchAtOnePosition) {
  const auto said = thrown([](World& world) {
    for (const bool first : {world.rank() == 0, world.rank() != 0}) {
      all_reduce(tensor({1.F}), Group(world).named(first ? "w1" : "w2")).item<float>();
    }
  });
  expect_mismatch(said);
  for (const std::string& text : said) {
    EXPECT_THAT(text, testing::HasSubstr("all_reduce sum f32[1] named \"w1\""));
    EXPECT_THAT(text, testing::HasSubstr("all_reduce sum f32[1] named \"w2\""));
  }
}

TEST(CallSites, OneNameInTwoBranchesIsOneCall) {
  expect_none(thrown([](World& world) {
    const Group named = Group(world).named("total");
    const Tensor x = tensor({1.F});
    const AsyncTensor total = world.rank() == 0 ? all_reduce(x * 2.F, named) : all_reduce(x, named);
    EXPECT_EQ(total.item<float>(), 3);
  }));
}

TEST(CallSites, RanksOfDifferentProgramsAreNotCompared) {
  const auto body = [](World& world, const Group& group) {
    const Tensor x = tensor({1.F});
    const AsyncTensor total = world.rank() == 0 ? all_reduce(x * 2.F, group) : all_reduce(x, group);
    EXPECT_EQ(total.item<float>(), 3);
  };
  expect_none(thrown([&](World& world) { body(world, Group(world).programs_differ()); }));
  SimulateOptions differ = kQuickly;
  differ.programs_differ = true;
  expect_none(thrown([&](World& world) { body(world, world); }, differ));
  expect_none(thrown([&](World& world) { body(world, Group({0, 1}, "other")); }, differ));
}

TEST(CallSites, ThatProgramsDifferIsSaidByAllRanksOrByNone) {
  for (const std::string& text : thrown([](World& world) {
         const Group group = world.rank() == 0 ? Group(world).programs_differ() : Group(world);
         all_reduce(tensor({1.F}), group).item<float>();
       })) {
    EXPECT_THAT(text, testing::HasSubstr("does not match"));
    EXPECT_THAT(text, testing::HasSubstr("programs_differ()"));
  }
}

TEST(CallSites, TheRootOfARootedKindMayStandInABranchOfItsOwn) {
  expect_none(thrown([](World& world) {
    const bool root = world.rank() == 1;
    Tensor x = tensor({7.F});
    x = root ? broadcast(x, world, 1) : broadcast(zeros({1}), world, 1);
    EXPECT_EQ(x.item<float>(), 7);
    x = root ? reduce(x, world, Reduce::sum, 1) : reduce(x * 2.F, world, Reduce::sum, 1);
    EXPECT_EQ(x.item<float>(), root ? 21 : 0);
    x = root ? scatter(tensor({1.F, 2.F}), world, 1) : scatter(zeros({2}), world, 1);
    EXPECT_EQ(x.item<float>(), root ? 2 : 1);
    root ? eval(gather(x, world, 1)) : eval(gather(x + 1.F, world, 1));
  }));
}

TEST(CallSites, OtherMembersOfARootedKindAreCompared) {
  std::array<std::string, 3> said;
  simulate(
      3,
      [&](World& world) {
        try {
          const Tensor x = tensor({7.F});
          const Tensor y = world.rank() == 0   ? broadcast(x, world)
                           : world.rank() == 1 ? broadcast(x * 2.F, world)
                                               : broadcast(x * 3.F, world);
          y.item<float>();
        } catch (const CommError& error) {
          said[static_cast<std::size_t>(world.rank())] = error.what();
        }
      },
      kQuickly);
  EXPECT_THAT(said[1], testing::HasSubstr("two places of the program"));
  EXPECT_THAT(said[2], testing::HasSubstr("two places of the program"));
}

TEST(CallSites, MessagesAreNotCompared) {
  expect_none(thrown([](World& world) {
    const std::int64_t other = 1 - world.rank();
    if (world.rank() == 0) {
      send(tensor({1.F}), world, other);
      EXPECT_EQ(recv({1}, DType::f32, world, other).item<float>(), 2);
    } else {
      EXPECT_EQ(recv({1}, DType::f32, world, other).item<float>(), 1);
      send(tensor({2.F}), world, other);
    }
  }));
}

// The loop has one position, on whatever rank and in whatever way it runs.
TEST(CallSites, ACallIsTheSameCompiledOrNotEagerOrLazy) {
  expect_none(thrown([](World& world) {
    const auto total = [&](const Tensor& x) { return Tensor(all_reduce(x, world)); };
    auto compiled = compile(total);
    for (int step = 0; step < 4; ++step) {
      const bool compiles = (step + world.rank()) % 2 == 0;
      world.set_eager(step == 3 && world.rank() == 0);
      const Tensor x = tensor({1.F});
      EXPECT_EQ((compiles ? compiled(x) : total(x)).item<float>(), 2);
    }
  }));
}

// A program that is equal but for its lines runs what was compiled for the first one.
TEST(CallSites, EqualProgramsOnOtherLinesHaveTheirOwnPositions) {
  expect_mismatch(thrown([](World& world) {
    for (int step = 0; step < 2; ++step) {
      EXPECT_EQ(all_reduce(tensor({1.F}), world).item<float>(), 2);
    }
    if (world.rank() == 0) all_reduce(tensor({1.F}), world).item<float>();
    if (world.rank() == 1) all_reduce(tensor({1.F}), world).item<float>();
  }));
}

TEST(CallSites, CallsInPlaceAndBehindACoalesceHavePositionsToo) {
  expect_mismatch(thrown([](World& world) {
    Tensor x = tensor({1.F});
    if (world.rank() == 0) {
      const Coalesce together(world);
      all_reduce_(x, world);
    } else {
      const Coalesce together(world);
      all_reduce_(x, world);
    }
    x.item<float>();
  }));
}

TEST(CallSites, GradientsTakeThePositionOfWhatTheyAreOf) {
  expect_none(thrown([](World& world) {
    const Tensor w = replicated(tensor({1.F, 2.F}), world);
    const auto loss = [&](const Tensor& v) {
      const Tensor own = cast(rank_index(world), DType::f32);
      return Tensor(all_reduce(sum(v * own), world, Reduce::mean));
    };
    EXPECT_EQ(grad(loss)(w).to_vector<float>(), Floats({0.5, 0.5}));
    EXPECT_EQ(compile(grad(loss))(w).to_vector<float>(), Floats({0.5, 0.5}));
  }));
}

// A loop has one position for all its calls: what they are made of tells them apart in a program.
Tensor summed_in_order(World& world, const Tensor& a, const Tensor& b, bool forwards) {
  std::vector<Tensor> parts = {a, b, a * b};
  if (!forwards) std::ranges::reverse(parts);
  for (Tensor& part : parts) part = all_reduce(part, world);
  if (!forwards) std::ranges::reverse(parts);
  return parts[0] + parts[1] * 2.F + parts[2] * 3.F;
}

TEST(CallSites, ALoopInAnotherOrderIsAMismatchOfCompiledPrograms) {
  const auto said = thrown([](World& world) {
    auto f = compile([&](const Tensor& a, const Tensor& b) {
      return summed_in_order(world, a, b, world.rank() == 0);
    });
    f(tensor({1.F}), tensor({10.F})).item<float>();
  });
  for (const std::string& text : said) {
    EXPECT_THAT(text, testing::HasSubstr("collective #1 of group"));
    EXPECT_THAT(text,
                testing::HasSubstr("call the same collectives of this group in another order"));
    EXPECT_THAT(text, testing::ContainsRegex("rank 0 calls all_reduce sum f32\\[1\\] "
                                             "\\(call_sites_test.cpp:[0-9]+\\), rank 1"));
  }
}

// Of tensors that the step is given, and of others, which are numbered as the step uses them.
TEST(CallSites, StepsInAnotherOrderAreAMismatchOfCompiledPrograms) {
  for (const bool captured : {false, true}) {
    const auto said = thrown([&](World& world) {
      auto f = compile([&](const Tensor& a, const Tensor& b) {
        const auto step = [&](const Tensor&, const std::pair<Tensor, Tensor>& carry) {
          const auto& [x, y] = captured ? std::pair(a, b) : carry;
          const Tensor sum = summed_in_order(world, x, y, world.rank() == 0) * 0.125F;
          return std::pair(carry.first + sum, carry.second - sum);
        };
        return for_loop(3, step, std::pair(a, b)).first;
      });
      f(tensor({1.F}), tensor({10.F})).item<float>();
    });
    for (const std::string& text : said) {
      EXPECT_THAT(text, testing::HasSubstr("collective #1 of group")) << captured;
      EXPECT_THAT(text, testing::HasSubstr("collectives of this group in another order"))
          << captured;
    }
  }
}

TEST(CallSites, StepsInOneOrderAreNone) {
  expect_none(thrown([](World& world) {
    auto f = compile([&](const Tensor& a, const Tensor& b) {
      const auto step = [&](const Tensor&, const Tensor& x) {
        return summed_in_order(world, x, b, true) * 0.125F;
      };
      const Tensor twice = for_loop(2, step, for_loop(3, step, a));
      return Tensor(all_reduce(twice, world)) * 0.5F;
    });
    // A peer that runs the steps one by one has another program, with the same calls.
    const auto alone = [&](Tensor a, const Tensor& b) {
      for (int i = 0; i < 5; ++i) a = summed_in_order(world, a, b, true) * 0.125F;
      return a;
    };
    const Tensor expected = alone(tensor({1.F}), tensor({10.F}));
    for (int call = 0; call < 3; ++call) {
      EXPECT_FLOAT_EQ(f(tensor({1.F}), tensor({10.F})).item<float>(), expected.item<float>());
    }
  }));
}

TEST(CallSites, ALoopInOneOrderIsNone) {
  expect_none(thrown([](World& world) {
    auto f = compile(
        [&](const Tensor& a, const Tensor& b) { return summed_in_order(world, a, b, true); });
    for (int step = 0; step < 3; ++step) {
      EXPECT_EQ(f(tensor({1.F}), tensor({10.F})).item<float>(), 2 + 40 + 60);
    }
  }));
}

// A shorter last batch, or a rank that runs the loop lazily.
TEST(CallSites, ProgramsWithOtherCallsAreNotCompared) {
  expect_none(thrown([](World& world) {
    const auto one = [&](const Tensor& x) {
      return Tensor(all_reduce(x, Group(world).named("one")));
    };
    const auto [x, y] = std::pair(tensor({1.F}), tensor({10.F}));
    auto compiled = compile(
        [&](const Tensor& a, const Tensor& b) { return summed_in_order(world, a, b, true); });
    const bool lazy = world.rank() == 0;
    const Tensor z = lazy ? summed_in_order(world, x, y, true) : compiled(x, y);
    EXPECT_EQ(z.item<float>(), 2 + 40 + 60);
    auto many = compile([&](const Tensor& a) { return one(one(a)); });
    auto few = compile([&](const Tensor& a) { return one(a); });
    EXPECT_EQ((lazy ? many(x) : few(few(x))).item<float>(), 4);
  }));
}

TEST(CallSites, ProgramsThatDifferAreNotComparedAsAWholeEither) {
  expect_none(thrown([](World& world) {
    const Group group = Group(world).programs_differ();
    auto f = compile([&](const Tensor& a, const Tensor& b) {
      const bool first = world.rank() == 0;
      const Tensor x = all_reduce(first ? a : b, group);
      const Tensor y = all_reduce(first ? b : a, group);
      return x + y;
    });
    EXPECT_EQ(f(tensor({1.F}), tensor({10.F})).item<float>(), 22);
  }));
}

// What a rank lets in for itself doesn't count, nor do calls of programs of its own beside others.
TEST(CallSites, WhatOneRankDoesAloneIsNoOtherOrder) {
  expect_none(thrown([](World& world) {
    const Tensor a = tensor({1.F});
    const Tensor b = tensor({10.F});
    const bool first = world.rank() == 0;
    auto f = compile([&](const Tensor& x) {
      Tensor own = x;
      if (first) own = own + constant(b);
      std::vector<Tensor> sums;
      for (const Tensor& each : {a, b}) sums.push_back(all_reduce(constant(each), world));
      return std::pair(own, sums[0] + sums[1]);
    });
    EXPECT_EQ(f(a).second.item<float>(), 22);
    auto g = compile([&](const Tensor& x, const Tensor& y) {
      Tensor sum = all_reduce(x + y, world);
      const Group differs = Group(world).programs_differ();
      for (const Tensor& each : {first ? x : y, first ? y : x}) {
        sum = sum + all_reduce(each, differs);
      }
      return sum;
    });
    EXPECT_EQ(g(a, b).item<float>(), 44);
  }));
}

TEST(CallSites, NamesAllowAnotherOrder) {
  expect_none(thrown([](World& world) {
    auto f = compile([&](const Tensor& a, const Tensor& b) {
      const std::vector<Tensor> parts = {a, b};
      std::vector<Tensor> sums;
      for (std::int64_t k = 0; k < 2; ++k) {
        const Tensor& part = parts[static_cast<std::size_t>((world.rank() + k) % 2)];
        sums.push_back(all_reduce(part, Group(world).named("k" + std::to_string(k))));
      }
      return sums[0] + sums[1] * 2.F;
    });
    EXPECT_EQ(f(tensor({1.F}), tensor({10.F})).item<float>(), 33);
  }));
}

TEST(CallSites, ANameIsNeverEmpty) {
  simulate(1, [](World& world) {
    expect_error<UsageError>([&] { Group(world).named(""); }, {"named"});
  });
}

}  // namespace
}  // namespace tutti::test::call_sites_test
