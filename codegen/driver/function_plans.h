#pragma once

#include <tutti/codegen/plan/plan.h>
#include <tutti/ir/function.h>
#include <tutti/runtime/comm/algorithms.h>

#include <cstdint>
#include <functional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tutti::codegen {

// The plans of functions, each behind those of all that it runs: regions of the whole plan.
class FunctionPlans {
 public:
  // Makes the plan of one; what that runs in turn it asks for here.
  using Make = std::function<Plan(const ir::Graph&, FunctionPlans&)>;

  FunctionPlans(const runtime::Algorithms& algorithms, Make make)
      : algorithms_(algorithms), make_(std::move(make)) {}

  // The number of a function's plan, which is made when it is asked for first.
  int number_of(const ir::Function& function);
  const Plan& plan(int number) const { return plans_[static_cast<std::size_t>(number)]; }
  const runtime::Algorithms& algorithms() const { return algorithms_; }
  std::vector<Plan> take() { return std::move(plans_); }

 private:
  const runtime::Algorithms algorithms_;
  const Make make_;
  std::vector<Plan> plans_;
  std::unordered_map<Hash128, int, Hash128Hasher> numbers_;
};

}  // namespace tutti::codegen
