#include "tests/lazy/distributed_testing.h"
#include "tests/support/command.h"

// Programs of distributed tensors: gradients, compiled functions, optimisers.
namespace tutti::test::distributed_programs_test {
namespace {

// ---- Programs: the gradients of the single-rank program.

struct Mlp {
  DistributedTensor up, up_bias, down, down_bias;
  TUTTI_FIELDS(up, up_bias, down, down_bias)
};
struct WholeMlp {
  Tensor up, up_bias, down, down_bias;
  TUTTI_FIELDS(up, up_bias, down, down_bias)
};

template <class Model, class Value>
Value forward(const Model& model, const Value& x) {
  const Value hidden = gelu(matmul(x, model.up) + model.up_bias);
  return matmul(hidden, model.down) + model.down_bias;
}

// The mean of the results' squares.
template <class Model, class Value>
Tensor squares(const Model& model, const Value& x) {
  const Value y = forward(model, x);
  return mean(y * y).full();
}
Tensor whole_squares(const WholeMlp& model, const Tensor& x) {
  const Tensor y = forward(model, x);
  return mean(y * y);
}

WholeMlp some_mlp() {
  return {.up = numbers({4, 8}, 1),
          .up_bias = numbers({8}, 2),
          .down = numbers({8, 4}, 3),
          .down_bias = numbers({4}, 4)};
}

// How each of the parameters lies.
struct Plan {
  std::string name;
  std::vector<MeshDimension> mesh;
  Placements up, up_bias, down, down_bias, batch;
};

Mlp distributed(const WholeMlp& model, const DeviceMesh& mesh, const Plan& plan) {
  return {.up = distribute(model.up, mesh, plan.up),
          .up_bias = distribute(model.up_bias, mesh, plan.up_bias),
          .down = distribute(model.down, mesh, plan.down),
          .down_bias = distribute(model.down_bias, mesh, plan.down_bias)};
}

std::vector<Plan> plans() {
  const Placement r = Replicate();
  return {
      {"tensor parallel", {{"tp", 4}}, {Shard(1)}, {Shard(0)}, {Shard(0)}, {r}, {r}},
      {"data parallel", {{"dp", 4}}, {r}, {r}, {r}, {r}, {Shard(0)}},
      {"fully sharded", {{"dp", 4}}, {Shard(0)}, {Shard(0)}, {Shard(0)}, {Shard(0)}, {Shard(0)}},
      {"both",
       {{"dp", 2}, {"tp", 2}},
       {r, Shard(1)},
       {r, Shard(0)},
       {r, Shard(0)},
       {r, r},
       {Shard(0), r}},
      {"both, one of one rank",
       {{"dp", 1}, {"tp", 4}},
       {r, Shard(1)},
       {r, Shard(0)},
       {r, Shard(0)},
       {r, r},
       {Shard(0), r}},
      {"both, fully sharded",
       {{"dp", 2}, {"tp", 2}},
       {Shard(0), Shard(1)},
       {Shard(0), Shard(0)},
       {Shard(1), Shard(0)},
       {Shard(0), r},
       {Shard(0), r}},
  };
}

TEST(DistributedPrograms, HaveTheGradientsOfTheSingleRankProgram) {
  for (const Plan& plan : plans()) {
    SCOPED_TRACE(plan.name);
    simulate(4, [&](World& world) {
      const DeviceMesh mesh(world, plan.mesh);
      const Tensor whole_batch = numbers({8, 4}, 5);
      const auto [expected_loss, expected] = value_and_grad(whole_squares)(some_mlp(), whole_batch);
      const Mlp model = distributed(some_mlp(), mesh, plan);
      const DistributedTensor x = distribute(whole_batch, mesh, plan.batch);
      const auto loss = squares<Mlp, DistributedTensor>;
      const auto check = [&](const Tensor& value, const Mlp& gradient) {
        expect_near(value, expected_loss);
        for (const auto& [own, whole] :
             {std::pair(gradient.up, expected.up), std::pair(gradient.up_bias, expected.up_bias),
              std::pair(gradient.down, expected.down),
              std::pair(gradient.down_bias, expected.down_bias)}) {
          expect_typed(own);
          expect_near(own.full(), whole);
        }
      };
      const auto [value, gradient] = value_and_grad(loss)(model, x);
      check(value, gradient);
      auto step = compile([&](const Mlp& m, const DistributedTensor& rows) {
        return value_and_grad(loss)(m, rows);
      });
      for (int i = 0; i < 2; ++i) {
        const auto [compiled_value, compiled_gradient] = step(model, x);
        check(compiled_value, compiled_gradient);
      }
      EXPECT_EQ(step.programs(), 1U) << step.explain();
      world.set_eager(true);
      const auto [eager_value, eager_gradient] = value_and_grad(loss)(model, x);
      check(eager_value, eager_gradient);
    });
  }
}

// One all_reduce on the way there, where the second layer's products are added up, and one on the
// way back, where the input's cotangents are.
TEST(DistributedPrograms, TensorParallelTakesOneAllReduceEachWay) {
  simulate(2, [](World& world) {
    const DeviceMesh mesh(world, {{"tp", 2}});
    const Plan plan = plans()[0];
    const Mlp model = distributed(some_mlp(), mesh, plan);
    const DistributedTensor x = distribute(numbers({8, 4}, 5), mesh, plan.batch);
    eval(std::pair(model, x));
    {
      const CompiledGraphs graphs;
      eval(forward(model, x));
      EXPECT_EQ(graphs.count(ir::Op::all_reduce), 1);
    }
    const auto loss = [](const std::pair<Mlp, DistributedTensor>& all) {
      return squares(all.first, all.second);
    };
    const CompiledGraphs graphs;
    eval(grad(loss)(std::pair(model, x)));
    EXPECT_EQ(graphs.count(ir::Op::all_reduce), 2);
    for (const ir::Op op : {ir::Op::all_gather, ir::Op::reduce_scatter, ir::Op::all_to_all}) {
      EXPECT_EQ(graphs.count(op), 0) << name_of(op);
    }
  });
}

// A parameter's gradient is added up once, the loss once.
TEST(DistributedPrograms, DataParallelTakesOneAllReduceForEachParameter) {
  simulate(2, [](World& world) {
    const DeviceMesh mesh(world, {{"dp", 2}});
    const Plan plan = plans()[1];
    const Mlp model = distributed(some_mlp(), mesh, plan);
    const DistributedTensor x = distribute(numbers({8, 4}, 5), mesh, plan.batch);
    eval(std::pair(model, x));
    const CompiledGraphs graphs;
    const auto loss = [&](const Mlp& m) { return squares(m, x); };
    eval(value_and_grad(loss)(model));
    EXPECT_EQ(graphs.count(ir::Op::all_reduce), 5);
  });
}

// ---- Trees.

TEST(DistributedTrees, PlacementsArePartOfASignature) {
  simulate(2, [](World& world) {
    const DeviceMesh mesh(world, {{"tp", 2}});
    const Tensor x = replicated(numbers({4, 4}, 1), world);
    auto twice = compile([](const DistributedTensor& t) { return t + t; });
    for (const Placement& placement :
         {Placement(Shard(0)), Placement(Shard(1)), Placement(Replicate()), Placement(Partial())}) {
      // The parts of Shard(0) of [4, 4] and of Shard(0) of [2, 4] and so on differ in their text.
      const DistributedTensor out = twice(distribute(x, mesh, {placement}));
      EXPECT_EQ(out.placements()[0], placement);
      expect_near(out.full(), x + x);
    }
    const Tensor part = numbers({2, 2}, 2);
    expect_near(twice(DistributedTensor::from_local(part, mesh, {Shard(0)})).full(),
                concat({part + part, part + part}, 0));
    expect_near(twice(DistributedTensor::from_local(part, mesh, {Shard(1)})).full(),
                concat({part + part, part + part}, 1));
    EXPECT_EQ(twice.programs(), 6U);
  });
}

TEST(DistributedTrees, TrainByGradientDescent) {
  simulate(4, [&](World& world) {
    const Plan plan = plans()[3];
    const DeviceMesh mesh(world, plan.mesh);
    const Tensor batch = numbers({8, 4}, 5);
    Mlp model = distributed(some_mlp(), mesh, plan);
    WholeMlp whole = some_mlp();
    const DistributedTensor x = distribute(batch, mesh, plan.batch);
    const auto descend = [](const Tensor& p, const Tensor& g) { return p - 0.05 * g; };
    auto step = compile([&](const Mlp& m, const DistributedTensor& rows) {
      return map(descend, m, grad(squares<Mlp, DistributedTensor>)(m, rows));
    });
    for (int i = 0; i < 3; ++i) {
      model = step(model, x);
      whole = map(descend, whole, grad(whole_squares)(whole, batch));
    }
    expect_typed(model.down_bias);
    expect_near(model.up.full(), whole.up);
    expect_near(model.down_bias.full(), whole.down_bias);
    EXPECT_EQ(step.programs(), 1U) << step.explain();
  });
}

TEST(DistributedTrees, TrainWithAnOptimiser) {
  simulate(4, [&](World& world) {
    const Plan plan = plans()[2];
    const DeviceMesh mesh(world, plan.mesh);
    const Tensor batch = numbers({8, 4}, 5);
    Mlp model = distributed(some_mlp(), mesh, plan);
    WholeMlp whole = some_mlp();
    const AdamW adam{};
    AdamW::State state = adam.init(model);
    AdamW::State whole_state = adam.init(whole);
    const DistributedTensor x = distribute(batch, mesh, plan.batch);
    auto step = compile([&](const Mlp& m, AdamW::State s, const DistributedTensor& rows) {
      return adam.update(m, grad(squares<Mlp, DistributedTensor>)(m, rows), std::move(s), 0.05F);
    });
    for (int i = 0; i < 3; ++i) {
      std::tie(model, state) = step(model, state, x);
      const WholeMlp gradient = grad(whole_squares)(whole, batch);
      std::tie(whole, whole_state) = adam.update(whole, gradient, whole_state, 0.05F);
    }
    expect_typed(model.up);
    expect_near(model.up.full(), whole.up);
    expect_near(model.down_bias.full(), whole.down_bias);
    EXPECT_EQ(step.programs(), 1U) << step.explain();
  });
}

TEST(DistributedTrees, AreLoadedAsTheyWereSaved) {
  const TemporaryFolder folder;
  simulate(4, [&](World& world) {
    const DeviceMesh mesh(world, {{"dp", 2}, {"tp", 2}});
    const Tensor whole = numbers({4, 4}, 1);
    const auto path = folder.path() / (std::to_string(world.rank()) + ".safetensors");
    const DistributedTensor saved = distribute(whole, mesh, {Shard(0), Replicate()});
    save(saved, path);
    expect_near(load(distribute(whole * 2.0, mesh, {Shard(0), Replicate()}), path).local(),
                saved.local());
    const DistributedTensor like = distribute(whole, mesh, {Replicate(), Shard(0)});
    expect_error<UsageError>([&] { load(like, path); },
                             {"[Shard(0), Replicate]", "[Replicate, Shard(0)]", "redistribute"});
    EXPECT_THAT(like.layout().fixed.text, testing::HasSubstr("[Replicate, Shard(0)]"));
    expect_error<UsageError>([&] { load(DistributedTensor(), path); }, {"without a value"});
  });
}

TEST(DistributedTrees, WhatIsLoadedAsReplicateHasTheWholeGradient) {
  const TemporaryFolder folder;
  simulate(2, [&](World& world) {
    const DeviceMesh mesh(world, {{"dp", 2}});
    const auto path = folder.path() / (std::to_string(world.rank()) + ".safetensors");
    const DistributedTensor w = distribute(numbers({3, 2}, 1), mesh, {Replicate()});
    const DistributedTensor x = distribute(numbers({4, 3}, 2), mesh, {Shard(0)});
    const auto loss = [&](const DistributedTensor& p) {
      const DistributedTensor y = matmul(x, p);
      return mean(y * y).full();
    };
    save(w, path);
    const DistributedTensor loaded = load(w, path);
    expect_typed(loaded);
    expect_near(grad(loss)(loaded).full(), grad(loss)(w).full());
    // Other parts than the placement says.
    save(std::map<std::string, Tensor>{{"local", numbers({3, 2}, 5 + world.rank())}}, path);
    expect_error<UsageError>([&] { load(w, path); }, {"different values", "'local'"});
  });
}

struct Layer {
  DistributedTensor weight;
  DistributedTensor bias;
  TUTTI_FIELDS(weight, bias)
};
struct Training {
  Layer model;
  AdamW::State optimiser;
  TUTTI_FIELDS(model, optimiser)
};

// Plain tensors, which say nothing of placements, but are the same where the leaves are.
TEST(DistributedTrees, AStateIsLoadedAsTheLeavesAre) {
  const TemporaryFolder folder;
  simulate(2, [&](World& world) {
    const DeviceMesh mesh(world, {{"dp", 2}});
    const auto path = folder.path() / (std::to_string(world.rank()) + ".safetensors");
    const AdamW adam{};
    Layer model = {distribute(numbers({4, 2}, 1), mesh, {Shard(0)}),
                   distribute(numbers({2}, 2), mesh, {Replicate()})};
    const Training start = {model, adam.init(model)};
    AdamW::State state = start.optimiser;
    std::tie(model, state) = adam.update(model, model, state, 0.1F);
    save(Training{model, state}, path);
    // Into a state that has averages, and into that of a model that was never trained.
    for (const Training& like : {Training{model, state}, start}) {
      const Training loaded = load(like, path);
      const AdamW::State& own = loaded.optimiser;
      EXPECT_FALSE(is_replicated(own.first[0], 1));
      EXPECT_TRUE(is_replicated(own.first[1], 1));
      EXPECT_TRUE(is_replicated(own.second[1], 1));
      const Layer next = adam.update(loaded.model, loaded.model, own, 0.1F).first;
      const Layer expected = adam.update(model, model, state, 0.1F).first;
      expect_typed(next.bias);
      expect_near(next.weight.full(), expected.weight.full());
      expect_near(next.bias.full(), expected.bias.full());
    }
    // Averages that are not what the others have.
    state.second[1] = numbers({2}, 5 + static_cast<std::uint64_t>(world.rank()));
    save(Training{model, state}, path);
    expect_error<UsageError>([&] { load(start, path); },
                             {"different values", "'optimiser.second.1'"});
  });
}

TEST(DistributedTrees, WhatATreeAssignsIsAsThePlacementsSay) {
  simulate(2, [](World& world) {
    const DeviceMesh mesh(world, {{"dp", 2}});
    const DistributedTensor w = distribute(numbers({3, 2}, 1), mesh, {Replicate()});
    const Tensor other = numbers({3, 2}, 5 + static_cast<std::uint64_t>(world.rank()));
    const DistributedTensor own = tutti::map([&](const Tensor& x) { return x + other; }, w);
    expect_error<UsageError>([&] { own + own; }, {"not known to be the same", "dp", "replicated"});
    expect_error<UsageError>([&] { own.full(); }, {"not known to be the same", "dp", "map"});
    const DistributedTensor longer =
        tutti::map([](const Tensor& x) { return concat({x, x}, 0); }, w);
    expect_error<UsageError>([&] { longer + longer; }, {"f64[6,2]", "should have shape [3,2]"});
    // Marked it serves.
    const TensorMap file{{"local", numbers({3, 2}, 1)}};
    const DistributedTensor given = with_tensors(w, file);
    expect_error<UsageError>([&] { given.local(); }, {"with_tensors"});
    expect_near(replicated(given, Group(mesh, "dp")).full(), w.full());
  });
}

TEST(DistributedTrees, PartsThatAreAllTheSameHaveTheirOwnGradients) {
  simulate(2, [](World& world) {
    const DeviceMesh mesh(world, {{"tp", 2}});
    const DistributedTensor x = distribute(numbers({3, 4}, 2), mesh, {Shard(1)});
    const DistributedTensor w = distribute(numbers({4, 2}, 1), mesh, {Shard(0)});
    const DistributedTensor nought =
        tutti::map([](const Tensor& t) { return zeros(t.shape(), t.dtype()); }, w);
    const auto loss = [&](const DistributedTensor& p) {
      const DistributedTensor y = matmul(x, p) - 1.0F;
      return mean(y * y).full();
    };
    const auto whole = [&](const Tensor& p) {
      const Tensor y = matmul(x.full(), p) - 1.0F;
      return mean(y * y);
    };
    expect_near(grad(loss)(nought).full(), grad(whole)(zeros_like(w.full())));
  });
}

// ---- Loops and branches.

// The product of h and w is partial.
struct HalvedProduct {
  explicit HalvedProduct(World& world) : mesh(world, {{"tp", 2}}) {}

