#pragma once

#include <tutti/ir/graph.h>
#include <tutti/ir/literal_use.h>
#include <tutti/lazy/tensor.h>
#include <tutti/runtime/run/context.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace tutti::detail {

class CoalescedCalls;
class Trace;

// A value that somebody holds: a node of a trace that is not computed yet, or data.
struct TensorState {
  ir::Type type;
  Location where;
  std::uint64_t context = 0;  // the RankContext it belongs to

  Trace* trace = nullptr;  // while it is recorded there; null once it is data
  ir::Value value;
  std::atomic<std::uint32_t> holders = 1;  // see StatePtr

  std::shared_ptr<runtime::Buffer> buffer;  // data
  std::shared_ptr<runtime::Work> work;      // the collective that will give the data,
  std::size_t part = 0;                     // as the result of this part

  StatePtr waited;                    // of an async value: the tensor that wait() gave
  std::string origin;                 // of an async value that is data: "all_reduce over world"
  CoalescedCalls* pending = nullptr;  // what will launch the collective that gives the value
  // How numbers went into data that was computed from replicated values, see ir/literal_use.h: by
  // literal_masks(); empty: not at all.
  std::vector<ir::LiteralUse> literal_uses;
  bool abstract = false;  // it has a type and never a value
  std::string lost;       // why it has no value: what went wrong when it was computed

  // Where an argument list that was looked through last holds it first; see next_look().
  std::uint64_t seen_in = 0;
  std::uint32_t seen_as = 0;

  TensorState() = default;
  TensorState(const TensorState&) = delete;
  TensorState& operator=(const TensorState&) = delete;
  ~TensorState();

  // Recycled, so that recording and replaying ask malloc for nothing.
  static void* operator new(std::size_t bytes);
  static void operator delete(void* memory);

  bool is_data() const { return buffer != nullptr || work != nullptr; }
};

// What is wrong with a handle that has none.
std::string without_value(const std::string& name, bool moved);

// The state of a handle. Throws UsageError, naming the line, if it was never given one.
const StatePtr& checked(const StatePtr& state, Location where);

// The data of a tensor, computed and complete. Throws UsageError, naming the line, if it has none,
// and inside of a function that is being compiled.
StatePtr evaluated(const Tensor& tensor, Location where);

// Gives a state that has none the value of one that nobody else holds.
void give_value(TensorState& state, const StatePtr& value);

// Throws UsageError if the collective that gives the value was only noted so far (see Coalesce).
void check_launched(const TensorState& state, Location where);

// Throws UsageError, naming the line, if a state has no value any more or is not known yet because
// the function around it is being recorded.
void check_readable(const TensorState& state, Location where);
// The UsageErrors for one that has no value any more, and for one of another rank.
[[noreturn]] void fail_without_data(const TensorState& state, Location where);
[[noreturn]] void fail_of_another_rank(const TensorState& state, Location where);

}  // namespace tutti::detail
