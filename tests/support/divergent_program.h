#pragma once

#include <tutti/tutti.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

// Programs of several ranks that a seed decides. All ranks make the same calls in the same order;
// what they look at, and when, each decides for itself, as users' programs do. What every rank
// should see is known from plain C++ arithmetic: all values are small whole numbers, which no order
// of addition rounds.
namespace tutti::test {

using Numbers = std::vector<std::int64_t>;

enum class DivergentOp : std::uint8_t {
  // Of each rank by itself.
  make,  // numbers of its own
  add,
  subtract,
  multiply,
  maximum,
  scale,
  clamp,
  reverse,
  // Collectives over a group; ranks outside of it spread the sum of their operand instead.
  all_reduce,
  reduce,
  all_gather,
  uneven_all_gather,
  gather,
  reduce_scatter,
  scatter,
  broadcast,
  all_to_all,
  permute,
  message,
  barrier,
  tree,        // all_reduce of two tensors in one call
  looped_max,  // all_reduce in each step of a loop
  // Compiled functions with collectives in them (divergent_run.cpp).
  scaled_sum,
  short_batch,
  two_gathers,
};

// One line of a program. Values are kept in numbered places; even ones hold f32, odd ones i32.
struct DivergentStep {
  DivergentOp op = DivergentOp::make;
  std::vector<std::size_t> operands;
  std::vector<std::size_t> results;
  std::vector<std::int64_t> group = {};  // its ranks, in their order
  std::string tag = {};
  std::string algorithm = "auto";  // how the group's collectives are carried out
  Reduce reduction = Reduce::sum;
  std::int64_t number = 0;  // factor, limit, root or steps
  Pairs pairs = {};         // of a permute; the one of a message
  Sizes sizes = {};         // what each member of an uneven gather gives, each rank's short batch
  // What the result places hold afterwards, by result and rank.
  std::vector<std::vector<Numbers>> expected = {};
};

struct DivergentProgram {
  static constexpr std::size_t kPlaces = 6;

  std::uint64_t seed = 0;
  std::int64_t ranks = 1;
  std::vector<std::int64_t> compiled_group;  // of the functions that it compiles,
  std::string compiled_algorithm;            // and how theirs are
  std::vector<DivergentStep> steps;          // the first ones fill the places
};

inline DType dtype_of_place(std::size_t place) { return place % 2 == 0 ? DType::f32 : DType::i32; }

DivergentProgram make_divergent_program(std::uint64_t seed, std::int64_t ranks);

// Sets what the step's results are expected to be. `places` are the values before it, by place and
// rank. False where the shapes or numbers do not suit the op.
bool expect_results(const std::vector<std::vector<Numbers>>& places, DivergentStep& step);

// Runs it as this rank of the world. Throws std::runtime_error where a value is not what it should
// be. The rank may return with everything traced and nothing evaluated.
void run_divergent_program(const World& world, const DivergentProgram& program);

// The program and what its ranks hold, a step a line.
std::string text(const DivergentProgram& program);

}  // namespace tutti::test
