#include <tutti/ir/function.h>
#include <tutti/ir/names.h>
#include <tutti/ir/passes/passes.h>
#include <tutti/ir/passes/pipeline.h>
#include <tutti/ir/test_hook.h>

#include <algorithm>
#include <array>

namespace tutti::ir {

namespace {

// In order: sizes become fixed, which all else needs; convolutions that mostly multiply zeros
// become others while they are whole; composites are taken apart next, so that all else sees their
// parts; constants that folding makes are what canonicalize's rules look for; what these two made
// equal, cse merges; what that left over, dce drops; what was spread is added up as blocks; what is
// put together to be taken apart again stays apart, and loops lose what only that needed; what is
// put together all the same kernels do, where they can; what stays is placed on devices, and groups
// are formed of it.
constexpr std::array kPasses = {
    Pass{"bound_sizes", bound_sizes, "gives what varies in size its largest size, and masks", true},
    Pass{"skip_zeros", skip_zeros,
         "computes a convolution over what has zeros between its elements without these"},
    Pass{"decompose", decompose, "replaces composites (softmax, layer_norm, ...) by their parts"},
    Pass{"fold_constants", fold_constants, "computes what depends on small constants only"},
    Pass{"canonicalize", canonicalize, "removes what changes nothing and merges chains of views",
         false, canonicalize_function},
    Pass{"cse", cse, "merges nodes that compute the same"},
    Pass{"dce", dce, "drops what no result and no collective needs"},
    Pass{"sum_spreads", sum_spreads,
         "adds up what was spread, with zeros between elements, without writing it"},
    Pass{"split_parts", split_parts,
         "computes what is put together of a few parts part by part, carries of loops included"},
    Pass{"simplify_loops", simplify_loops,
         "drops what no one needs of loops and branches, computes before a loop what does not "
         "change in it, and merges loops over the same carries"},
    Pass{"select_parts", select_parts,
         "makes of a concat that kernels read a choice between its parts, by index"},
    Pass{"place", place, "puts what could lie anywhere on the devices that need it", false,
         place_function},
    Pass{"fuse", fuse, "groups nodes into kernels and moves waits down to their first consumer"},
};

using Clock = std::chrono::steady_clock;

// An error that a pass makes is a bug in it, whoever throws.
[[noreturn]] void blame(std::string_view when, const Pass& pass, const Error& error) {
  throw InternalError(std::string(when) + " " + std::string(pass.name) + ": " + error.message(),
                      error.where());
}

}  // namespace

std::span<const Pass> all_passes() { return kPasses; }

const Pass* find_pass(std::string_view name) {
  const auto found = std::ranges::find(kPasses, name, &Pass::name);
  return found == kPasses.end() ? nullptr : &*found;
}

bool run_passes(Graph& graph, std::span<const Pass* const> passes, const PassOptions& options) {
  bool any = false;
  call_test_hook(graph);
  for (const Pass* pass : passes) {
    if (std::ranges::find(options.disabled, pass->name) != options.disabled.end()) continue;
    const auto start = Clock::now();
    std::vector<FunctionTime> functions;
    bool changed = false;
    if (graph.sizes != nullptr && !pass->takes_varying_sizes) {
      throw UsageError("@" + name_or_quoted(graph.name) + " has sizes that vary, which " +
                       std::string(pass->name) +
                       " does not take; the pass bound_sizes has to come first");
    }
    try {
      changed = !pass->takes_varying_sizes && change_functions(graph, [&](Graph& function) {
        const auto begin = Clock::now();
        const bool out = (pass->run_function != nullptr ? pass->run_function : pass->run)(function);
        functions.push_back({.function = function.name, .time = Clock::now() - begin});
        return out;
      });
      changed = pass->run(graph) || changed;
    } catch (const TypeError& error) {
      // What has no bounds is the program's fault.
      if (pass->takes_varying_sizes) throw;
      blame("in pass", *pass, error);
    } catch (const Error& error) {
      blame("in pass", *pass, error);
    }
    const auto time = Clock::now() - start;
    if (changed && options.verify) {
      try {
        options.verify(graph);
      } catch (const Error& error) {
        blame("after pass", *pass, error);
      }
    }
    if (changed) call_test_hook(graph);
    if (options.after) options.after({*pass, graph, changed, time, functions});
    any = any || changed;
  }
  return any;
}

bool run_passes(Graph& graph, const PassOptions& options) {
  return run_passes(graph, default_pipeline(), options);
}

}  // namespace tutti::ir
