#include <tutti/ir/builder.h>
#include <tutti/ir/interpret/interpret.h>
#include <tutti/lazy/context.h>

#include <cmath>
#include <map>

#include "tests/support/ops/table.h"
#include "tests/support/run_graph.h"
#include <gmock/gmock.h>

namespace tutti::test::every_collective_test {
namespace {

// A row, and the number of ranks it is made for.
struct Param {
  const OpRow* row;
  int ranks;
  std::size_t number;  // among the rows
};

// One case of a row: every rank's attributes, operands and expected result.
struct Use {
  std::vector<std::vector<ir::Attribute>> attributes;  // [rank]
  RankArrays operands;
  std::vector<Array> expected;

  Use(const OpRow& row, const OpCase& use, DType dtype, int ranks) : row_(row) {
    const std::vector<ir::Attribute> of_all = row.complete(use);
    const Attributes named(ir::definition(row.op).attributes, of_all);
    for (int rank = 0; rank < ranks; ++rank) {
      const OpCase own = row.own_case(use, rank);
      attributes.push_back(own.attributes);
      operands.push_back(make_operands(row, own, dtype, rank));
    }
    for (const Plain& result : row.collective_oracle(plains(), named)) {
      expected.push_back(rounded(result, row.result_dtype(dtype, named)));
    }
  }

  Attributes named(std::size_t rank) const {
    return {ir::definition(row_.op).attributes, attributes[rank]};
  }
  RankPlains plains() const {
    RankPlains out(operands.size());
    for (std::size_t rank = 0; rank < operands.size(); ++rank) {
      for (const Array& operand : operands[rank]) out[rank].push_back(plain(operand));
    }
    return out;
  }

 private:
  const OpRow& row_;
};

class EveryCollective : public testing::TestWithParam<Param> {
 protected:
  static constexpr std::int64_t kMostElements = 400;  // for gradients, and but for four ranks

  const OpRow& row() const { return *GetParam().row; }
  int ranks() const { return GetParam().ranks; }

  // Calls f(use) for the cases of every dtype; over other than four ranks only the first dtype and
  // no large tensors.
  template <class F>
  void each_use(F&& f) const {
    for (const DType dtype : row().dtypes) {
      const bool first = dtype == row().dtypes[0];
      if (!first && ranks() != 4) continue;
      const std::size_t count = first ? row().cases.size() : std::size_t{2};
      for (std::size_t i = 0; i < std::min(count, row().cases.size()); ++i) {
        SCOPED_TRACE(std::string(name_of(dtype)) + ", case " + std::to_string(i));
        const Use use(row(), row().cases[i], dtype, ranks());
        if (ranks() == 4 || use.expected[0].elements() <= kMostElements) f(use);
      }
    }
  }

