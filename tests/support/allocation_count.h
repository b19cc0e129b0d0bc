#pragma once

#include <cstdint>
#include <iosfwd>

namespace tutti::test {

// What memory management was asked for. Every program that links tests/support counts: malloc and
// its kin (operator new among them) by definitions of our own, the system's calls where a library
// or the program makes them, page faults by the system. What the C library does inside malloc is
// the malloc's.
struct AllocationCount {
  std::uint64_t allocations = 0;   // malloc, calloc, realloc, aligned_alloc, posix_memalign
  std::uint64_t frees = 0;         // of what is not null
  std::uint64_t mappings = 0;      // mmap, munmap, mremap, madvise, mprotect, brk, sbrk
  std::uint64_t minor_faults = 0;  // pages that came without being read from a disk
  // What oneDNN allocates and frees while it executes a primitive, which nobody else can help; not
  // in the numbers above.
  std::uint64_t library_allocations = 0;

  // Since an earlier count.
  AllocationCount operator-(const AllocationCount& earlier) const;
  friend bool operator==(const AllocationCount&, const AllocationCount&) = default;
};

// "3 allocations, 0 frees, 0 mappings, 1 minor faults"; GoogleTest prints it.
std::ostream& operator<<(std::ostream& out, const AllocationCount& count);

// Whether this program counts: not under AddressSanitizer or ThreadSanitizer, whose malloc is their
// own. Tests skip what they would count.
bool counts_allocations();

// So far: of the calling thread, and of the process's threads together.
AllocationCount thread_allocations();
AllocationCount process_allocations();

// While it lives, the calling thread's allocation number `number` from its making (1 is the next)
// finds no memory, once. Does nothing where counts_allocations() is false.
class FailingAllocation {
 public:
  explicit FailingAllocation(std::uint64_t number);
  FailingAllocation(const FailingAllocation&) = delete;
  FailingAllocation& operator=(const FailingAllocation&) = delete;
  ~FailingAllocation();

  // Whether it came to that.
  bool failed() const;
};

}  // namespace tutti::test