  DeviceMesh mesh;
  Tensor whole_h = numbers({2, 4}, 1);
  Tensor whole_w = numbers({4, 4}, 2);
  DistributedTensor h = distribute(whole_h, mesh, {Replicate()});
  DistributedTensor w = distribute(whole_w, mesh, {Shard(0)});
};

TEST(DistributedTrees, ACarryKeepsItsPlacements) {
  simulate(2, [](World& world) {
    const auto [mesh, whole_h, whole_w, h, w] = HalvedProduct(world);
    const auto partial = [&](const Tensor&, const DistributedTensor& c) { return matmul(c, w); };
    expect_error<TypeError>([&] { for_loop(2, partial, h); },
                            {"for_loop", "Partial", "Replicate", "redistribute"});
    const auto pair_step = [&](const DistributedTensor& c, const Tensor& x) {
      return std::pair(matmul(c, w), x);
    };
    const Tensor steps = tensor({1.0, 2.0});
    expect_error<TypeError>([&] { scan(pair_step, h, steps); }, {"Partial", "Replicate"});
    const auto whole = [&](const Tensor&, const DistributedTensor& c) {
      return matmul(c, w).redistribute({Replicate()});
    };
    const DistributedTensor y = for_loop(2, whole, h);
    expect_near(y.full(), matmul(matmul(whole_h, whole_w), whole_w));
  });
}

TEST(DistributedTrees, AScanDoesNotGoOverThem) {
  simulate(2, [](World& world) {
    const DeviceMesh mesh(world, {{"tp", 2}});
    const DistributedTensor x = distribute(numbers({2, 4}, 1), mesh, {Replicate()});
    const auto over = [](const Tensor& c, const DistributedTensor&) { return std::pair(c, c); };
    expect_error<TypeError>([&] { scan(over, tensor(1.0), x); }, {"distributed", "Replicate"});
    const auto stacks = [&](const Tensor& c, const Tensor&) { return std::pair(c, x); };
    expect_error<TypeError>([&] { scan(stacks, tensor(1.0), tensor({1.0, 2.0})); },
                            {"distributed", "Replicate"});
  });
}

TEST(DistributedTrees, BranchesGiveThemPlacedAlike) {
  simulate(2, [](World& world) {
    const auto [mesh, whole_h, whole_w, h, w] = HalvedProduct(world);
    const auto same = [](const DistributedTensor& c) { return c; };
    const auto partial = [&](const DistributedTensor& c) { return matmul(c, w); };
    const Tensor is_any = any(ne(h, 0.0)).full();
    expect_error<TypeError>([&] { cond(is_any, partial, same, h); },
                            {"cond", "Partial", "Replicate"});
    const auto whole = [&](const DistributedTensor& c) {
      return matmul(c, w).redistribute({Replicate()});
    };
    expect_near(cond(is_any, whole, same, h).full(), matmul(whole_h, whole_w));
  });
}

// Rows that differ between the ranks, and a weight that does not.
struct RowsAndWeight {
  explicit RowsAndWeight(World& world) : mesh(world, {{"dp", 2}}) {}