  // The row's program for one rank.
  ir::Graph program(const Use& use, std::size_t rank) const {
    ir::Graph graph{std::string(ir::name_of(row().op))};
    graph.mesh = std::make_shared<const ir::Mesh>(ir::Mesh{.names = {"world"}, .sizes = {ranks()}});
    ir::Builder builder(graph);
    std::vector<ir::Value> x;
    for (const Array& operand : use.operands[rank]) {
      x.push_back(graph.add_parameter("x", {.dtype = operand.dtype(), .shape = operand.shape()}));
    }
    graph.set_results({row().build ? row().build(builder, x, static_cast<std::int64_t>(rank))
                                   : builder.add(row().op, x, use.attributes[rank])});
    return graph;
  }
};

TEST_P(EveryCollective, MeansTheSameToInterpreterAndEngines) {
  each_use([&](const Use& use) {
    std::vector<ir::Graph> graphs;
    std::vector<const ir::Graph*> programs;
    for (std::size_t rank = 0; rank < use.operands.size(); ++rank) {
      graphs.push_back(program(use, rank));
    }
    for (const ir::Graph& graph : graphs) programs.push_back(&graph);
    const auto expect_close = [&](const RankArrays& actual, std::string_view how) {
      for (std::size_t rank = 0; rank < actual.size(); ++rank) {
        EXPECT_TRUE(close(actual[rank][0], use.expected[rank])) << how << ", rank " << rank;
      }
    };
    expect_close(ir::interpret(programs, use.operands), "interpreted");
    for (const codegen::KernelMode mode : kernel_modes()) {
      expect_close(run_compiled(programs, use.operands, mode), name_of(mode));
    }
  });
}

TEST_P(EveryCollective, IsTheSameEagerLazyAndCompiled) {
  each_use([&](const Use& use) {
    RankArrays actual(use.operands.size());
    simulate(ranks(), [&](World& world) {
      const auto rank = static_cast<std::size_t>(world.rank());
      std::vector<Tensor> x;
      for (const Array& operand : use.operands[rank]) x.push_back(from(operand));
      actual[rank].push_back(row().call(x, use.named(rank)).array());
      world.set_eager(true);
      actual[rank].push_back(row().call(x, use.named(rank)).array());
      world.set_eager(false);
      auto function =
          compile([&](const std::vector<Tensor>& t) { return row().call(t, use.named(rank)); });
      actual[rank].push_back(function(x).array());
    });
    for (std::size_t rank = 0; rank < actual.size(); ++rank) {
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
    const Use use(row(), case_, DType::f64, ranks());
    if (use.operands[0][0].elements() > kMostElements) continue;
    SCOPED_TRACE("the operand is " + use.operands[0][0].shape().text());
    // Every rank weighs its result its own way.
    const auto weight = [](std::size_t rank, std::int64_t i) {
      return std::sin(1.0 + static_cast<double>(i) + 100.0 * static_cast<double>(rank));
    };
    std::vector<std::vector<double>> gradients(use.operands.size());
    simulate(ranks(), [&](World& world) {
      const auto rank = static_cast<std::size_t>(world.rank());
      Plain weights(use.expected[rank].shape());
      for (std::int64_t i = 0; i < weights.shape.elements(); ++i) weights[i] = weight(rank, i);
      const Tensor w = from(rounded(weights, DType::f64));
      const auto loss = [&](const Tensor& x) {
        return sum(row().call(std::span(&x, 1), use.named(rank)) * w);
      };
      const Tensor x = from(use.operands[rank][0]);
      if (row().gradient == HasGradient::refused) {
        EXPECT_THROW(grad(loss)(x), TypeError);
      } else {
        gradients[rank] = grad(loss)(x).to_vector<double>();
      }
    });

    const std::vector<ir::Attribute> of_all = row().complete(case_);
    const Attributes named(ir::definition(row().op).attributes, of_all);
    RankPlains plains = use.plains();
    const auto total = [&] {
      double sum = 0;
      const std::vector<Plain> results = row().collective_oracle(plains, named);
      for (std::size_t rank = 0; rank < results.size(); ++rank) {
        for (std::int64_t i = 0; i < results[rank].shape.elements(); ++i) {
          sum += results[rank][i] * weight(rank, i);
        }
      }
      return sum;
    };
    for (std::size_t rank = 0; rank < plains.size(); ++rank) {
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

std::vector<Param> communicating_rows() {
  static const std::map<int, std::vector<OpRow>> rows = [] {
    std::map<int, std::vector<OpRow>> out;
    for (int ranks = 1; ranks <= 5; ++ranks) out[ranks] = collective_rows(ranks);
    return out;
  }();
  std::vector<Param> out;
  for (const auto& [ranks, of_ranks] : rows) {
    for (std::size_t i = 0; i < of_ranks.size(); ++i) out.push_back({&of_ranks[i], ranks, i});
  }
  return out;
}

std::string row_name(const testing::TestParamInfo<Param>& info) {
  return std::string(ir::name_of(info.param.row->op)) + "_" + std::to_string(info.param.number) +
         "_over_" + std::to_string(info.param.ranks);
}

INSTANTIATE_TEST_SUITE_P(Table, EveryCollective, testing::ValuesIn(communicating_rows()), row_name);

}  // namespace
}  // namespace tutti::test::every_collective_test
