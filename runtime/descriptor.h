#pragma once

#include <utility>

#include <unistd.h>

namespace tutti::runtime {

// Owns a file descriptor, of 3 or above. A process whose standard streams are closed gets their
// numbers for whatever it opens next, and what it prints would go there: such a descriptor is
// replaced by a copy with another number, closed in programs that this one starts.
class Descriptor {
 public:
  Descriptor() = default;
  // Takes it over. Not valid, with errno set, where there is no room for a copy.
  explicit Descriptor(int number)
      : number_(number >= 0 && number <= STDERR_FILENO ? moved_up(number) : number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }

  int number() const { return number_; }
  bool valid() const { return number_ >= 0; }
  // Leaves it to the caller.
  int release() { return std::exchange(number_, -1); }

 private:
  static int moved_up(int number);

  int number_ = -1;
};

}  // namespace tutti::runtime
