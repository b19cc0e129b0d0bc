#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tutti::runtime {

// Builds one line of JSON. Keys are plain words; texts may hold anything.
class JsonLine {
 public:
  JsonLine() : text_("{") {}

  JsonLine& add(std::string_view key, std::string_view value);
  JsonLine& add(std::string_view key, const char* value) {
    return add(key, std::string_view(value));
  }
  JsonLine& add(std::string_view key, std::int64_t value);
  // With `digits` behind the point.
  JsonLine& add(std::string_view key, double value, int digits);
  // Nanoseconds as microseconds, exactly.
  JsonLine& add_time(std::string_view key, std::int64_t nanoseconds);
  JsonLine& begin_object(std::string_view key) { return open(key, '{'); }
  JsonLine& begin_list(std::string_view key) { return open(key, '['); }
  JsonLine& begin_element();
  JsonLine& end_object() { return close('}'); }
  JsonLine& end_list() { return close(']'); }

  // The line; no more can be added then.
  const std::string& finish() { return close('}').text_; }

 private:
  void key(std::string_view name);
  void comma();
  JsonLine& open(std::string_view name, char bracket);
  JsonLine& close(char bracket);

  std::string text_;
};

}  // namespace tutti::runtime
