#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tutti::tools {

// What is to be written to a descriptor whose reader may be slow: never blocks, so that signals are
// still heard. After an error (a closed pipe, a full disk) everything is dropped.
class OutputQueue {
 public:
  explicit OutputQueue(int descriptor) : descriptor_(descriptor) {}

  int descriptor() const { return descriptor_; }
  void add(std::string_view text);
  bool is_empty() const { return text_.empty(); }
  // Whoever adds should wait.
  bool is_full() const { return text_.size() > kFull; }
  // Writes what can be written at once.
  void write_some();

 private:
  static constexpr std::size_t kFull = 1 << 20;

  int descriptor_;
  std::string text_;
  bool broken_ = false;
};

}  // namespace tutti::tools