  DeviceMesh mesh;
  Tensor whole_x = numbers({4, 3}, 1);
  Tensor whole_w = numbers({3, 3}, 2);
  DistributedTensor x = distribute(whole_x, mesh, {Shard(0)});
  DistributedTensor w = distribute(whole_w, mesh, {Replicate()});
};

TEST(DistributedTrees, BranchesKnowEachOfThemAsItIsPlaced) {
  simulate(2, [](World& world) {
    const auto [mesh, whole_x, whole_w, x, w] = RowsAndWeight(world);
    const auto once = [](const DistributedTensor& a, const DistributedTensor& b) {
      return std::pair(matmul(a, b), b);
    };
    const auto twice = [](const DistributedTensor& a, const DistributedTensor& b) {
      return std::pair(matmul(a, b + b), b + b);
    };
    const Tensor is_any = any(ne(w, 0.0)).full();
    const auto [y, weight] = cond(is_any, once, twice, x, w);
    expect_near(y.full(), matmul(whole_x, whole_w));
    expect_typed(weight);
    expect_near(weight.full(), whole_w);
    const auto [other, sum_of_weights] = cond(!is_any, once, twice, x, w);
    expect_near(other.full(), matmul(whole_x, whole_w + whole_w));
    expect_near(sum_of_weights.full(), whole_w + whole_w);
  });
}

TEST(DistributedTrees, LoopsKnowEachOfThemAsItIsPlaced) {
  simulate(2, [](World& world) {
    const auto [mesh, whole_x, whole_w, x, w] = RowsAndWeight(world);
    using Carry = std::pair<DistributedTensor, DistributedTensor>;
    const auto pass = [](const Tensor&, const Carry& c) {
      return Carry(matmul(c.first, c.second), c.second);
    };
    const Carry passed = for_loop(2, pass, Carry(x, w));
    expect_near(passed.first.full(), matmul(matmul(whole_x, whole_w), whole_w));
    expect_typed(passed.second);
    expect_near(passed.second.full(), whole_w);
    const auto update = [](const Tensor&, const Carry& c) {
      return Carry(matmul(c.first, c.second), c.second + c.second);
    };
    const Carry updated = for_loop(2, update, Carry(x, w));
    expect_near(updated.first.full(), matmul(matmul(whole_x, whole_w), whole_w + whole_w));
    expect_typed(updated.second);
    expect_near(updated.second.full(), whole_w * 4.0);
    const auto capture = [&weight = w](const Tensor&, const DistributedTensor& c) {
      return matmul(c, weight + weight);
    };
    expect_near(for_loop(1, capture, x).full(), matmul(whole_x, whole_w + whole_w));

    // A gradient wants all parameters alike: right, or an error.
    const auto loss = [&rows = x, &pass](const DistributedTensor& weight) {
      const DistributedTensor y = for_loop(2, pass, Carry(rows, weight)).first;
      return mean(y * y).full();
    };
    const auto whole_loss = [&rows = whole_x](const Tensor& weight) {
      const Tensor y = matmul(matmul(rows, weight), weight);
      return mean(y * y);
    };
    expect_near(grad(loss)(w).full(), grad(whole_loss)(whole_w));
    const unsigned line = __LINE__ + 3;
    const auto of_weight = [&rows = x, &pass](const DistributedTensor& weight) {
      const DistributedTensor last = for_loop(2, pass, Carry(rows, weight)).second;
      return mean(last * last).full();
    };
    expect_error<UsageError>([&of_weight, &weight = w] { grad(of_weight)(weight); },
                             {"not known to be the same", "loop inside of grad"}, line);
  });
}

TEST(DistributedTrees, MapAndOptimisersTakeTreesThatArePlacedAlike) {
  simulate(2, [](World& world) {
    const DeviceMesh mesh(world, {{"tp", 2}});
    const DistributedTensor x = distribute(numbers({4, 4}, 1), mesh, {Replicate()});
    const DistributedTensor y = x.redistribute({Partial()});
    const auto plus = [](const Tensor& a, const Tensor& b) { return a + b; };
    expect_error<UsageError>([&] { map(plus, x, y); }, {"map", "Partial", "Replicate"});
    expect_error<UsageError>([&] { (void)Sgd().update(x, y, {}, 0.1F); },
                             {"Sgd: ", "its gradient", "Partial", "Replicate"});
  });
}

}  // namespace
}  // namespace tutti::test::distributed_programs_test
