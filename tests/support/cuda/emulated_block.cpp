#include "tests/support/cuda/emulated_block.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <utility>
#include <vector>

#include <boost/context/detail/fcontext.hpp>
#include <link.h>

// Fibers that end by switching away for good would leave entries on the thread sanitizer's stack.
#define TUTTI_UNTRACKED __attribute__((no_sanitize("thread")))

namespace tutti::test::cuda {

namespace {

namespace context = boost::context::detail;

thread_local EmulatedLaunch* launch_of_this_thread = nullptr;

// By all threads that run kernels.
std::atomic<int (*)(const void*, void**)> multicast_finder = nullptr;

EmulatedLaunch& current() { return *launch_of_this_thread; }

// The thread-local memory of the library that an address of code lies in.
struct ThreadLocal {
  std::uintptr_t code;
  std::byte* begin = nullptr;
  std::size_t bytes = 0;
};

int find_thread_local(dl_phdr_info* info, std::size_t, void* out) {
  auto& found = *static_cast<ThreadLocal*>(out);
  bool holds_code = false;
  std::size_t bytes = 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr) & header = info->dlpi_phdr[i];
    const std::uintptr_t begin = info->dlpi_addr + header.p_vaddr;
    if (header.p_type == PT_TLS) bytes = header.p_memsz;
    if (header.p_type == PT_LOAD && found.code >= begin && found.code < begin + header.p_memsz) {
      holds_code = true;
    }
  }
  if (!holds_code) return 0;
  found.begin = static_cast<std::byte*>(info->dlpi_tls_data);
  found.bytes = found.begin == nullptr ? 0 : bytes;
  return 1;
}

tutti_emulation::Host make_host(bool sees_accesses) {
  return {.place = [] { return std::as_const(current()).place(); },
          .block_barrier = [](int site) { current().block_barrier(site); },
          .warp = [](int op, unsigned mask, unsigned long long value,
                     int source) { return current().warp(op, mask, value, source); },
          .fence = [] { current().fence(); },
          .atomic = [] { current().atomic(); },
          .access = sees_accesses ? [](const void* address, unsigned bytes,
                                       bool write) { current().access(address, bytes, write); }
                                  : static_cast<void (*)(const void*, unsigned, bool)>(nullptr),
          .misaligned = [](const void* address,
                           unsigned bytes) { current().misaligned(address, bytes); },
          .pause_in_wait = [] { current().pause_in_wait(); },
          .nanoseconds =
              [] {
                const auto now = std::chrono::steady_clock::now().time_since_epoch();
                return static_cast<unsigned long long>(
                    std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
              },
          .multicast =
              [](const void* address, void** places) {
                const auto find = multicast_finder.load();
                const int found = find == nullptr ? 0 : find(address, places);
                if (found == 0) current().no_multicast();
                return found;
              },
          .load_acquire = [](const void* word,
                             unsigned bytes) { return current().load_acquire(word, bytes); },
          .store_release =
              [](void* word, unsigned bytes, unsigned long long value) {
                current().store_release(word, bytes, value);
              }};
}

std::size_t product(const Extents& extents) {
  return std::size_t{extents[0]} * extents[1] * extents[2];
}

tutti_emulation::Dim3 unflatten(std::size_t number, const Extents& extents) {
  return {static_cast<unsigned>(number % extents[0]),
          static_cast<unsigned>(number / extents[0] % extents[1]),
          static_cast<unsigned>(number / extents[0] / extents[1])};
}

}  // namespace

void find_multicast_by(int (*find)(const void* address, void** places)) { multicast_finder = find; }

// ---- The launch ----

EmulatedLaunch::EmulatedLaunch(tutti_emulation::Entry entry, const Extents& grid,
                               const Extents& block, void** arguments, const RunOptions& options,
                               PeerRaces::Launch* peers)
    : entry_(entry),
      grid_(grid),
      block_(block),
      arguments_(arguments),
      options_(options),
      host_(make_host(options.find_races || peers != nullptr)),
      random_(options.seed),
      tracker_(std::make_shared<RaceTracker>()),
      peers_(peers) {
  const auto check = [](bool holds, const std::string& what) {
    if (!holds) throw std::runtime_error("a GPU refuses this launch: " + what);
  };
  check(product(grid) > 0 && product(block) > 0, "an extent of 0");
  check(product(block) <= 1024, std::to_string(product(block)) + " threads a block, 1024 at most");
  check(block[2] <= 64, "a block of more than 64 along z");
  check(grid[0] <= 2147483647U && grid[1] <= 65535 && grid[2] <= 65535, "too many blocks");
}

