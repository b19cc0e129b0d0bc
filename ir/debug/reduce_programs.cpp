#include <tutti/ir/debug/edit.h>
#include <tutti/ir/debug/program_family.h>
#include <tutti/ir/debug/reduce_programs.h>
#include <tutti/ir/function.h>

#include <algorithm>
#include <map>
#include <optional>
#include <ranges>
#include <set>
#include <unordered_set>

namespace tutti::ir {

namespace {

Hash128 hash_of_programs(const Programs& programs) {
  Hasher hasher;
  for (const Module& program : programs) {
    hasher.add(program.functions.size());
    for (const Graph& function : program.functions) hasher.add(structural_hash(function));
  }
  return hasher.finish();
}

template <class F>
void for_each_collective(const Programs& programs, F&& f) {
  for (const Module& program : programs) {
    for (const Graph& function : program.functions) {
      for (NodeId id = 0; id < function.node_count(); ++id) {
        if (definition(function.node(id).op).kind != OpClass::collective) continue;
        f(function, id, *function.attributes(id).group("group"));
      }
    }
  }
}

// A node or a result of a function that nodes run.
struct Inside {
  std::size_t function;  // of all_functions()
  std::size_t index;
};

// Programs may grow to twice their size and some more when functions come where they are run.
constexpr double kGrowth = 2;
constexpr double kMoreNodes = 64;

class Reducer {
 public:
  Reducer(Programs programs, const Check& check)
      : best_{.programs = std::move(programs)},
        check_(check),
        size_(size_of(best_.programs)),
        most_nodes_(kGrowth * static_cast<double>(size_.nodes + size_.constants) + kMoreNodes) {}

  Reduction run() {
    ProgramSize before;
    do {
      before = size_;
      together_ = are_alike(best_.programs);
      drop_functions();
      cut_groups();
      edit_all({.without_mesh = true}, best_.programs.size());
      edit_all({.two_ranks = true}, 2);
      together_ = are_alike(best_.programs);
      for (std::size_t family = 0; family < families().size(); ++family) reduce_family(family);
    } while (size_ < before && !best_.stopped);
    return std::move(best_);
  }

 private:
  std::vector<Family> families() const { return families_of(best_.programs, together_); }
  const Graph& graph(std::size_t family) const {
    const Place place = families()[family].front();
    return best_.programs[place.program].functions[place.function];
  }

  // Makes a candidate the best one if it is smaller and interesting.
  bool accept(Programs candidate) {
    if (best_.stopped) return false;
    const ProgramSize size = size_of(candidate);
    if (size >= size_ || !tried_.insert(hash_of_programs(candidate)).second) return false;
    ++best_.checks;
    const Verdict verdict = check_(candidate);
    best_.stopped = verdict == Verdict::stop;
    if (verdict != Verdict::interesting) return false;
    best_.programs = std::move(candidate);
    size_ = size;
    together_ = together_ && are_alike(best_.programs);
    return true;
  }

  bool accept(std::size_t family, const Edit& edit) {
    Programs candidate = best_.programs;
    const Family places = families()[family];
    for (const Place place : places) {
      Graph& function = candidate[place.program].functions[place.function];
      std::optional<Graph> changed = edited(function, edit);
      if (!changed) return false;
      function = *std::move(changed);
    }
    return accept(std::move(candidate));
  }

  // Changes all functions of the first programs, and drops the other programs.
  bool edit_all(const Edit& edit, std::size_t programs) {
    Programs candidate = best_.programs;
    candidate.resize(std::min(candidate.size(), programs));
    for (Module& program : candidate) {
      for (Graph& function : program.functions) {
        std::optional<Graph> changed = edited(function, edit);
        if (!changed) return false;
        function = *std::move(changed);
      }
    }
    return accept(std::move(candidate));
  }

  // Tries to change many things of a kind at a time, from the last one on: all, then halves, and so
  // on. `list` gives the things there are, `change` tries to change some.
  template <class List, class Change>
  void in_chunks(const List& list, const Change& change) {
    for (std::size_t chunk = list().size(); chunk != 0 && !best_.stopped; chunk /= 2) {
      for (std::size_t end = list().size(); end != 0 && !best_.stopped;) {
        const auto things = list();
        end = std::min(end, things.size());
        const std::size_t begin = end - std::min(end, chunk);
        change(std::span(things).subspan(begin, end - begin));
        end = begin;
      }
    }
  }

