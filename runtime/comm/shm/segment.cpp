#include <tutti/ir/support/error.h>
#include <tutti/ir/support/held_over_forks.h>
#include <tutti/runtime/block_cache.h>
#include <tutti/runtime/comm/shm/segment.h>
#include <tutti/runtime/new_file.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tutti::runtime {

namespace {

constexpr std::size_t kLeastBytes = std::size_t{64} << 20;
constexpr int kSeals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;

std::byte* map(int descriptor, std::size_t bytes) {
  void* data =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, descriptor, 0);
  if (data == MAP_FAILED) return nullptr;
  madvise(data, bytes, MADV_DONTDUMP);  // a core file of a rank holds none of its peers' tensors
  return static_cast<std::byte*>(data);
}

[[noreturn]] void fail(const std::string& what) {
  throw EnvironmentError(what + ": " + std::strerror(errno));
}

}  // namespace

// All of this process.
class Mappings {
 public:
  static void add(Segment::Mapping* mapping) {
    if (register_handlers() != 0) {
      throw EnvironmentError("no memory for what is to happen in a fork");
    }
    const std::scoped_lock lock(mutex_);
    all().push_back(mapping);
  }
  static void remove(Segment::Mapping* mapping) {
    const std::scoped_lock lock(mutex_);
    std::erase(all(), mapping);
  }
  static void keep(Segment::Mapping& mapping, std::byte* block, std::size_t bytes) {
    const std::scoped_lock lock(mutex_);
    mapping.kept.try_emplace(block, Segment::Mapping::Kept{.bytes = bytes});
  }
  static void forget(Segment::Mapping& mapping, std::byte* block) {
    const std::scoped_lock lock(mutex_);
    mapping.kept.erase(block);
  }
  static void add_cache(Segment::Mapping& mapping, const BlockCache& cache) {
    const std::scoped_lock lock(mutex_);
    mapping.caches.push_back(&cache);
  }
  static void remove_cache(Segment::Mapping& mapping, const BlockCache& cache) {
    const std::scoped_lock lock(mutex_);
    std::erase(mapping.caches, &cache);
  }

 private:
  // The locks of caches first: nobody spins for them while the parent waits for copies.
  static int register_handlers() noexcept {
    static const int out = HeldOverForks::register_handlers() != 0
                               ? ENOMEM
                               : pthread_atfork(prepare, wait_for_copies, copy);
    return out;
  }

  // Never destroyed: a World may be a static object.
  static std::vector<Segment::Mapping*>& all() {
    static auto* const out = new std::vector<Segment::Mapping*>;
    return *out;
  }

  static void prepare() {
    mutex_.lock();
    const bool copies = std::ranges::any_of(all(), [](const Segment::Mapping* mapping) {
      return !mapping->copy && !mapping->kept.empty();
    });
    if (!copies || pipe2(ends_.data(), O_CLOEXEC) != 0) ends_ = {-1, -1};
  }

  // In the parent: until the child has copied what it keeps, or is gone.
  static void wait_for_copies() {
    if (ends_[0] >= 0) {
      ::close(ends_[1]);
      char done = 0;
      while (::read(ends_[0], &done, 1) < 0 && errno == EINTR) {
      }
      ::close(ends_[0]);
    }
    mutex_.unlock();
  }

  // In the child. A page of a private mapping is the file's until it is written.
  static void copy() {
    for (Segment::Mapping* mapping : all()) {
      if (std::exchange(mapping->copy, true)) continue;  // private: what was written there stays
      const bool whole = mapping->kept.empty() || ends_[0] >= 0;  // or nobody waits for the copies
      if (!whole || !map_privately(*mapping)) {
        map_nothing(*mapping);
        continue;
      }
      find_free(*mapping);
      for (const auto& [block, kept] : mapping->kept) {
        if (kept.is_free) continue;
        for (std::size_t at = 0; at < kept.bytes; at += kPageBytes) write_in_place(block[at]);
        if (kept.bytes > 0) write_in_place(block[kept.bytes - 1]);
      }
    }
    if (ends_[0] >= 0) {
      ::close(ends_[0]);
      ::close(ends_[1]);
    }
    mutex_.unlock();
  }

  // What is free is whatever the ranks write there, until this process uses it: from then on a page
  // is its own.
  static void find_free(Segment::Mapping& mapping) {
    for (const BlockCache* cache : mapping.caches) {
      if (!cache->use()->lock().was_held_over_fork()) continue;
      cache->each_free([&](std::byte* block) {
        const auto found = mapping.kept.find(block);
        if (found != mapping.kept.end()) found->second.is_free = true;
      });
    }
  }