EmulatedLaunch::~EmulatedLaunch() {
  if (stacks_ == nullptr) return;
  stacks_->forget();
  StackPool::process().give(std::move(stacks_));
}

void EmulatedLaunch::run() {
  launch_of_this_thread = this;
  why_no_wait_ = "blocks of such a launch run one after another";
  std::vector<std::uint32_t> blocks(product(grid_));
  std::iota(blocks.begin(), blocks.end(), 0U);
  order(blocks);
  for (const std::uint32_t block : blocks) run_block(block);
}

void EmulatedLaunch::run_by_turns(std::uint32_t number, std::shared_ptr<RaceTracker> tracker) {
  tracker_ = std::move(tracker);
  begin_block(number);
}

EmulatedLaunch::Turn EmulatedLaunch::take_turn(const char* why_not) {
  launch_of_this_thread = this;
  why_no_wait_ = why_not;
  if (!kept_shared_.empty()) std::memcpy(shared_, kept_shared_.data(), shared_bytes_);
  const Turn out = sweep();
  if (shared_ != nullptr) kept_shared_.assign(shared_, shared_ + shared_bytes_);
  return out;
}

void EmulatedLaunch::order(std::vector<std::uint32_t>& numbers) {
  if (options_.order == RunOptions::Order::descending) std::ranges::reverse(numbers);
  if (options_.order == RunOptions::Order::shuffled) std::ranges::shuffle(numbers, random_);
}

void EmulatedLaunch::run_block(std::uint32_t number) {
  begin_block(number);
  while (sweep() != Turn::done) {
  }
}

void EmulatedLaunch::begin_block(std::uint32_t number) {
  if (stacks_ == nullptr) {
    stacks_ = StackPool::process().take();
    stacks_->reserve(product(block_));
    threads_.resize(product(block_));
    turns_.resize(threads_.size());
    std::iota(turns_.begin(), turns_.end(), 0U);
  }
  block_number_ = number;
  barriers_ = 0;
  for (std::size_t i = 0; i < threads_.size(); ++i) {
    threads_[i] = {};
    threads_[i].place = {.thread = unflatten(i, block_),
                         .block = unflatten(number, grid_),
                         .block_size = {block_[0], block_[1], block_[2]},
                         .grid_size = {grid_[0], grid_[1], grid_[2]}};
  }
  // What a block before left in shared memory says nothing.
  if (shared_ != nullptr) std::memset(shared_, 0xA5, shared_bytes_);
}

EmulatedLaunch::Turn EmulatedLaunch::sweep() {
  order(turns_);
  bool done = true;
  bool ran = false;
  bool waits = false;
  for (const std::uint32_t number : turns_) {
    Thread& thread = threads_[number];
    const bool waited = thread.state == State::waits;
    if (waited || thread.state == State::ready) {
      resume(number);
      ran = ran || !waited || thread.state != State::waits;
    }
    done = done && thread.state == State::done;
    waits = waits || thread.state == State::waits;
  }
  if (done) return Turn::done;
  if (release_warps() || release_barrier()) return Turn::ran;
  if (!waits) fail_stuck();
  return ran ? Turn::ran : Turn::waits;
}

// ---- Fibers ----

TUTTI_UNTRACKED void EmulatedLaunch::fiber(void* launch) {
  auto& self = *static_cast<EmulatedLaunch*>(launch);
  self.entry_(self.arguments_, &self.host_);
  self.suspend(State::done);
}

