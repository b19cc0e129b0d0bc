#include <tutti/ir/support/error.h>
#include <tutti/runtime/comm/shm/segment.h>
#include <tutti/runtime/new_file.h>

#include <cerrno>
#include <cstring>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/stat.h>

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
    static const int handlers =
        pthread_atfork([] { mutex_.lock(); }, [] { mutex_.unlock(); }, copy);
    if (handlers != 0) throw EnvironmentError("no memory for what is to happen in a fork");
    const std::scoped_lock lock(mutex_);
    all_.push_back(mapping);
  }
  static void remove(Segment::Mapping* mapping) {
    const std::scoped_lock lock(mutex_);
    std::erase(all_, mapping);
  }

 private:
  // In the child.
  static void copy() {
    for (Segment::Mapping* mapping : all_) {
      static_cast<void>(mmap(mapping->data, mapping->bytes, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, mapping->descriptor.number(),
                             0));
      mapping->copy = true;
    }
    mutex_.unlock();
  }

  static inline std::mutex mutex_;
  static inline std::vector<Segment::Mapping*> all_;
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
    : mapping_(std::make_unique<Mapping>(Mapping{.descriptor = std::move(descriptor)})) {
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

Segment::Segment(Segment&& other) noexcept = default;

Segment::~Segment() {
  if (mapping_ == nullptr) return;
  Mappings::remove(mapping_.get());
  munmap(mapping_->data, mapping_->bytes);
}

}  // namespace tutti::runtime
