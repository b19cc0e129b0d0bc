#pragma once

#include <tutti/ir/support/interned.h>

#include <cstdint>
#include <source_location>
#include <string>
#include <string_view>

namespace tutti {

// A line of a user's program, and the column where that is known: texts have lines alone. Cheap to
// copy: the file name lives for the whole process (a literal from std::source_location, or
// interned).
class Location {
 public:
  constexpr Location() = default;
  constexpr Location(std::source_location at)
      : file_(at.file_name()), line_(at.line()), column_(at.column()) {}
  Location(std::string_view file, std::uint32_t line) : file_(interned(file)), line_(line) {}

  constexpr bool known() const { return file_ != nullptr; }
  constexpr std::uint32_t line() const { return line_; }
  // From 1; 0: not known.
  constexpr std::uint32_t column() const { return column_; }
  std::string_view file() const { return file_ == nullptr ? std::string_view() : file_; }
  // "train.cpp:41": the file without its folders, or "" when unknown.
  std::string text() const;

  // Whether the lines are equal, whatever the columns: a text, and what is read from it, has none.
  friend bool operator==(const Location& a, const Location& b) {
    return a.line_ == b.line_ && a.file() == b.file();
  }

 private:
  const char* file_ = nullptr;
  std::uint32_t line_ = 0;
  std::uint32_t column_ = 0;
};

}  // namespace tutti
