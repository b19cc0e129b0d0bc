#include <tutti/ir/array_difference.h>
#include <tutti/ir/bisect.h>
#include <tutti/ir/interpret.h>
#include <tutti/ir/passes/fuse.h>
#include <tutti/ir/print.h>
#include <tutti/ir/support/error.h>
#include <tutti/ir/verify.h>

#include <algorithm>
#include <utility>

namespace tutti::ir {

namespace {

// The distance from 1 to the next number.
double epsilon(DType dtype) {
  switch (dtype) {
    case DType::bf16:
      return 0x1p-7;
    case DType::f16:
      return 0x1p-10;
    case DType::f32:
      return 0x1p-23;
    default:
      return 0x1p-52;
  }
}

// Narrow numbers are computed in f32 and rounded once or a few times.
Tolerance epsilons(double narrow, double wide) {
  return [=](DType dtype) {
    const bool is_narrow = dtype == DType::bf16 || dtype == DType::f16;
    return epsilon(dtype) * (is_narrow ? narrow : wide);
  };
}

std::string text_of(const Array& array) {
  return std::string(name_of(array.dtype())) + array.shape().text();
}

std::string text_of(const ArrayDifference& difference, std::int64_t elements) {
  std::string out = "differs";
  if (!difference.index.empty()) {
    out += " at [";
    for (const std::int64_t index : difference.index) {
      out += (out.back() == '[' ? "" : ", ") + std::to_string(index);
    }
    out += "]";
  }
  out += ": " + difference.actual + " instead of " + difference.expected;
  const std::int64_t more = difference.count - 1;
  if (more > 0) {
    out += std::string(more == 1 ? "; so does " : "; so do ") + std::to_string(more) +
           " more of its " + std::to_string(elements) + " elements";
  }
  return out;
}

std::optional<std::string> difference_of(const Array& expected, const Array& actual,
                                         const Tolerance& tolerance) {
  if (expected.dtype() != actual.dtype() || expected.shape() != actual.shape()) {
    return "is " + text_of(actual) + ", not " + text_of(expected);
  }
  const auto difference = array_difference(expected, actual, tolerance(expected.dtype()));
  if (!difference) return std::nullopt;
  return text_of(*difference, expected.elements());
}

std::string failure(const Error& error) { return std::string("it fails: ") + error.what(); }

bool verifies(const Graph& graph) {
  try {
    verify(graph);
    return true;
  } catch (const Error&) {
    return false;
  }
}

// What one pass makes of a graph, and what is wrong with it.
std::optional<std::string> try_pass(Graph& graph, const Pass* pass, const PassBisection& so_far,
                                    const RankArrays& inputs, const Tolerance& tolerance,
                                    const std::function<void(const PassReport&)>& looked_at) {
  std::optional<std::string> finding;
  const auto judge = [&](const PassReport& report) {
    if (report.changed) {
      finding = result_difference(so_far.expected, interpret(graph, inputs), tolerance);
    } else if (!structurally_equal(graph, so_far.graph)) {
      finding = "it changed the program and said that it had not";
    }
    if (!finding && looked_at) looked_at(report);
  };
  try {
    run_passes(graph, std::span(&pass, 1),
               {.disabled = {}, .verify = [](const Graph& made) { verify(made); }, .after = judge});
  } catch (const Error& error) {
    finding = failure(error);
    if (!verifies(graph)) graph = so_far.graph;
  }
  return finding;
}

bool makes_a_kernel(const Graph& graph, NodeId id) {
  const OpClass kind = definition(graph.node(id).op).kind;
  return kind == OpClass::elementwise || kind == OpClass::reduce;
}

// The same program with its first kernels as they are, and one for every node of the others.
Graph with_fused_kernels(const Graph& graph, std::int32_t kept) {
  Graph out = graph;
  std::int32_t next = kept;
  for (NodeId id = 0; id < out.node_count(); ++id) {
    const std::int32_t kernel = out.node(id).fusion;
    if (kernel >= 0 && kernel < kept) continue;
    out.set_fusion(id, makes_a_kernel(out, id) ? next++ : -1);
  }
  return out;
}

std::vector<Value> values_that_can_be_results(const Graph& graph) {
  std::vector<Value> out;
  for (std::uint32_t id = 0; id < graph.value_count(); ++id) {
    const Value value{id};
    if (graph.op(value) != Op::parameter && !graph.type(value).async) out.push_back(value);
  }
  return out;
}

class CodeBisection {
 public:
  CodeBisection(const Graph& graph, const RankArrays& inputs, const RunCompiled& run,
                const Tolerance& tolerance)
      : graph_(graph),
        inputs_(inputs),
        run_(run),
        tolerance_(tolerance),
        expected_(interpret(graph, inputs)) {}

