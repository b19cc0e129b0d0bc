#pragma once

#include <tutti/runtime/descriptor.h>

#include <cstddef>
#include <cstdint>
#include <memory>

namespace tutti::runtime {

// Memory that several processes map: a memfd, which has no name in any file system and vanishes
// with its last user. Sparse: pages cost memory when they are first written. A process that is
// forked off one of its users gets a private copy, so that nothing it does (the ends of tensors
// among it) reaches the ranks.
class Segment {
 public:
  // Reserves `bytes`, or as large a part of it as the system grants (half, a quarter, ...). Throws
  // EnvironmentError where it grants next to nothing.
  static Segment create(std::size_t bytes);
  // Maps what another process has created. Throws EnvironmentError, also for memory that somebody
  // could take away again.
  explicit Segment(Descriptor descriptor);

  Segment(Segment&& other) noexcept;
  Segment& operator=(Segment&&) = delete;
  ~Segment();

  std::byte* data() const { return mapping_->data; }
  std::size_t bytes() const { return mapping_->bytes; }
  int descriptor() const { return mapping_->descriptor.number(); }
  // Whether this process was forked off the one that mapped it.
  bool is_copy() const { return mapping_->copy; }

 private:
  friend class Mappings;
  struct Mapping {
    Descriptor descriptor;
    std::byte* data = nullptr;
    std::size_t bytes = 0;
    bool copy = false;
  };
  std::unique_ptr<Mapping> mapping_;
};

}  // namespace tutti::runtime
