#pragma once

#include <tutti/runtime/descriptor.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <memory_resource>
#include <vector>

namespace tutti::runtime {

class BlockCache;

// Memory that several processes map: a memfd, which has no name in any file system and vanishes
// with its last user. Sparse: pages cost memory when they are first written. A process that is
// forked off one of its users has a private view, so that nothing it does (the ends of tensors
// among it) reaches the ranks; of what it has been told to keep in forks, a copy. Where the system
// has no room for such a view, it can read all and write the copies, or do neither; neither, too,
// where no descriptor is left to wait for the copies with.
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
  // What the rank has there for itself stays as it is in a process that is forked off: whoever
  // forks waits until it is copied. Elsewhere a forked process sees what the ranks write later.
  // From any thread.
  void keep_in_forks(std::byte* block, std::size_t bytes) const;
  void forget_in_forks(std::byte* block) const noexcept;
  // Of those blocks, what such a cache has for free needs no copy. It is there until it is removed.
  void add_cache(const BlockCache& cache) const;
  void remove_cache(const BlockCache& cache) const noexcept;
  // Whether this process was forked off the one that mapped it.
  bool is_copy() const { return mapping_->copy; }

 private:
  friend class Mappings;
  struct Mapping {
    Descriptor descriptor;
    std::byte* data = nullptr;
    std::size_t bytes = 0;
    bool copy = false;
    std::pmr::unsynchronized_pool_resource nodes = {};  // so that blocks come and go without malloc
    struct Kept {
      std::size_t bytes = 0;
      bool is_free = false;  // while a process is forked off
    };
    std::pmr::map<std::byte*, Kept> kept{&nodes};  // in forks
    std::vector<const BlockCache*> caches = {};
  };
  std::unique_ptr<Mapping> mapping_;
};

}  // namespace tutti::runtime
