#include <tutti/lazy/context.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <random>
#include <stdexcept>

#include "tests/processes/program/scenario.h"
#include "tests/support/collective_reference_calls.h"
#include "tests/support/collective_sweep.h"
#include "tests/support/run_graph.h"

namespace tutti::test {

namespace {

// Machine code takes longer to make than these programs take to run.
void evaluate_kernels(const World& world) {
  world.context()->compile_options.kernel_mode = codegen::KernelMode::evaluate;
}

void sweep(const Arguments&) {
  World world = init();
  evaluate_kernels(world);
  for (const GroupForm form : kGroupForms) {
    if (!suits(form, world.size())) continue;
    for (const DType dtype : kSweptDTypes) {
      const std::vector<SweepResults> expected = interpreted_sweep(world.size(), dtype, form);
      for (const RunMode mode : kRunModes) {
        const std::string wrong = difference(run_sweep(world, dtype, form, mode),
                                             expected[static_cast<std::size_t>(world.rank())]);
        if (wrong.empty()) continue;
        throw std::runtime_error(std::string(name_of(form)) + " " + std::string(name_of(dtype)) +
                                 " " + name_of(mode) + ": " + wrong);
      }
    }
  }
  say("all right");
}

// How far sums of a few ranks may be apart. Narrow floats are rounded on the way from rank to rank,
// where sums may be as large as the largest of all are in the end.
Tolerance sweep_tolerance(const Array& expected) {
  constexpr double kSlack = 4;  // for products of that many
  const Tolerance one = tolerance_of(expected.dtype());
  double largest = 0;
  for (std::int64_t i = 0; is_narrow_floating(expected.dtype()) && i < expected.elements(); ++i) {
    if (std::isfinite(expected.at(i))) largest = std::max(largest, std::abs(expected.at(i)));
  }
  return {kSlack * one.relative, kSlack * (one.absolute + one.relative * largest)};
}

// Where floats are further from each other than the order of additions may bring them, or anything
// else differs at all.
std::string distance(const SweepResults& actual, const SweepResults& expected) {
  if (actual.size() != expected.size()) return difference(actual, expected);
  for (std::size_t i = 0; i < actual.size(); ++i) {
    const auto agrees = within(actual[i], expected[i], sweep_tolerance(expected[i]));
    if (!agrees) return "result " + std::to_string(i) + ": " + agrees.message();
  }
  return {};
}

// [FORM...]: the sweep, of values on GPUs, by whatever engine is usual there; over groups of these
// forms, or of all.
void sweep_on_gpus(const Arguments& forms) {
  World world = init();
  for (const GroupForm form : kGroupForms) {
    const bool is_named = forms.empty() || std::ranges::find(forms, name_of(form)) != forms.end();
    if (!is_named || !suits(form, world.size())) continue;
    for (const DType dtype : kSweptDTypes) {
      set_default_device(Device::cpu());
      const auto rank = static_cast<std::size_t>(world.rank());
      const SweepResults expected = interpreted_sweep(world.size(), dtype, form)[rank];
      set_default_device(world.gpu());
      for (const RunMode mode : kRunModes) {
        const SweepResults results = run_sweep(world, dtype, form, mode);
        const std::string wrong = distance(results, expected);
        if (wrong.empty()) continue;
        throw std::runtime_error(std::string(name_of(form)) + " " + std::string(name_of(dtype)) +
                                 " " + name_of(mode) + ": " + wrong);
      }
      barrier(world);  // who is no member goes no further
    }
  }
  world.close();
  say("all right");
}

// PyTorch's cases on GPUs; compiled ones run so often that they are replayed.
void torch_references_on_gpus(const Arguments&) {
  constexpr int kRuns = 5;
  World world = init();
  set_default_device(world.gpu());
  int cases = 0;
  for (const char* const op : {"all_reduce", "reduce", "reduce_scatter", "broadcast", "all_gather",
                               "gather", "scatter", "all_to_all", "collective_permute"}) {
    for (const CollectiveReference& use : collective_references(op)) {
      if (use.world != world.size() || !use.has(world.rank())) continue;
      const auto rank = static_cast<std::size_t>(world.rank());
      const Group group = group_of(use, world);
      const auto expect_close = [&](const Tensor& result) {
        const Array actual = result.array();
        const Array& expected = *use.results[rank];
        const auto agrees = use.exact ? same_bits(actual, expected) : close(actual, expected);
        if (!agrees) throw std::runtime_error(use.describe() + ": " + agrees.message());
      };
      expect_close(call_reference(use, group, from(*use.inputs[rank]), world.rank()));
      auto compiled =
          compile([&](const Tensor& x) { return call_reference(use, group, x, world.rank()); });
      for (int run = 0; run < kRuns; ++run) expect_close(compiled(from(*use.inputs[rank])));
      ++cases;
    }
  }
  world.close();
  say(cases > 200 ? "all right" : std::to_string(cases) + " cases");
}

// One call of many, on x.
AsyncTensor any_collective(std::uint64_t choice, const Tensor& x, const Group& group) {
  switch (choice % 6) {
    case 0:
      return all_reduce(x, group);
    case 1:
      return all_reduce(x, group, Reduce::max);
    case 2:
      return all_gather(x, group);
    case 3:
      return broadcast(x, group, static_cast<std::int64_t>(choice) % group.size());
    case 4:
      return reduce(x, group, Reduce::min);
    default:
      return all_reduce(concat({x, x}), group);
  }
}

// Programs of which one rank runs another: it leaves a call out, makes one more, or another one.
// Whoever waits for what it did not do must be told, and nobody may wait for ever.
void mistaken(const Arguments& arguments) {
  World world = init();
  evaluate_kernels(world);
  const std::uint64_t count = std::strtoull(arguments.at(0).c_str(), nullptr, 10);
  const auto ranks = static_cast<std::uint64_t>(world.size());
  std::mt19937_64 random(ranks);  // the same on every rank
  for (std::uint64_t i = 0; i < count; ++i) {
    std::vector<std::int64_t> members;
    for (int rank = 0; rank < world.size(); ++rank) members.push_back(rank);
    const Group group(members, "program" + std::to_string(i));
    const std::uint64_t calls = 1 + random() % 5;
    const std::uint64_t wrong = random() % calls;
    const std::uint64_t mistake = random() % 3;
    const bool is_mistaken = random() % ranks == static_cast<std::uint64_t>(world.rank());
    const std::uint64_t seed = random();
    bool told = false;
    try {
      Tensor x = tensor({static_cast<float>(world.rank())});
      for (std::uint64_t call = 0; call < calls; ++call) {
        std::uint64_t choice = (seed >> 8 * call) % 6;
        if (is_mistaken && call == wrong) {
          if (mistake == 0) continue;
          if (mistake == 1) any_collective(choice, x, group);
          if (mistake == 2) choice += 1;
        }
        const Tensor result = any_collective(choice, x, group);
        // When to look is each rank's own affair.
        const bool looks =
            (seed >> (call + 40 + static_cast<std::uint64_t>(world.rank()))) % 2 == 0;
        if (looks) x = slice(reshape(Operand(result), {-1}), {{.stop = 1}});
      }
      x.array();
      barrier(group);
    } catch (const CommError&) {
      told = true;
    }
    try {
      group.close();
    } catch (const CommError&) {
      told = true;
    }
    // (The one that has made one more call may find all others gone, or never look.)
    if (!told && !is_mistaken) {
      throw std::runtime_error("nobody has told this rank of the mistake in program " +
                               std::to_string(i));
    }
    barrier(world);
  }
  world.close();
  say("all right");
}

}  // namespace

Scenarios sweeping_scenarios() {
  return {{"sweep", sweep},
          {"sweep_on_gpus", sweep_on_gpus},
          {"torch_references_on_gpus", torch_references_on_gpus},
          {"mistaken", mistaken}};
}

}  // namespace tutti::test
