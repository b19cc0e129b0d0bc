#pragma once

#include <tutti/ir/literal_use.h>
#include <tutti/lazy/compiled_function.h>
#include <tutti/lazy/tensor_state.h>
#include <tutti/runtime/comm/backend.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace tutti::detail {

// What the inputs of a program bring along of numbers that the ranks take for the same, and what
// its collectives have to agree on because of them (ir/literal_use.h).
class LiteralInputs {
 public:
  // By value of the program: uses by mask.
  using ResultUses = std::unordered_map<std::uint32_t, std::vector<ir::LiteralUse>>;

  // The next parameter: what its data brings along (TensorState::literal_uses), which outlives
  // this; or a number's bytes.
  void add(std::span<const ir::LiteralUse> uses, std::span<const std::byte> number);

  // By call; empty if there is nothing to agree on. `results`: the uses of the program's
  // results, where they have any.
  std::vector<runtime::Agreement> agreements(const ir::Graph& program,
                                             ResultUses* results = nullptr) const;

 private:
  struct Input {
    ir::LiteralUse number;
    std::span<const ir::LiteralUse> uses;
  };
  std::vector<Input> inputs_;
};

// The agreements of a compiled program. Most have none, or such as no number changes, and are
// called with tensors that bring nothing along: then a run costs nothing.
class LiteralPlan {
 public:
  using Number = CompiledFunction::Arguments::Scalar;

  LiteralPlan() = default;
  // `numbers`: which of the program's parameters are run-time numbers, in their order. The program
  // outlives this.
  LiteralPlan(const ir::Graph& program, std::vector<std::size_t> numbers);

  // A run: first what its tensors bring along, those with something only, in the order of the
  // parameters; then what to agree on for these numbers, empty if there is nothing.
  void begin() { next_.clear(); }
  void bring(std::size_t parameter, const TensorState& data);
  std::span<const runtime::Agreement> agreements(std::span<const Number> numbers);

 private:
  struct Brought {
    std::size_t parameter;
    std::vector<ir::LiteralUse> uses;
    friend bool operator==(const Brought&, const Brought&) = default;
  };

  std::vector<runtime::Agreement> compute(std::span<const Number> numbers) const;

  std::vector<std::size_t> numbers_;
  const ir::Graph* program_ = nullptr;  // where several ranks run it
  bool numbers_count_ = false;          // whether they change something
  std::vector<Brought> next_;           // by the run that begins
  // For which agreements_ were computed.
  std::vector<Number> last_;
  std::vector<Brought> brought_;
  std::vector<runtime::Agreement> agreements_;
};

}  // namespace tutti::detail
