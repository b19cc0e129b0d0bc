// Numbers count as the same on all ranks where they meet a value that is; one that is not must be
// an error that names its line, and what is all right must not be.

#include "tests/lazy/lazy_testing.h"

namespace tutti::test::rank_dependent_numbers_test {
namespace {

using testing::HasSubstr;

float number_of(const World& world) { return static_cast<float>(world.rank() + 1); }

class RankDependentNumbers : public testing::TestWithParam<bool> {
 protected:
  static void on_two_ranks(const std::function<void(World&, const Tensor& model)>& body) {
    simulate(2, [&](World& world) {
      world.set_eager(GetParam());
      body(world, replicated(tensor({2.F, 3.F}), world));
    });
  }
};

TEST_P(RankDependentNumbers, AreAnErrorWithTheirLine) {
  try {
    on_two_ranks([](World& world, const Tensor& model) {
      const Tensor scaled = model * number_of(world);
      all_reduce(sum(scaled), world).item<float>();
    });
    ADD_FAILURE() << "nothing was thrown";
  } catch (const CommError& error) {
    EXPECT_THAT(error.what(), HasSubstr("number that the ranks take for the same"));
    EXPECT_THAT(error.what(), HasSubstr("rank_dependent_numbers_test.cpp:"));
    EXPECT_THAT(error.what(), HasSubstr("rank_index()"));
  }
}

TEST_P(RankDependentNumbers, AreFoundWhereverTheyComeFrom) {
  const std::vector<std::function<Tensor(World&, const Tensor&)>> uses = {
      [](World& world, const Tensor& model) { return full({2}, number_of(world)) + model; },
      [](World& world, const Tensor& model) {
        return model * cast(full({2}, world.rank()), DType::f32);
      },
      [](World& world, const Tensor& model) { return maximum(model, -number_of(world)) * 2.F; },
      [](World& world, const Tensor& model) {
        const Tensor evaluated = model * number_of(world);
        eval(evaluated);  // it takes along what it was made of
        return evaluated + 1.F;
      },
      [](World& world, const Tensor& model) {
        const Tensor number = full({}, number_of(world));
        eval(number);
        return model * number;
      },
      [](World& world, const Tensor& model) {
        const Tensor varying = cast(rank_index(world), DType::f32);
        return varying + model * number_of(world);  // varies, and the model's gradient is wrong
      },
  };
  for (std::size_t i = 0; i < uses.size(); ++i) {
    SCOPED_TRACE(i);
    EXPECT_THROW(on_two_ranks([&](World& world, const Tensor& model) {
                   all_reduce(uses[i](world, model), world).wait().array();
                 }),
                 CommError);
  }
}

TEST_P(RankDependentNumbers, AreAllRightWhereNothingIsReplicated) {
  on_two_ranks([](World& world, const Tensor& model) {
    const Tensor own = from(Array::scalar(1.F));
    EXPECT_EQ(all_reduce(own * number_of(world), world).item<float>(), 3);
    EXPECT_EQ(all_reduce(full({1}, number_of(world)), world).item<float>(), 3);
    // The op that says that it is meant.
    const Tensor index = cast(rank_index(world), DType::f32);
    EXPECT_EQ(all_reduce(sum(model) * index, world).item<float>(), 5);
    // Over ranks that need not agree.
    EXPECT_EQ(all_reduce(sum(model) * number_of(world), Group({world.rank()}, "me")).item<float>(),
              5 * number_of(world));
  });
}

TEST_P(RankDependentNumbers, AreAllRightWhereNoCollectiveNeedsThem) {
  on_two_ranks([](World& world, const Tensor& model) {
    // One rank looks at something of its own, now or later.
    const Tensor shown = model * number_of(world);
    if (world.rank() == 0) {
      EXPECT_EQ(shown.to_vector<float>(), Floats({2, 3}));
    }
    EXPECT_EQ(all_reduce(sum(model * 2.F), world).item<float>(), 20);
    if (world.rank() == 1) {
      EXPECT_EQ(shown.to_vector<float>(), Floats({4, 6}));
    }
  });
}

// Evaluating on the way is a rank's own affair.
TEST_P(RankDependentNumbers, TheSameNumbersAgreeWhateverIsEvaluatedWhen) {
  on_two_ranks([](World& world, const Tensor& model) {
    const auto look = [&](const Tensor& x, int at) {
      if (world.rank() == at % 2) x.array();
    };
    Tensor x = model * 2.F;
    look(x, 0);
    Tensor literal = full({2}, 3.F) * 1.F;
    look(literal, 1);
    x = x + 1.F;
    look(x, 1);
    const Tensor half = x * 0.5F;
    look(half, 0);
    Tensor sum_of_all = all_reduce(half + full({2}, 2.F), world);
    look(sum_of_all, 1);
    sum_of_all = sum_of_all * 4.F + iota({2}, 0, DType::f32);
    look(sum_of_all, 0);
    EXPECT_EQ(all_reduce(sum_of_all - 1.F, world).to_vector<float>(), Floats({70, 88}));
  });
}

INSTANTIATE_TEST_SUITE_P(EagerOrNot, RankDependentNumbers, testing::Bool());

TEST(RankDependentArguments, OfCompiledFunctionsAreAnError) {
  const auto run = [](bool same) {
    simulate(2, [&](World& world) {
      const Tensor model = replicated(tensor({2.F, 3.F}), world);
      auto step = compile([&](const Tensor& m, float factor, float unused) -> Tensor {
        return all_reduce(m * factor, world) * unused;
      });
      for (const float factor : {1.F, 2.F, 3.F}) {
        const float own = same ? factor : factor * number_of(world);
        // What comes after the collective may differ: nobody depends on it.
        const Tensor result = step(model, own, number_of(world));
        EXPECT_EQ(result.to_vector<float>()[0], 4 * factor * number_of(world));
      }
    });
  };
  run(true);
  try {
    run(false);
    ADD_FAILURE() << "nothing was thrown";
  } catch (const CommError& error) {
    EXPECT_THAT(error.what(), HasSubstr("number that the ranks take for the same"));
  }
}

// A literal that is given as a tensor, at the first call or at a later one, captured, or in what a
// replicated tensor was made of.
TEST(RankDependentArguments, MayBeTensors) {
  using Make = std::function<Tensor(const Tensor& model, float number)>;
  const std::vector<Make> arguments = {
      [](const Tensor&, float number) { return full({2}, number); },
      [](const Tensor&, float number) { return full({}, number); },
      [](const Tensor&, float number) { return slice(full({3}, number), {{1, 3}}); },
      [](const Tensor& model, float number) { return model * number; },
  };
  const auto run = [&](std::size_t argument, bool captured, int differs) {
    simulate(2, [&](World& world) {
      const Tensor model = replicated(tensor({2.F, 3.F}), world);
      const auto loss = [&](const Tensor& m, const Tensor& x) {
        return Tensor(all_reduce(sum(m * x), world, Reduce::mean));
      };
      auto step = compile([&](const Tensor& m, const Tensor& x) { return grad(loss)(m, x); });
      for (int call = 0; call < 3; ++call) {
        const float number = call == differs ? number_of(world) : 1.F;
        const Tensor x = arguments[argument](model, number);
        if (captured) {
          auto capturing = compile([&](const Tensor& m) { return grad(loss)(m, constant(x)); });
          capturing(model).array();
        } else {
          step(model, x).array();
        }
      }
    });
  };
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    for (const bool captured : {false, true}) {
      SCOPED_TRACE(testing::Message() << "argument " << i << (captured ? ", captured" : ""));
      EXPECT_NO_THROW(run(i, captured, -1));
      EXPECT_THROW(run(i, captured, 0), CommError);
      EXPECT_THROW(run(i, captured, 2), CommError);
    }
  }
}

// What passes a collective over one dimension unsettled is settled by one over the other, whatever
// is evaluated in between.
TEST(RankDependentNumbersOnAMesh, TravelThroughCollectivesAndEvaluations) {
  for (int looks = 0; looks < 8; ++looks) {
    simulate(4, [&](World& world) {
      const DeviceMesh mesh(world, {{"dp", 2}, {"tp", 2}});
      const Tensor x = replicated(tensor({2.F, 3.F}), world);
      const bool odd = world.rank() % 2 == 1;
      const AsyncTensor along_dp = all_reduce(x * 2.F, mesh["dp"]);
      if ((looks & 1) != 0 && odd) eval(Tensor(along_dp));
      if ((looks & 2) != 0 && !odd) eval(x + 1.F);
      const Tensor waited = along_dp;
      if ((looks & 4) != 0 && odd) waited.array();
      EXPECT_EQ(all_reduce(waited, mesh["tp"]).to_vector<float>(), Floats({16, 24}));
    });
  }
}

TEST(RankDependentNumbersOnAMesh, MayDifferAlongTheOtherDimension) {
  simulate(4, [](World& world) {
    const DeviceMesh mesh(world, {{"dp", 2}, {"tp", 2}});
    const auto part = static_cast<float>(mesh.coordinate("tp"));
    const Tensor model = replicated(tensor({2.F}), mesh["dp"]);  // and varies along tp
    EXPECT_EQ(all_reduce(model * part, mesh["tp"]).item<float>(), 2);
    EXPECT_EQ(all_reduce(model * part, mesh["dp"]).item<float>(), 4 * part);
  });
  EXPECT_THROW(simulate(4,
                        [](World& world) {
                          const DeviceMesh mesh(world, {{"dp", 2}, {"tp", 2}});
                          const auto part = static_cast<float>(mesh.coordinate("dp"));
                          const Tensor model = replicated(tensor({2.F}), mesh["dp"]);
                          all_reduce(model * part, mesh["dp"]).item<float>();
                        }),
               CommError);
}

// Its own mesh has one dimension, the program's has more.
TEST(RankDependentNumbersOnAMesh, MayBeComputedBeforeTheProgramMakesIt) {
  const auto run = [](bool alike, bool compiled) {
    simulate(4, [&](World& world) {
      const Tensor number = full({2}, alike ? 3.F : number_of(world));
      eval(number);
      const DeviceMesh mesh(world, {{"dp", 2}, {"tp", 2}});
      const Tensor model = replicated(tensor({1.F, 2.F}), world);
      const auto total = [&](const Tensor& x, const Tensor& y) {
        return Tensor(all_reduce(x * y, world));
      };
      const Tensor result = compiled ? compile(total)(model, number) : total(model, number);
      EXPECT_EQ(result.to_vector<float>(), Floats({12, 24}));
    });
  };
  for (const bool compiled : {false, true}) {
    EXPECT_NO_THROW(run(true, compiled));
    EXPECT_THROW(run(false, compiled), CommError);
  }
}

}  // namespace
}  // namespace tutti::test::rank_dependent_numbers_test
