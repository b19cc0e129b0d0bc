#pragma once

#include <tutti/ir/literal_use.h>
#include <tutti/lazy/compiled_function.h>
#include <tutti/lazy/tensor_state.h>
#include <tutti/runtime/comm/backend.h>

#include <cstddef>
#include <cstdint>
#include <optional>
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

  // The next parameter: data (may be null), or a number's bytes.
  void add(const TensorState* data, std::span<const std::byte> number);

  // By call; empty if there is nothing to agree on. `results`: the uses of the program's
  // results, where they have any.
  std::vector<runtime::Agreement> agreements(const ir::Graph& program,
                                             ResultUses* results = nullptr) const;

 private:
  struct Input {
    ir::LiteralUse number;
    const TensorState* data;
  };
  std::vector<Input> inputs_;
};

// The agreements of a compiled program. Most have none, or such as no number changes: then a run
// costs nothing.
class LiteralPlan {
 public:
  using Number = CompiledFunction::Arguments::Scalar;

  LiteralPlan() = default;
  // `numbers`: which of the program's parameters are run-time numbers, in their order.
  LiteralPlan(const ir::Graph& program, std::vector<std::size_t> numbers);

  // For a run with these numbers; empty if there is nothing to agree on.
  std::span<const runtime::Agreement> agreements(std::span<const Number> numbers);

 private:
  std::vector<runtime::Agreement> compute(std::span<const Number> numbers) const;

  std::vector<std::size_t> numbers_;
  std::optional<ir::Graph> program_;  // where numbers change something
  std::vector<Number> last_;          // for which agreements_ were computed
  std::vector<runtime::Agreement> agreements_;
};

}  // namespace tutti::detail