  // Where the system sets memory aside for all that could be written (vm.overcommit_memory=2), that
  // is what the rank keeps in forks, alone. False, whatever is mapped then, where it has not even
  // that.
  static bool map_privately(const Segment::Mapping& mapping) {
    constexpr int kWritten = PROT_READ | PROT_WRITE;
    if (map_again(mapping, kWritten, MAP_PRIVATE, mapping.descriptor.number())) return true;
    if (!map_again(mapping, PROT_READ, MAP_PRIVATE, mapping.descriptor.number())) return false;
    return std::ranges::all_of(mapping.kept, [](const auto& kept) {
      std::byte* const block = kept.first;
      const std::size_t bytes = kept.second.bytes;
      const std::size_t before = reinterpret_cast<std::uintptr_t>(block) % kPageBytes;
      return bytes == 0 || mprotect(block - before, before + bytes, kWritten) == 0;
    });
  }

  // A look there ends the process, which is better than one that changes what the ranks have.
  static void map_nothing(const Segment::Mapping& mapping) {
    if (!map_again(mapping, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1)) std::abort();
  }

  static bool map_again(const Segment::Mapping& mapping, int access, int flags, int descriptor) {
    return mmap(mapping.data, mapping.bytes, access, flags | MAP_FIXED | MAP_NORESERVE, descriptor,
                0) != MAP_FAILED;
  }

  // Also where blocks are nobody's just now, or another thread's.
  __attribute__((no_sanitize("address", "thread"))) static void write_in_place(std::byte& at) {
    volatile std::byte& byte = at;
    byte = byte;
  }

  static constexpr std::size_t kPageBytes = 4096;
  static inline std::mutex mutex_;
  static inline std::array<int, 2> ends_{-1, -1};  // of a pipe, while a process is forked off
  // From the beginning, or with the first segment of a World that is made before: so who forks
  // waits for ProgressThread first, which keeps and forgets blocks while it works.
  static inline const int registered_ = register_handlers();
};

Segment Segment::create(std::size_t bytes) {
  for (;; bytes /= 2) {
    Descriptor descriptor(memfd_create("tutti", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    if (!descriptor.valid()) fail("no shared memory for the ranks of this host (memfd_create)");
    std::byte* data = nullptr;
    const FileSizeErrors errors;
    if (ftruncate(descriptor.number(), static_cast<off_t>(bytes)) == 0) {
      data = map(descriptor.number(), bytes);
    }
    if (data != nullptr) {
      munmap(data, bytes);
      // Nobody may pull the memory away from under the others.
      fcntl(descriptor.number(), F_ADD_SEALS, kSeals);
      return Segment(std::move(descriptor));
    }
    if (bytes / 2 < kLeastBytes) {
      fail(errno == EFBIG
               ? "the shared memory of this host's ranks is larger than a file may be (ulimit -f)"
               : "no address space for the shared memory of this host's ranks (limited by ulimit "
                 "-v?)");
    }
  }
}

Segment::Segment(Descriptor descriptor)
    : mapping_(new Mapping{.descriptor = std::move(descriptor)}) {
  struct stat status{};
  const int number = mapping_->descriptor.number();
  if (fstat(number, &status) != 0) fail("the ranks' shared memory (fstat)");
  // A look at what is taken away would end this process.
  const int seals = fcntl(number, F_GET_SEALS);
  if (seals < 0 || (seals & kSeals) != kSeals) {
    throw EnvironmentError(
        "what is offered as the ranks' shared memory is none of Tutti's: its owner could take it "
        "away again (it is not sealed)");
  }
  mapping_->bytes = static_cast<std::size_t>(status.st_size);
  mapping_->data = map(number, mapping_->bytes);
  if (mapping_->data == nullptr) {
    fail("no address space for the " + std::to_string(mapping_->bytes >> 20) +
         " MiB of the ranks' shared memory (limited by ulimit -v?)");
  }
  Mappings::add(mapping_.get());
}

void Segment::keep_in_forks(std::byte* block, std::size_t bytes) const {
  Mappings::keep(*mapping_, block, bytes);
}

void Segment::forget_in_forks(std::byte* block) const noexcept {
  Mappings::forget(*mapping_, block);
}

void Segment::add_cache(const BlockCache& cache) const { Mappings::add_cache(*mapping_, cache); }

void Segment::remove_cache(const BlockCache& cache) const noexcept {
  Mappings::remove_cache(*mapping_, cache);
}

Segment::Segment(Segment&& other) noexcept = default;

Segment::~Segment() {
  if (mapping_ == nullptr) return;
  Mappings::remove(mapping_.get());
  munmap(mapping_->data, mapping_->bytes);
}

}  // namespace tutti::runtime
