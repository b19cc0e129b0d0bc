#pragma once

#include <cstdint>
#include <source_location>
#include <string>
#include <string_view>

namespace tutti {

// A line of a user's program. Cheap to copy: the file name lives for the whole process (a literal
// from std::source_location, or interned).
class Location {
 public:
  constexpr Location() = default;
  constexpr Location(std::source_location at) : file_(at.file_name()), line_(at.line()) {}
  Location(std::string_view file, std::uint32_t line) : file_(intern(file)), line_(line) {}

  constexpr bool known() const { return file_ != nullptr; }
  constexpr std::uint32_t line() const { return line_; }
  std::string_view file() const { return file_ == nullptr ? std::string_view() : file_; }
  // "train.cpp:41": the file without its folders, or "" when unknown.
  std::string text() const;

  friend bool operator==(const Location& a, const Location& b) {
    return a.line_ == b.line_ && a.file() == b.file();
  }

 private:
  static const char* intern(std::string_view file);

  const char* file_ = nullptr;
  std::uint32_t line_ = 0;
};

}  // namespace tutti