  void drop_functions() {
    const auto list = [&] {
      std::vector<std::size_t> out(families().size());
      for (std::size_t i = 0; i < out.size(); ++i) out[i] = i;
      return out;
    };
    in_chunks(list, [&](std::span<const std::size_t> dropped) {
      Programs candidate = best_.programs;
      std::set<std::pair<std::size_t, std::size_t>> places;
      const std::vector<Family> all = families();
      for (const std::size_t family : dropped) {
        for (const Place place : all[family]) places.emplace(place.program, place.function);
      }
      for (const auto& [program, function] : std::views::reverse(places)) {
        auto& functions = candidate[program].functions;
        functions.erase(functions.begin() + static_cast<std::ptrdiff_t>(function));
      }
      if (std::ranges::any_of(candidate, [](const Module& m) { return m.functions.empty(); })) {
        return;
      }
      accept(std::move(candidate));
    });
  }

  // What ranks say to each other goes on all of them at once: programs that differ have to fit.
  void cut_groups() {
    const auto list = [&] {
      std::vector<Group> out;
      for_each_collective(best_.programs, [&](const Graph&, NodeId, const Group& group) {
        if (std::ranges::find(out, group) == out.end()) out.push_back(group);
      });
      return out;
    };
    in_chunks(list, [&](std::span<const Group> groups) {
      std::map<const Graph*, Edit> edits;
      Programs candidate = best_.programs;
      for_each_collective(candidate, [&](const Graph& function, NodeId id, const Group& group) {
        if (std::ranges::find(groups, group) == groups.end()) return;
        Edit& edit = edits[&function];
        edit.fates.resize(function.node_count(), Fate::stays);
        edit.fates[id] = Fate::cut;
      });
      for (Module& program : candidate) {
        for (Graph& function : program.functions) {
          const auto edit = edits.find(&function);
          if (edit == edits.end()) continue;
          std::optional<Graph> changed = edited(function, edit->second);
          if (!changed) return;
          function = *std::move(changed);
        }
      }
      accept(std::move(candidate));
    });
  }

  // What is nearest to a small program comes first.
  void reduce_family(std::size_t family) {
    change_nodes(family, Fate::cut);
    drop_results(family);
    change_nodes(family, Fate::operand);
    change_nodes(family, Fate::zero);
    if (has_functions(graph(family))) reduce_functions(family);
    shrink_sizes(family);
  }

  // What nodes run.
  void reduce_functions(std::size_t family) {
    choose_functions(family, &FunctionEdit::inlined);
    choose_functions(family, &FunctionEdit::alone);
    change_nodes_inside(family, Fate::cut);
    replace_results_inside(family);
    change_nodes_inside(family, Fate::operand);
    change_nodes_inside(family, Fate::zero);
    for (const bool keeps : {true, false}) {
      for (const Among among : {Among::first, Among::last}) {
        Edit edit = trimming(functions(family), keeps);
        edit.among = among;
        accept(family, edit);
      }
    }
    trim_parameters(family);
  }

  // Loops and branches lose results that nobody needs, and parameters if these do not stay.
  static Edit trimming(const std::vector<FunctionPtr>& functions, bool keeps_parameters) {
    Edit edit{.functions = unchanged(functions), .trims = true};
    for (std::size_t i = 0; i < functions.size() && keeps_parameters; ++i) {
      edit.functions[i].kept.assign(functions[i]->graph().parameters().size(), true);
    }
    return edit;
  }

  // What nobody needs of what loops and branches take, and what comes of it.
  void trim_parameters(std::size_t family) {
    const auto list = [&] {
      return indices_inside(family, [](const Graph& graph) { return graph.parameters().size(); });
    };
    in_chunks(list, [&](std::span<const Inside> parameters) {
      Edit edit = trimming(functions(family), true);
      for (const Inside each : parameters) edit.functions[each.function].kept[each.index] = false;
      accept(family, edit);
    });
  }

  template <class Count>
  std::vector<Inside> indices_inside(std::size_t family, const Count& count) const {
    std::vector<Inside> out;
    const std::vector<FunctionPtr> all = functions(family);
    for (std::size_t i = 0; i < all.size(); ++i) {
      for (std::size_t j = 0; j < count(all[i]->graph()); ++j) out.push_back({i, j});
    }
    return out;
  }

  std::vector<FunctionPtr> functions(std::size_t family) const {
    return all_functions(graph(family));
  }
  static std::vector<FunctionEdit> unchanged(const std::vector<FunctionPtr>& functions) {
    return std::vector<FunctionEdit>(functions.size());
  }

  void choose_functions(std::size_t family, bool FunctionEdit::* choice) {
    const auto list = [&] {
      std::vector<std::size_t> out(functions(family).size());
      for (std::size_t i = 0; i < out.size(); ++i) out[i] = i;
      return out;
    };
    in_chunks(list, [&](std::span<const std::size_t> chosen) {
      Edit edit{.functions = unchanged(functions(family))};
      for (const std::size_t function : chosen) edit.functions[function].*choice = true;
      if (most_nodes_after(graph(family), edit) <= most_nodes_) accept(family, edit);
    });
  }

