#pragma once

#include <utility>

namespace tutti::ir::stablehlo {

// Sets a variable for a while.
template <class T>
class Restored {
 public:
  Restored(T& variable, T value) : variable_(variable), old_(std::move(variable)) {
    variable = std::move(value);
  }
  Restored(const Restored&) = delete;
  Restored& operator=(const Restored&) = delete;
  ~Restored() { variable_ = std::move(old_); }

 private:
  T& variable_;
  T old_;
};

}  // namespace tutti::ir::stablehlo
