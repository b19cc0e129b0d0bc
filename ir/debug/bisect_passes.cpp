#include <tutti/ir/debug/bisect.h>
#include <tutti/ir/function.h>
#include <tutti/ir/interpret/interpret.h>
#include <tutti/ir/support/error.h>
#include <tutti/ir/verify/verify.h>

#include <algorithm>
#include <utility>

namespace tutti::ir {

namespace {

std::string failure(const Error& error) { return std::string("it fails: ") + error.what(); }

bool verifies(const Graph& graph) {
  try {
    verify(graph);
    return true;
  } catch (const Error&) {
    return false;
  }
}

// What a pass does to the programs, as a whole and in parts. The places where it does it are, for
// each program, the functions that nodes run, innermost first, and then the program itself; as
// run_passes() has it.
class PassTrial {
 public:
  PassTrial(const Pass& pass, const PassBisection& so_far, const RankArrays& inputs,
            const Tolerance& tolerance)
      : pass_(pass),
        before_(so_far.programs),
        inputs_(inputs),
        expected_(so_far.expected),
        tolerance_(tolerance) {
    for (const Graph& graph : before_.graphs) {
      programs_.push_back({.first = places_, .functions = {}});
      // Otherwise it goes over them by itself, from the program on.
      if (!pass.takes_varying_sizes) programs_.back().functions = all_functions(graph);
      places_ += programs_.back().functions.size() + 1;
    }
  }

  bool changed() const { return changed_; }
  const RankPrograms& after() const { return after_; }

  std::optional<PassCulprit> run() {
    after_ = before_;
    for (std::size_t program = 0; program < after_.graphs.size(); ++program) {
      std::optional<std::string> finding = run_on(program);
      if (finding) return culprit_in(program, *std::move(finding));
    }
    if (!changed_) return std::nullopt;
    const Verdict verdict = judge(after_);
    if (!verdict.finding) return std::nullopt;
    return locate(verdict);
  }

 private:
  struct Program {
    std::size_t first;  // of its places
    std::vector<FunctionPtr> functions;
  };

  // The whole pass; what it does wrong without running anything.
  std::optional<std::string> run_on(std::size_t program) {
    Graph& graph = after_.graphs[program];
    const Pass* const pass = &pass_;
    try {
      const bool changed = run_passes(
          graph, std::span(&pass, 1),
          {.disabled = {}, .verify = [](const Graph& made) { verify(made); }, .after = {}});
      if (!changed && !structurally_equal(graph, before_.graphs[program])) {
        return "it changed the program and said that it had not";
      }
      changed_ = changed_ || changed;
      return std::nullopt;
    } catch (const Error& error) {
      return failure(error);
    }
  }

  // What is wrong with the results, or why there are none.
  struct Verdict {
    std::optional<std::string> finding;
    bool fails = false;
  };

  Verdict judge(const RankPrograms& programs) const {
    try {
      return {result_difference(expected_, interpret(programs.by_rank(), inputs_), tolerance_)};
    } catch (const Error& error) {
      return {failure(error), true};
    }
  }

  // A program once the pass did its work in so many of its places.
  Graph partly(std::size_t program, std::size_t places) const {
    Graph out = before_.graphs[program];
    const std::size_t functions = programs_[program].functions.size();
    const auto run = pass_.run_function != nullptr ? pass_.run_function : pass_.run;
    std::size_t seen = 0;
    if (functions != 0) {
      change_functions(out, [&](Graph& function) { return seen++ < places && run(function); });
    }
    if (places > functions) pass_.run(out);
    return out;
  }

  RankPrograms partly(std::size_t places) const {
    RankPrograms out = before_;
    for (std::size_t i = 0; i < out.graphs.size() && programs_[i].first < places; ++i) {
      out.graphs[i] = partly(i, places - programs_[i].first);
    }
    return out;
  }

  PassCulprit culprit(std::string finding) const {
    const auto changed = std::ranges::mismatch(before_.graphs, after_.graphs, structurally_equal);
    const auto first = static_cast<std::size_t>(changed.in1 - before_.graphs.begin());
    const std::size_t program = std::min(first, before_.graphs.size() - 1);
    return {.pass = std::string(pass_.name),
            .finding = std::move(finding),
            .ranks = {},
            .function = {},
            .before = before_.graphs[program],
            .after = after_.graphs[program]};
  }

  // A program for which the pass fails, or makes what is no program.
  PassCulprit culprit_in(std::size_t program, std::string finding) const {
    PassCulprit out = culprit(std::move(finding));
    out.ranks = before_.ranks_of(program);
    out.before = before_.graphs[program];
    const Graph& made = after_.graphs[program];
    out.after = verifies(made) ? made : out.before;
    const auto& functions = programs_[program].functions;
    for (std::size_t i = 0; i < functions.size(); ++i) {
      if (works_in(program, i + 1)) continue;
      out.function = functions[i]->graph().name;
      break;
    }
    return out;
  }

  bool works_in(std::size_t program, std::size_t places) const {
    try {
      verify(partly(program, places));
      return true;
    } catch (const Error&) {
      return false;
    }
  }

  // If the whole gives other results, but a part gives none at all, there is not one place alone.
  PassCulprit locate(const Verdict& whole) const {
    PassCulprit out = culprit(*whole.finding);
    std::size_t right = 0;  // so many places give right results
    std::size_t wrong_from = places_;
    while (wrong_from - right > 1) {
      const std::size_t middle = right + (wrong_from - right) / 2;
      const Verdict part = judge(partly(middle));
      if (part.fails && !whole.fails) return out;
      (part.finding ? wrong_from : right) = middle;
    }
    const auto last = std::ranges::upper_bound(programs_, right, {}, &Program::first) - 1;
    const auto program = static_cast<std::size_t>(last - programs_.begin());
    const std::size_t place = right - last->first;
    out.ranks = before_.ranks_of(program);
    if (place < last->functions.size()) out.function = last->functions[place]->graph().name;
    out.before = partly(program, place);
    out.after = partly(program, place + 1);
    return out;
  }

  const Pass& pass_;
  const RankPrograms& before_;
  const RankArrays& inputs_;
  const RankArrays& expected_;
  const Tolerance& tolerance_;
  std::vector<Program> programs_;
  std::size_t places_ = 0;
  RankPrograms after_;
  bool changed_ = false;
};

}  // namespace

PassBisection bisect_passes(const RankPrograms& traced, std::span<const Pass* const> passes,
                            const RankArrays& inputs, const Tolerance& tolerance,
                            const std::function<void(const Innocent&)>& looked_at) {
  PassBisection out{
      .culprit = {}, .programs = traced, .expected = interpret(traced.by_rank(), inputs)};
  for (const Pass* const pass : passes) {
    PassTrial trial(*pass, out, inputs, tolerance);
    out.culprit = trial.run();
    if (out.culprit) return out;
    if (looked_at) looked_at({*pass, trial.changed()});
    out.programs = trial.after();
  }
  return out;
}

}  // namespace tutti::ir
