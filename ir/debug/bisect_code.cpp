#include <tutti/ir/debug/bisect.h>
#include <tutti/ir/function.h>
#include <tutti/ir/interpret/interpret.h>
#include <tutti/ir/passes/fuse.h>
#include <tutti/ir/support/error.h>
#include <tutti/ir/text/print.h>

#include <algorithm>
#include <utility>

namespace tutti::ir {

namespace {

bool makes_a_kernel(const Graph& graph, NodeId id) {
  const OpClass kind = definition(graph.node(id).op).kind;
  return kind == OpClass::elementwise || kind == OpClass::reduce;
}

// The first kernels of a function stay as they are, and every node of the others gets one.
void split_kernels(Graph& graph, std::int32_t kept) {
  std::int32_t next = kept;
  for (NodeId id = 0; id < graph.node_count(); ++id) {
    const std::int32_t kernel = graph.node(id).fusion;
    if (kernel >= 0 && kernel < kept) continue;
    graph.set_fusion(id, makes_a_kernel(graph, id) ? next++ : -1);
  }
}

std::vector<Value> values_that_can_be_results(const Graph& graph) {
  std::vector<Value> out;
  for (std::uint32_t id = 0; id < graph.value_count(); ++id) {
    const Value value{id};
    if (graph.op(value) != Op::parameter && !graph.type(value).async) out.push_back(value);
  }
  return out;
}

// What other ranks had a part in.
bool comes_from_others(const Graph& graph, Value value) {
  return graph.op(value) == Op::wait || definition(graph.op(value)).kind == OpClass::collective;
}

// Kernels are numbered through all programs: in each, those of the functions that nodes run,
// innermost first, and then its own.
class CodeBisection {
 public:
  CodeBisection(const RankPrograms& programs, const RankArrays& inputs, const RunCompiled& run,
                const Tolerance& tolerance)
      : programs_(programs),
        inputs_(inputs),
        run_(run),
        tolerance_(tolerance),
        expected_(interpret(programs.by_rank(), inputs)) {
    for (std::size_t program = 0; program < programs.graphs.size(); ++program) {
      for (const FunctionPtr& function : all_functions(programs.graphs[program])) {
        add_place(program, function->graph());
      }
      add_place(program, programs.graphs[program]);
    }
  }

  std::optional<CodeCulprit> find() {
    std::optional<std::string> finding = wrong(programs_);
    if (!finding) return std::nullopt;
    CodeCulprit out{
        .finding = *std::move(finding), .blame = {}, .ranks = {}, .graph = Graph(), .nodes = {}};
    if (wrong(with_fused_kernels(0))) {
      blame_node(out);
    } else {
      blame_kernel(out);
    }
    return out;
  }

 private:
  struct Place {
    std::size_t program;
    const Graph* function;
    std::int32_t first;  // of its kernels
    std::vector<FusionGroup> kernels;
  };

  void add_place(std::size_t program, const Graph& function) {
    places_.push_back({program, &function, kernels_, fusion_groups(function)});
    kernels_ += static_cast<std::int32_t>(places_.back().kernels.size());
  }

  // The same programs with their first kernels as they are.
  RankPrograms with_fused_kernels(std::int32_t kept) const {
    RankPrograms out = programs_;
    std::size_t place = 0;
    const auto split = [&](Graph& function) {
      const Place& here = places_[place++];
      const auto own = static_cast<std::int32_t>(here.kernels.size());
      split_kernels(function, std::clamp(kept - here.first, 0, own));
      return true;
    };
    for (Graph& graph : out.graphs) {
      change_functions(graph, split);
      split(graph);
    }
    return out;
  }

  std::optional<std::string> wrong(const RankPrograms& programs) const {
    try {
      return result_difference(expected_, run_(programs), tolerance_);
    } catch (const EnvironmentError&) {
      throw;
    } catch (const UsageError&) {
      throw;
    } catch (const Error& error) {
      return std::string("it fails: ") + error.what();
    }
  }

  void blame_kernel(CodeCulprit& out) const {
    std::int32_t right = 0;  // so many fused kernels give right results
    std::int32_t wrong_from = kernels_;
    while (wrong_from - right > 1) {
      const std::int32_t middle = right + (wrong_from - right) / 2;
      (wrong(with_fused_kernels(middle)) ? wrong_from : right) = middle;
    }
    const Place& place = *(std::ranges::upper_bound(places_, right, {}, &Place::first) - 1);
    const auto kernel = static_cast<std::size_t>(right - place.first);
    const bool is_inside = place.function != &programs_.graphs[place.program];
    out.ranks = programs_.ranks_of(place.program);
    out.graph = *place.function;
    out.nodes = place.kernels[kernel].members;
    out.blame = "kernel " + std::to_string(kernel) + " of " + std::to_string(place.kernels.size()) +
                (is_inside ? " in @" + place.function->name : "") +
                ": the results are right if its nodes are kernels of their own";
  }

  // With a kernel for each node everything that is computed can be looked at.
  void blame_node(CodeCulprit& out) const {
    out.blame = "code generation, whatever is fused";
    RankPrograms open = with_fused_kernels(0);
    for (Graph& graph : open.graphs) graph.set_results(values_that_can_be_results(graph));
    RankArrays actual;
    try {
      actual = run_(open);
    } catch (const Error&) {
      return;
    }
    const RankArrays expected = interpret(open.by_rank(), inputs_);
    for (const bool from_others : {false, true}) {
      for (std::size_t program = 0; program < open.graphs.size(); ++program) {
        if (blame_node_of(open, program, from_others, expected, actual, out)) return;
      }
    }
  }

  bool blame_node_of(const RankPrograms& open, std::size_t program, bool from_others,
                     const RankArrays& expected, const RankArrays& actual, CodeCulprit& out) const {
    const Graph& graph = open.graphs[program];
    const std::vector<std::int64_t> ranks = open.ranks_of(program);
    for (std::size_t i = 0; i < graph.results().size(); ++i) {
      const Value value = graph.results()[i];
      if (comes_from_others(graph, value) != from_others) continue;
      for (const std::int64_t rank : ranks) {
        const auto at = static_cast<std::size_t>(rank);
        const auto finding = difference_of(expected[at][i], actual[at][i], tolerance_);
        if (!finding) continue;
        out.blame = "the code of one node: " + print(graph, value) + " on rank " +
                    std::to_string(rank) + " " + *finding;
        out.ranks = ranks;
        out.graph = programs_.graphs[program];
        out.nodes = {graph.producer(value)};
        return true;
      }
    }
    return false;
  }

  const RankPrograms& programs_;
  const RankArrays& inputs_;
  const RunCompiled& run_;
  const Tolerance& tolerance_;
  const RankArrays expected_;
  std::vector<Place> places_;
  std::int32_t kernels_ = 0;
};

}  // namespace

std::optional<CodeCulprit> bisect_code(const RankPrograms& programs, const RankArrays& inputs,
                                       const RunCompiled& run, const Tolerance& tolerance) {
  return CodeBisection(programs, inputs, run, tolerance).find();
}

}  // namespace tutti::ir
