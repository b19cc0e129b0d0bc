#pragma once

#include <tutti/codegen/driver/executable.h>
#include <tutti/ir/symbolic_sizes.h>

#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace tutti::codegen {

// What stands between the callers of a program whose sizes vary (ir/symbolic_sizes.h) and its
// executable, which works with the largest sizes: arguments are put at the front of larger buffers,
// and results are taken from there.
class VaryingSizes {
 public:
  // As it was traced, before its passes.
  explicit VaryingSizes(const ir::Graph& traced);

  // The symbols' values; throws TypeError like ir::solve_sizes, and if the program does not exist
  // for them (sizes that it was asked for before are not looked at again).
  std::vector<std::int64_t> solve(std::span<const Shape> arguments);

  // Replaces arguments by what the executable takes, with the symbols' values behind them.
  // `devices`: where each argument lies.
  void enlarge(runtime::Context& context, std::span<const std::int64_t> values,
               std::span<const Device> devices,
               std::vector<std::shared_ptr<runtime::Buffer>>& arguments) const;
  // What the ranks must agree on, by call of the program: the sizes that vary of what it
  // communicates, beside `others`, which is empty or has one each. Empty if there is nothing.
  std::vector<runtime::Agreement> agreements(std::span<const std::int64_t> values,
                                             std::span<const runtime::Agreement> others) const;
  // Replaces results by those of the instance; waits for those that are under way.
  void cut(runtime::Context& context, std::span<const std::int64_t> values,
           std::span<const Device> devices, std::vector<Executable::Result>& results) const;

  // "1 <= n <= 64".
  std::string bounds() const;

 private:
  const ir::Graph traced_;
  std::vector<ir::NodeId> collectives_;  // by call
  bool some_vary_ = false;               // of these
  std::set<std::vector<std::int64_t>> exist_;
};

// Where each argument of a plan lies, and each result.
std::vector<Device> devices_of_inputs(const Plan& plan);
std::vector<Device> devices_of_results(const Plan& plan);

}  // namespace tutti::codegen
