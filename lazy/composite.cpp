#include <tutti/lazy/composite.h>
#include <tutti/lazy/context.h>

namespace tutti::detail {

RecordedAt::RecordedAt(Location where) {
  if (!where.known()) return;
  Location& line = RankContext::current().line_of_composite;
  if (line.known()) return;
  line = where;
  line_ = &line;
}

RecordedAt::~RecordedAt() {
  if (line_ != nullptr) *line_ = {};
}

std::string told_by(std::string_view name, const std::string& message) {
  const std::string before = std::string(name) + ": ";
  return message.starts_with(before) ? message : before + message;
}

}  // namespace tutti::detail
