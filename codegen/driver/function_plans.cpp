#include <tutti/codegen/driver/function_plans.h>
#include <tutti/ir/test_hook.h>

namespace tutti::codegen {

int FunctionPlans::number_of(const ir::Function& function) {
  if (const auto made = numbers_.find(function.hash()); made != numbers_.end()) return made->second;
  ir::call_test_hook(function.graph());
  plans_.push_back(make_(function.graph(), *this));
  const int number = static_cast<int>(plans_.size()) - 1;
  numbers_.emplace(function.hash(), number);
  return number;
}

}  // namespace tutti::codegen
