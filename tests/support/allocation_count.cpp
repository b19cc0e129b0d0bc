#include "tests/support/allocation_count.h"

#include <atomic>
#include <ostream>

#include <sys/resource.h>

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define TUTTI_COUNTS_ALLOCATIONS 1
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#undef TUTTI_COUNTS_ALLOCATIONS
#endif
#endif
#endif

namespace tutti::test {

namespace {

// Constant-initialised, since the first malloc comes before main().
struct Counters {
  std::atomic<std::uint64_t> allocations{0}, frees{0}, mappings{0}, library{0};
};
constinit Counters process_counters;
constinit thread_local AllocationCount thread_counters;
[[maybe_unused]] constinit thread_local bool inside_library = false;
// How many allocations it is to the one that fails; 0: none will.
constinit thread_local std::uint64_t until_failure = 0;

AllocationCount with_faults(AllocationCount count, int who) {
  rusage usage{};
  getrusage(who, &usage);
  count.minor_faults = static_cast<std::uint64_t>(usage.ru_minflt);
  return count;
}

}  // namespace

AllocationCount AllocationCount::operator-(const AllocationCount& earlier) const {
  return {.allocations = allocations - earlier.allocations,
          .frees = frees - earlier.frees,
          .mappings = mappings - earlier.mappings,
          .minor_faults = minor_faults - earlier.minor_faults,
          .library_allocations = library_allocations - earlier.library_allocations};
}

std::ostream& operator<<(std::ostream& out, const AllocationCount& count) {
  return out << count.allocations << " allocations, " << count.frees << " frees, " << count.mappings
             << " mappings, " << count.minor_faults << " minor faults ("
             << count.library_allocations << " allocations in oneDNN)";
}

bool counts_allocations() {
#ifdef TUTTI_COUNTS_ALLOCATIONS
  return true;
#else
  return false;
#endif
}

AllocationCount thread_allocations() { return with_faults(thread_counters, RUSAGE_THREAD); }

AllocationCount process_allocations() {
  return with_faults({.allocations = process_counters.allocations.load(),
                      .frees = process_counters.frees.load(),
                      .mappings = process_counters.mappings.load(),
                      .library_allocations = process_counters.library.load()},
                     RUSAGE_SELF);
}

FailingAllocation::FailingAllocation(std::uint64_t number) { until_failure = number; }
FailingAllocation::~FailingAllocation() { until_failure = 0; }
bool FailingAllocation::failed() const { return until_failure == 0; }

}  // namespace tutti::test

#ifdef TUTTI_COUNTS_ALLOCATIONS

// The program's definitions come before the libraries'; they count and pass on, to names of the
// C library's that nobody replaces or to the system itself.

#include <cerrno>
#include <cstdarg>
#include <cstddef>

#include <dlfcn.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

extern "C" {

void* __libc_malloc(std::size_t bytes);
void* __libc_calloc(std::size_t count, std::size_t bytes);
void* __libc_realloc(void* data, std::size_t bytes);
void* __libc_memalign(std::size_t alignment, std::size_t bytes);
void __libc_free(void* data);

}  // extern "C"

namespace {

using tutti::test::inside_library;
using tutti::test::process_counters;
using tutti::test::thread_counters;
using tutti::test::until_failure;

// Whether this one fails.
bool fails() { return until_failure > 0 && --until_failure == 0; }

void count_allocation() {
  if (inside_library) {
    process_counters.library.fetch_add(1, std::memory_order_relaxed);
    ++thread_counters.library_allocations;
    return;
  }
  process_counters.allocations.fetch_add(1, std::memory_order_relaxed);
  ++thread_counters.allocations;
}
void count_mapping() {
  process_counters.mappings.fetch_add(1, std::memory_order_relaxed);
  ++thread_counters.mappings;
}

template <class... Arguments>
long call_system(long number, Arguments... arguments) {
  count_mapping();
  return syscall(number, arguments...);
}

}  // namespace

extern "C" {

void* malloc(std::size_t bytes) noexcept {
  count_allocation();
  return fails() ? nullptr : __libc_malloc(bytes);
}
void* calloc(std::size_t count, std::size_t bytes) noexcept {
  count_allocation();
  return fails() ? nullptr : __libc_calloc(count, bytes);
}
void* realloc(void* data, std::size_t bytes) noexcept {
  count_allocation();
  return __libc_realloc(data, bytes);
}
void* memalign(std::size_t alignment, std::size_t bytes) noexcept {
  count_allocation();
  return fails() ? nullptr : __libc_memalign(alignment, bytes);
}
void* aligned_alloc(std::size_t alignment, std::size_t bytes) noexcept {
  count_allocation();
  return fails() ? nullptr : __libc_memalign(alignment, bytes);
}
int posix_memalign(void** data, std::size_t alignment, std::size_t bytes) noexcept {
  if (alignment % sizeof(void*) != 0 || (alignment & (alignment - 1)) != 0 || alignment == 0) {
    return EINVAL;
  }
  count_allocation();
  if (fails()) return ENOMEM;
  void* const block = __libc_memalign(alignment, bytes);
  if (block == nullptr) return ENOMEM;
  *data = block;
  return 0;
}
void free(void* data) noexcept {
  if (data != nullptr && !inside_library) {
    process_counters.frees.fetch_add(1, std::memory_order_relaxed);
    ++thread_counters.frees;
  }
  __libc_free(data);
}

void* mmap(void* at, std::size_t bytes, int protection, int flags, int file,
           off_t offset) noexcept {
  return reinterpret_cast<void*>(call_system(SYS_mmap, at, bytes, protection, flags, file, offset));
}
void* mmap64(void* at, std::size_t bytes, int protection, int flags, int file,
             off64_t offset) noexcept {
  return mmap(at, bytes, protection, flags, file, offset);
}
int munmap(void* at, std::size_t bytes) noexcept {
  return static_cast<int>(call_system(SYS_munmap, at, bytes));
}
void* mremap(void* at, std::size_t bytes, std::size_t new_bytes, int flags, ...) noexcept {
  va_list rest;
  va_start(rest, flags);
  void* const new_at = (flags & MREMAP_FIXED) != 0 ? va_arg(rest, void*) : nullptr;
  va_end(rest);
  return reinterpret_cast<void*>(call_system(SYS_mremap, at, bytes, new_bytes, flags, new_at));
}
int madvise(void* at, std::size_t bytes, int advice) noexcept {
  return static_cast<int>(call_system(SYS_madvise, at, bytes, advice));
}
int mprotect(void* at, std::size_t bytes, int protection) noexcept {
  return static_cast<int>(call_system(SYS_mprotect, at, bytes, protection));
}
// These keep the C library's idea of where the heap ends.
int brk(void* end) noexcept {
  count_mapping();
  static auto* const next = reinterpret_cast<int (*)(void*)>(dlsym(RTLD_NEXT, "brk"));
  return next(end);
}
void* sbrk(std::intptr_t bytes) noexcept {
  count_mapping();
  static auto* const next = reinterpret_cast<void* (*)(std::intptr_t)>(dlsym(RTLD_NEXT, "sbrk"));
  return next(bytes);
}

#if TUTTI_HAS_ONEDNN
int dnnl_primitive_execute(const void* primitive, void* stream, int count, const void* arguments) {
  using Function = int (*)(const void*, void*, int, const void*);
  static const auto next = reinterpret_cast<Function>(dlsym(RTLD_NEXT, "dnnl_primitive_execute"));
  inside_library = true;
  const int status = next(primitive, stream, count, arguments);
  inside_library = false;
  return status;
}
#endif

}  // extern "C"

#endif
