#pragma once

#include <tutti/ir/graph.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tutti::ir {

// A pass is one function in one file of the same name. It changes a graph to one that computes the
// same, says whether it did, takes time about linear in the number of nodes, and prints nothing.

// Gives values whose sizes vary (symbolic_sizes.h) their largest sizes, and keeps what lies behind
// the elements that are there out of all that counts. The function gets a parameter more, i64[],
// for each symbol, in their order: its value. Needs to come first.
bool bound_sizes(Graph& graph);
// Makes of a large convolution over what has zeros between its elements (the gradient of one with
// strides, a transposed one) several over the elements alone. What only met zeros there does not
// count: an infinite weight makes no NaN of them any more, and sums are of another order. Needs to
// come before decompose.
bool skip_zeros(Graph& graph);
// The same for those of at least so many multiplications, zeros included.
bool skip_zeros(Graph& graph, std::int64_t least_work);
// Replaces composites (softmax, layer_norm, ...) by their decompositions, but for those that their
// definition wants whole.
bool decompose(Graph& graph);
// The same, and none stays whole: for who takes no composites.
bool decompose_all(Graph& graph);
// Removes what changes nothing and merges chains of views; bits stay the same.
bool canonicalize(Graph& graph);
// The same for a function that a node runs: what its collectives become, the program says.
bool canonicalize_function(Graph& graph);
// The same for these composites, by node, and for all composites that they stand for.
bool decompose_nodes(Graph& graph, const std::vector<bool>& which);
// Computes nodes whose operands are all small constants, but no sums and products of several floats
// narrower than f64: of these it would know no infinities.
bool fold_constants(Graph& graph);
// Merges nodes that compute the same.
bool cse(Graph& graph);
// Drops nodes that no result and no collective needs.
bool dce(Graph& graph);
// Adds up pads with zeros between elements as blocks (ir/blocks.h), which have none, so that
// kernels read what was padded where it lies: the gradients of slices with steps and of pooling.
// Bits stay the same. After cse and dce.
bool sum_spreads(Graph& graph);
// Computes what is put together of a few parts part by part where that spares putting it together,
// carries of loops included (split_carries.h); sums over the parts are then of another order.
bool split_parts(Graph& graph);
// Makes of a concat that kernels can read or write a choice between its parts, by index; computes
// cheap parts there, too. Afterwards dce has nothing to do.
bool select_parts(Graph& graph);
// Drops what nobody needs of what loops and branches take and give, computes before a loop what
// does not change in it (hoist_invariants.h), and makes one loop of several that go through the
// same carries. After cse and dce, which see what is the same and what is used.
bool simplify_loops(Graph& graph);
// Says where values lie that could lie anywhere: they are made on each device that needs them. A
// device of `any` means the graph's default device from then on.
bool place(Graph& graph);
// The same of what loops and branches run: results lie where the parameters do.
bool place_function(Graph& function);
// Groups nodes into kernels (Node::fusion) and puts each group's nodes side by side; waits move
// down to their first consumer. The rules are in fuse.h.
bool fuse(Graph& graph);

struct Pass {
  std::string_view name;  // of the function, the file, the test folder and on the command line
  bool (*run)(Graph&);
  std::string_view does;  // a sentence for --help
  // Takes programs with sizes that vary, and goes over the functions that nodes run by itself.
  bool takes_varying_sizes = false;
  // What it does to functions that nodes run, where that is something else.
  bool (*run_function)(Graph&) = nullptr;
};

// Every pass, in the order in which the compiler runs them.
std::span<const Pass> all_passes();
// Null if no pass is called that.
const Pass* find_pass(std::string_view name);

// How long a pass took for a function that nodes run.
struct FunctionTime {
  std::string function;  // its name
  std::chrono::nanoseconds time;
};

// What the hook after a pass is told.
struct PassReport {
  const Pass& pass;
  const Graph& graph;  // as the pass left it
  bool changed;
  std::chrono::nanoseconds time;                 // of all, the functions that nodes run included
  std::span<const FunctionTime> functions = {};  // innermost first
};

struct PassOptions {
  std::vector<std::string> disabled;             // names of passes to leave out
  std::function<void(const Graph&)> verify;      // called after a pass that changed the graph
  std::function<void(const PassReport&)> after;  // called after every pass that ran
};

// Runs passes one after another, each also over the functions that nodes run. An error thrown
// inside a pass, or by `verify` after it, names the pass. Returns whether any pass changed the
// graph.
bool run_passes(Graph& graph, std::span<const Pass* const> passes, const PassOptions& options = {});
// The same for all passes.
bool run_passes(Graph& graph, const PassOptions& options = {});

}  // namespace tutti::ir