TUTTI_UNTRACKED void EmulatedLaunch::resume(std::size_t thread) {
  running_ = thread;
  Thread& next = threads_[thread];
  if (next.context == nullptr) {
    next.context =
        context::make_fcontext(stacks_->top(thread), Stacks::kBytes, [](context::transfer_t from) {
          auto* self = static_cast<EmulatedLaunch*>(from.data);
          self->scheduler_ = from.fctx;
          fiber(self);
        });
  }
  if (shared_ == nullptr) {
    ThreadLocal found{.code = reinterpret_cast<std::uintptr_t>(entry_)};
    dl_iterate_phdr(find_thread_local, &found);
    shared_ = found.begin;
    shared_bytes_ = found.bytes;
    const auto begin = reinterpret_cast<std::uintptr_t>(shared_);
    tracker_->set_shared(begin, begin + shared_bytes_);
  }
  next.context = context::jump_fcontext(next.context, this).fctx;
  if (!failure_.empty()) throw std::runtime_error(failure_);
}

TUTTI_UNTRACKED void EmulatedLaunch::suspend(State state) {
  threads_[running_].state = state;
  scheduler_ = context::jump_fcontext(scheduler_, nullptr).fctx;
}

// No exception may pass through a fiber's frames: the scheduler throws it, and the fiber is left
// where it is for good.
TUTTI_UNTRACKED void EmulatedLaunch::fail_on_fiber(std::string message) {
  failure_ = std::move(message);
  suspend(State::done);
}

void EmulatedLaunch::pause_in_wait() {
  if (why_no_wait_ != nullptr) {
    fail_on_fiber(where(running_) + " waits for others, but " + why_no_wait_);
  }
  suspend(State::waits);
}

void EmulatedLaunch::no_multicast() {
  fail_on_fiber(where(running_) + " uses as multicast memory what is none, or not yet");
}

void EmulatedLaunch::block_barrier(int site) {
  threads_[running_].site = site;
  suspend(State::at_barrier);
}

unsigned long long EmulatedLaunch::warp(int op, unsigned mask, unsigned long long value,
                                        int source) {
  Thread& thread = threads_[running_];
  thread.op = op;
  thread.mask = mask;
  thread.value = value;
  thread.source = source;
  if ((mask >> (running_ % kWarp) & 1U) == 0) {
    fail_on_fiber(where(running_) + " calls a shuffle whose mask does not name its own lane");
  }
  suspend(State::at_warp);
  return threads_[running_].value;
}

// ---- Memory ----

RaceTracker::Access EmulatedLaunch::access_of(std::size_t thread) const {
  return {.block = block_number_,
          .thread = static_cast<std::uint16_t>(thread),
          .made = true,
          .barriers = barriers_,
          .warp_barriers = threads_[thread].warp_barriers,
          .atomics = tracker_->atomics(),
          .fences = threads_[thread].fences};
}

void EmulatedLaunch::access(const void* address, unsigned bytes, bool write) {
  const auto number = reinterpret_cast<std::uintptr_t>(address);
  if (stacks_->contains(number)) return;
  if (peers_ != nullptr) peers_->access(block_number_, running_thread(), address, bytes, write);
  if (!options_.find_races) return;
  std::string failure = tracker_->access(number, bytes, write, access_of(running_));
  if (!failure.empty()) fail_on_fiber(std::move(failure));
}

unsigned long long EmulatedLaunch::load_acquire(const void* word, unsigned bytes) {
  if (peers_ == nullptr) return load_word(word, bytes);
  return peers_->load_acquire(block_number_, running_thread(), word, bytes);
}

void EmulatedLaunch::store_release(void* word, unsigned bytes, unsigned long long value) {
  if (peers_ == nullptr) return store_word(word, bytes, value);
  peers_->store_release(block_number_, running_thread(), word, bytes, value);
}

void EmulatedLaunch::misaligned(const void* address, unsigned bytes) {
  fail_on_fiber(where(running_) + " accesses " +
                std::to_string(reinterpret_cast<std::uintptr_t>(address) % 256) +
                " bytes behind a multiple of 256 what has to be aligned to " +
                std::to_string(bytes) + " bytes");
}

std::string EmulatedLaunch::where(std::size_t thread) const {
  return "thread " + std::to_string(thread) + " of block " + std::to_string(block_number_);
}

}  // namespace tutti::test::cuda
