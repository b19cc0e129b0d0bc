#pragma once

#include <tutti/ir/support/error.h>

#include <string>
#include <string_view>

// What is made of other ops under a name of its own, such as a layer.
namespace tutti::detail {

// While it lives, all that the calling thread's rank records stands on that line; on the first of
// several. Nothing changes for a line that is not known.
class RecordedAt {
 public:
  explicit RecordedAt(Location where);
  RecordedAt(const RecordedAt&) = delete;
  RecordedAt& operator=(const RecordedAt&) = delete;
  ~RecordedAt();

 private:
  Location* line_ = nullptr;  // of the rank, where it has none yet
};

// The message, with the name before it if it does not begin so.
std::string told_by(std::string_view name, const std::string& message);

// Calls f, which records what `name` is made of: on the caller's line, as mistakes in it are told.
// f calls no function of the user's.
template <class F>
decltype(auto) composite(std::string_view name, Location where, F&& f) {
  const RecordedAt recorded(where);
  try {
    return f();
  } catch (const TypeError& error) {
    throw TypeError(told_by(name, error.message()), where.known() ? where : error.where());
  } catch (const UsageError& error) {
    throw UsageError(told_by(name, error.message()), where.known() ? where : error.where());
  }
}

}  // namespace tutti::detail