  std::optional<CodeCulprit> find() {
    std::optional<std::string> finding = wrong(graph_);
    if (!finding) return std::nullopt;
    CodeCulprit out{.finding = *std::move(finding), .blame = {}, .nodes = {}};
    if (wrong(with_fused_kernels(graph_, 0))) {
      blame_node(out);
    } else {
      blame_kernel(out);
    }
    return out;
  }

 private:
  std::optional<std::string> wrong(const Graph& graph) const {
    try {
      return result_difference(expected_, run_(graph), tolerance_);
    } catch (const EnvironmentError&) {
      throw;
    } catch (const UsageError&) {
      throw;
    } catch (const Error& error) {
      return failure(error);
    }
  }

  void blame_kernel(CodeCulprit& out) const {
    const std::vector<FusionGroup> kernels = fusion_groups(graph_);
    std::int32_t right = 0;  // so many fused kernels give right results
    auto wrong_from = static_cast<std::int32_t>(kernels.size());
    while (wrong_from - right > 1) {
      const std::int32_t middle = right + (wrong_from - right) / 2;
      (wrong(with_fused_kernels(graph_, middle)) ? wrong_from : right) = middle;
    }
    out.nodes = kernels[static_cast<std::size_t>(right)].members;
    out.blame = "kernel " + std::to_string(right) + " of " + std::to_string(kernels.size()) +
                ": the results are right if its nodes are kernels of their own";
  }

  // With a kernel for each node everything that is computed can be looked at.
  void blame_node(CodeCulprit& out) const {
    out.blame = "code generation, whatever is fused";
    Graph open = with_fused_kernels(graph_, 0);
    const std::vector<Value> values = values_that_can_be_results(open);
    open.set_results(values);
    RankArrays actual;
    try {
      actual = run_(open);
    } catch (const Error&) {
      return;
    }
    const RankArrays expected = interpret(open, inputs_);
    for (std::size_t i = 0; i < values.size(); ++i) {
      for (std::size_t rank = 0; rank < expected.size(); ++rank) {
        const auto finding = difference_of(expected[rank][i], actual[rank][i], tolerance_);
        if (!finding) continue;
        out.blame = "the code of one node: " + print(open, values[i]) + " on rank " +
                    std::to_string(rank) + " " + *finding;
        out.nodes = {open.producer(values[i])};
        return;
      }
    }
  }

  const Graph& graph_;
  const RankArrays& inputs_;
  const RunCompiled& run_;
  const Tolerance& tolerance_;
  const RankArrays expected_;
};

}  // namespace

Tolerance tolerance_of_passes() { return epsilons(4, 16); }
Tolerance tolerance_of_code() { return epsilons(8, 256); }

std::optional<std::string> result_difference(const RankArrays& expected, const RankArrays& actual,
                                             const Tolerance& tolerance) {
  if (expected.size() != actual.size()) {
    return "there are " + std::to_string(actual.size()) + " ranks, not " +
           std::to_string(expected.size());
  }
  for (std::size_t rank = 0; rank < expected.size(); ++rank) {
    const std::string place = " on rank " + std::to_string(rank) + " ";
    if (expected[rank].size() != actual[rank].size()) {
      return "there are " + std::to_string(actual[rank].size()) + " results" + place + "and not " +
             std::to_string(expected[rank].size());
    }
    for (std::size_t i = 0; i < expected[rank].size(); ++i) {
      const auto finding = difference_of(expected[rank][i], actual[rank][i], tolerance);
      if (finding) return "result " + std::to_string(i) + place + *finding;
    }
  }
  return std::nullopt;
}

PassBisection bisect_passes(const Graph& traced, std::span<const Pass* const> passes,
                            const RankArrays& inputs, const Tolerance& tolerance,
                            const std::function<void(const PassReport&)>& looked_at) {
  PassBisection out{.culprit = {}, .graph = traced, .expected = interpret(traced, inputs)};
  for (const Pass* const pass : passes) {
    Graph graph = out.graph;
    auto finding = try_pass(graph, pass, out, inputs, tolerance, looked_at);
    if (finding) {
      out.culprit = PassCulprit{.pass = std::string(pass->name),
                                .finding = *std::move(finding),
                                .before = out.graph,
                                .after = graph};
      return out;
    }
    out.graph = std::move(graph);
  }
  return out;
}

std::optional<CodeCulprit> bisect_code(const Graph& graph, const RankArrays& inputs,
                                       const RunCompiled& run, const Tolerance& tolerance) {
  return CodeBisection(graph, inputs, run, tolerance).find();
}

}  // namespace tutti::ir
