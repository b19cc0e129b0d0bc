#include <tutti/ir/builder.h>
#include <tutti/ir/interpret.h>
#include <tutti/lazy/trace.h>

#include <cmath>

#include "tests/ops/table.h"
#include "tests/support/run_graph.h"
#include <gmock/gmock.h>

namespace tutti::test {
namespace {

constexpr int kRanks = 4;

// One case of a row: every rank's operands and expected result.
struct Use {
  std::vector<ir::Attribute> attributes;
  RankArrays operands;
  std::vector<Array> expected;

  Use(const OpRow& row, const OpCase& use, DType dtype)
      : attributes(row.complete(use)), named_(ir::definition(row.op).attributes, attributes) {
    RankPlains plains(kRanks);
    for (int rank = 0; rank < kRanks; ++rank) {
      operands.push_back(make_operands(row, use, dtype, rank));
      for (const Array& operand : operands.back()) {
        plains[static_cast<std::size_t>(rank)].push_back(plain(operand));
      }
    }
    for (const Plain& result : row.collective_oracle(plains, named_)) {
      expected.push_back(rounded(result, row.result_dtype(dtype, named_)));
    }
  }
  Use(const Use&) = delete;
  Use& operator=(const Use&) = delete;

  const Attributes& named() const { return named_; }

 private:
  Attributes named_;
};

class EveryCollective : public testing::TestWithParam<const OpRow*> {
 protected:
  const OpRow& row() const { return *GetParam(); }

  // Calls f(use) for the cases of every dtype.
  template <class F>
  void each_use(F&& f) const {
    for (const DType dtype : row().dtypes) {
      const std::size_t count = dtype == row().dtypes[0] ? row().cases.size() : std::size_t{2};
      for (std::size_t i = 0; i < std::min(count, row().cases.size()); ++i) {
        SCOPED_TRACE(std::string(name_of(dtype)) + ", case " + std::to_string(i));
        f(Use(row(), row().cases[i], dtype));
      }
    }
  }
};

std::shared_ptr<const ir::Mesh> world_mesh() {
  return std::make_shared<const ir::Mesh>(ir::Mesh{.names = {"world"}, .sizes = {kRanks}});
}

TEST_P(EveryCollective, MeansTheSameToInterpreterAndEngines) {
  each_use([&](const Use& use) {
    ir::Graph graph{std::string(ir::name_of(row().op))};
    graph.mesh = world_mesh();
    ir::Builder builder(graph);
    std::vector<ir::Value> x;
    for (const Array& operand : use.operands[0]) {
      x.push_back(graph.add_parameter("x", {.dtype = operand.dtype(), .shape = operand.shape()}));
    }
    const ir::Value result =
        row().build ? row().build(builder, x) : builder.add(row().op, x, use.attributes);
    graph.set_results({result});
    const auto expect_close = [&](const RankArrays& actual, std::string_view how) {
      for (std::size_t rank = 0; rank < kRanks; ++rank) {
        EXPECT_TRUE(close(actual[rank][0], use.expected[rank])) << how << ", rank " << rank;
      }
    };
    expect_close(ir::interpret(graph, use.operands), "interpreted");
    for (const codegen::Engine engine : engines()) {
      expect_close(run_compiled(graph, use.operands, engine), name_of(engine));
    }
  });
}

TEST_P(EveryCollective, IsTheSameEagerLazyAndCompiled) {
  each_use([&](const Use& use) {
    std::vector<std::vector<Array>> actual(kRanks);
    simulate(kRanks, [&](World& world) {
      const auto rank = static_cast<std::size_t>(world.rank());
      std::vector<Tensor> x;
      for (const Array& operand : use.operands[rank]) x.push_back(from(operand));
      actual[rank].push_back(row().call(x, use.named()).array());
      world.set_eager(true);
      actual[rank].push_back(row().call(x, use.named()).array());
      world.set_eager(false);
      auto function =
          compile([&](const std::vector<Tensor>& t) { return row().call(t, use.named()); });
      actual[rank].push_back(function(x).array());
    });
    for (std::size_t rank = 0; rank < kRanks; ++rank) {
      const char* const hows[] = {"lazy", "eager", "compiled"};
      for (std::size_t how = 0; how < 3; ++how) {
        EXPECT_TRUE(close(actual[rank][how], use.expected[rank])) << hows[how] << ", rank " << rank;
      }
    }
  });
}

// Of a value that varies: the derivative of the sum over ranks, with respect to every element of
// every rank's operand.
TEST_P(EveryCollective, HasTheGradientOfItsOracle) {
  if (row().gradient == HasGradient::none) return;
  for (const OpCase& case_ : row().cases) {
    const Use use(row(), case_, DType::f64);
    if (use.operands[0][0].elements() > 400) continue;
    SCOPED_TRACE("the operand is " + use.operands[0][0].shape().text());
    // Every rank weighs its result its own way.
    const auto weight = [](std::size_t rank, std::int64_t i) {
      return std::sin(1.0 + static_cast<double>(i) + 100.0 * static_cast<double>(rank));
    };
    std::vector<std::vector<double>> gradients(kRanks);
    simulate(kRanks, [&](World& world) {
      const auto rank = static_cast<std::size_t>(world.rank());
      Plain weights(use.expected[rank].shape());
      for (std::int64_t i = 0; i < weights.shape.elements(); ++i) weights[i] = weight(rank, i);
      const Tensor w = from(rounded(weights, DType::f64));
      const auto loss = [&](const Tensor& x) {
        return sum(row().call(std::span(&x, 1), use.named()) * w);
      };
      gradients[rank] = grad(loss)(from(use.operands[rank][0])).to_vector<double>();
    });

    RankPlains plains(kRanks);
    for (std::size_t rank = 0; rank < kRanks; ++rank) plains[rank] = {plain(use.operands[rank][0])};
    const auto total = [&] {
      double sum = 0;
      const std::vector<Plain> results = row().collective_oracle(plains, use.named());
      for (std::size_t rank = 0; rank < kRanks; ++rank) {
        for (std::int64_t i = 0; i < results[rank].shape.elements(); ++i) {
          sum += results[rank][i] * weight(rank, i);
        }
      }
      return sum;
    };
    for (std::size_t rank = 0; rank < kRanks; ++rank) {
      for (std::size_t i = 0; i < gradients[rank].size(); ++i) {
        constexpr double kStep = 1e-5;
        double& x = plains[rank][0].data[i];
        const double before = x;
        x = before + kStep;
        const double up = total();
        x = before - kStep;
        const double down = total();
        x = before;
        ASSERT_NEAR(gradients[rank][i], (up - down) / (2 * kStep), 1e-5)
            << "element " << i << " of rank " << rank;
      }
    }
  }
}

std::vector<const OpRow*> communicating_rows() {
  std::vector<const OpRow*> out;
  for (const OpRow& row : table()) {
    if (row.communicates()) out.push_back(&row);
  }
  return out;
}

std::string row_name(const testing::TestParamInfo<const OpRow*>& row) {
  return std::string(ir::name_of(row.param->op)) + "_" + std::to_string(row.index);
}

INSTANTIATE_TEST_SUITE_P(Table, EveryCollective, testing::ValuesIn(communicating_rows()), row_name);

}  // namespace
}  // namespace tutti::test
