#pragma once

#include <tutti/codegen/plan/plan.h>
#include <tutti/ir/group_names.h>

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tutti::codegen {

// What steps write their text with: lines, and the names of what they speak of.
class StepPrinter {
 public:
  // `function_name` is what the text calls the plan's function of a number.
  StepPrinter(const Plan& plan, ir::GroupNames& groups,
              std::function<std::string(int)> function_name, std::string& out)
      : plan_(plan), groups_(groups), function_name_(std::move(function_name)), out_(out) {}

  const Plan& plan() const { return plan_; }

  static std::string name(BufferId id) { return "b" + std::to_string(id); }
  // b0, b1
  static std::string names(const std::vector<BufferId>& buffers);
  // " on cuda:0"; nothing for the host.
  static std::string on(Device device);
  std::string group(const ir::GroupPtr& group) { return "@" + groups_.name(group); }
  // f0 @body
  std::string function(int number) const { return function_name_(number); }

  void begin_line(std::string_view text);
  void add(std::string_view text) { out_ += text; }
  void end_line() { out_ += '\n'; }
  // With the line of source behind it.
  void end_line(const Location& location);

 private:
  const Plan& plan_;
  ir::GroupNames& groups_;
  std::function<std::string(int)> function_name_;
  std::string& out_;
  std::size_t line_ = 0;  // where the line at the end begins
};

}  // namespace tutti::codegen