  void change_nodes_inside(std::size_t family, Fate fate) {
    const auto list = [&] {
      std::vector<Inside> out;
      const std::vector<FunctionPtr> all = functions(family);
      for (std::size_t i = 0; i < all.size(); ++i) {
        const Graph& function = all[i]->graph();
        const std::vector<std::uint32_t> uses = count_uses(function);
        for (NodeId id = 0; id < function.node_count(); ++id) {
          bool used = false;
          for (std::uint32_t j = 0; j < function.node(id).result_count; ++j) {
            used = used || uses[function.result(id, j).id] != 0;
          }
          const bool is_idle = fate == Fate::zero && is_constant(function, id);
          if (used == (fate != Fate::cut) && !is_idle) out.push_back({i, id});
        }
      }
      return out;
    };
    in_chunks(list, [&](std::span<const Inside> nodes) {
      const std::vector<FunctionPtr> all = functions(family);
      Edit edit{.functions = unchanged(all)};
      for (const Inside node : nodes) {
        std::vector<Fate>& fates = edit.functions[node.function].fates;
        fates.resize(all[node.function]->graph().node_count(), Fate::stays);
        fates[node.index] = fate;
      }
      accept(family, edit);
    });
  }

  void replace_results_inside(std::size_t family) {
    const auto list = [&] {
      return indices_inside(family, [](const Graph& graph) { return graph.results().size(); });
    };
    in_chunks(list, [&](std::span<const Inside> results) {
      const std::vector<FunctionPtr> all = functions(family);
      Edit edit{.functions = unchanged(all)};
      for (const Inside result : results) {
        std::vector<bool>& replaced = edit.functions[result.function].replaced;
        replaced.resize(all[result.function]->graph().results().size(), false);
        replaced[result.index] = true;
      }
      accept(family, edit);
    });
  }

  void change_nodes(std::size_t family, Fate fate) {
    const auto list = [&] {
      std::vector<NodeId> out;
      const Graph& function = graph(family);
      for (NodeId id = 0; id < function.node_count(); ++id) {
        if (fate == Fate::zero &&
            (function.node(id).op == Op::parameter || is_constant(function, id))) {
          continue;
        }
        out.push_back(id);
      }
      return out;
    };
    in_chunks(list, [&](std::span<const NodeId> nodes) {
      Edit edit{.fates = std::vector(graph(family).node_count(), Fate::stays)};
      for (const NodeId node : nodes) edit.fates[node] = fate;
      accept(family, edit);
    });
  }

  void drop_results(std::size_t family) {
    const auto list = [&] {
      std::vector<std::size_t> out(graph(family).results().size());
      for (std::size_t i = 0; i < out.size(); ++i) out[i] = i;
      return out;
    };
    in_chunks(list, [&](std::span<const std::size_t> results) {
      Edit edit{.dropped = std::vector(graph(family).results().size(), false)};
      for (const std::size_t result : results) edit.dropped[result] = true;
      accept(family, edit);
    });
  }

  // Every size becomes 1, 2, 4 or so, wherever it stands.
  void shrink_sizes(std::size_t family) {
    std::set<std::int64_t> sizes;
    const auto add = [&](const Graph& function) {
      for (std::uint32_t id = 0; id < function.value_count(); ++id) {
        for (const std::int64_t size : function.type(Value{id}).shape) sizes.insert(size);
      }
      for (NodeId id = 0; id < function.node_count(); ++id) {
        if (function.node(id).op == Op::scan) {
          sizes.insert(function.attributes(id).integer("length"));
        }
      }
    };
    add(graph(family));
    for (const FunctionPtr& function : functions(family)) add(function->graph());
    for (auto size = sizes.rbegin(); size != sizes.rend() && *size > 1; ++size) {
      for (std::int64_t smaller = 1; smaller < *size; smaller *= 2) {
        if (accept(family, {.sizes = {{*size, smaller}}})) break;
      }
    }
  }

  Reduction best_;
  const Check& check_;
  ProgramSize size_;
  // Programs that have come apart stay so until all families have been looked at, and the number of
  // a family means the same: they may become alike on the way.
  bool together_ = false;
  const double most_nodes_;
  std::unordered_set<Hash128, Hash128Hasher> tried_;
};

}  // namespace

Reduction reduce_programs(Programs programs, const Check& check) {
  return Reducer(std::move(programs), check).run();
}

}  // namespace tutti::ir
