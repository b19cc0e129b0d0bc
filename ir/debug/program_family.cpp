#include <tutti/ir/debug/program_family.h>
#include <tutti/ir/function.h>

#include <algorithm>

namespace tutti::ir {

namespace {

bool same_own_ops(const Graph& a, const Graph& b) {
  if (&a == &b) return true;
  if (a.node_count() != b.node_count() || a.results() != b.results()) return false;
  for (NodeId id = 0; id < a.node_count(); ++id) {
    if (a.node(id).op != b.node(id).op || !std::ranges::equal(a.operands(id), b.operands(id))) {
      return false;
    }
  }
  return true;
}

// Also in what nodes run.
bool same_ops(const Graph& a, const Graph& b) {
  return same_own_ops(a, b) && std::ranges::equal(all_functions(a), all_functions(b),
                                                  [](const FunctionPtr& x, const FunctionPtr& y) {
                                                    return same_own_ops(x->graph(), y->graph());
                                                  });
}

}  // namespace

bool are_alike(const Programs& programs) {
  return std::ranges::all_of(programs, [&](const Module& program) {
    return std::ranges::equal(program.functions, programs[0].functions, same_ops);
  });
}

std::vector<Family> families_of(const Programs& programs, bool together) {
  std::vector<Family> out;
  for (std::size_t program = 0; program < programs.size(); ++program) {
    for (std::size_t function = 0; function < programs[program].functions.size(); ++function) {
      if (together && program != 0) {
        out[function].push_back({program, function});
      } else {
        out.push_back({{program, function}});
      }
    }
  }
  return out;
}

}  // namespace tutti::ir
