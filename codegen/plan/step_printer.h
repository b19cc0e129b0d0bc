#pragma once

#include <tutti/codegen/plan/plan.h>
#include <tutti/ir/text/group_names.h>

#include <string>
#include <string_view>
#include <vector>

namespace tutti::codegen {

// What steps write their text with: lines, and the names of what they speak of.
class StepPrinter {
 public:
  StepPrinter(const Plan& plan, ir::GroupNames& groups, std::string& out)
      : plan_(plan), groups_(groups), out_(out) {}

  const Plan& plan() const { return plan_; }

  static std::string name(BufferId id) { return "b" + std::to_string(id); }
  // b0, b1
  static std::string names(const std::vector<BufferId>& buffers);
  // " on cuda:0"; nothing for the host.
  static std::string on(Device device);
  std::string group(const ir::GroupPtr& group) { return "@" + groups_.name(group); }
  // r0 @body
  std::string region(int number) const;

  // Lines are indented by so many spaces.
  void indent(std::size_t spaces) { indent_ = spaces; }
  void begin_line(std::string_view text);
  void add(std::string_view text) { out_ += text; }
  void end_line() { out_ += '\n'; }
  // With the line of source behind it.
  void end_line(const Location& location);

 private:
  const Plan& plan_;
  ir::GroupNames& groups_;
  std::string& out_;
  std::size_t indent_ = 0;
  std::size_t line_ = 0;  // where the line at the end begins
};

}  // namespace tutti::codegen
