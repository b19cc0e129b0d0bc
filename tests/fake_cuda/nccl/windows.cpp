#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "tests/fake_cuda/driver/enqueue.h"
#include "tests/fake_cuda/nccl/communicator.h"
#include "tests/fake_cuda/nccl/control.h"

// Memory that all members of a communicator register.

using tutti::fake_cuda::complain_of_nccl;
using tutti::fake_cuda::DeviceRange;
using tutti::fake_cuda::lacks_fabric_handles;
using tutti::fake_cuda::mapped_range;
using tutti::fake_cuda::unwatch;
using tutti::fake_cuda::watch;

namespace tutti::runtime::nccl {

namespace {

// The one that is to fail.
struct WindowFault {
  std::mutex mutex;
  int left = 0;  // that are still to come before it, with itself; 0: none is to fail
  Result result = Result::success;
  bool late = false;
} g_window_fault;

std::vector<std::byte> as_bytes(const std::string& text) {
  const auto* const begin = reinterpret_cast<const std::byte*>(text.data());
  return {begin, begin + text.size()};
}

// Of what says behind how many collectives a rank began to register.
std::string opening_name(std::size_t number, int rank) {
  return "opening-" + std::to_string(number) + "-" + std::to_string(rank);
}

}  // namespace

void Communicator::open_window(void* place, std::size_t bytes, Window** window) {
  const auto begin = reinterpret_cast<CUdeviceptr>(place);
  if (begin % 4096 != 0) complain_of_nccl("a window of memory that is not aligned to 4096");
  const DeviceRange mapped = mapped_range(begin, bytes);
  if (mapped.bytes == 0) complain_of_nccl("a window of memory that is not mapped by cuMemMap");
  for (const Window* const each : windows_) {
    const bool apart = !each->open || begin + bytes <= each->range.begin ||
                       each->range.begin + each->range.bytes <= begin;
    if (!apart) complain_of_nccl("memory that is registered twice");
  }
  if (under_way > 0) complain_of_nccl("memory is registered while something is under way");
  auto* const made = new Window{.range = {.begin = begin, .bytes = bytes},
                                .mapped = mapped,
                                .name = "window " + std::to_string(windows_.size() + 1) +
                                        " of a communicator of rank " + std::to_string(rank)};
  watch(mapped, made->name);
  windows_.push_back(made);
  opening_ = {made, window};
  board_->say(opening_name(++begun_, rank), as_bytes(std::to_string(collectives_)));
  {
    const std::scoped_lock lock(g_window_fault.mutex);
    if (g_window_fault.left > 0 && --g_window_fault.left == 0) {
      opening_.fault = g_window_fault.result;
      opening_.fails_late = g_window_fault.late;
    }
  }
  // In a fabric the library gives all memory by handles of that, to ranks of its host, too.
  if (lacks_fabric_handles(mapped.begin)) {
    opening_.fault = Result::unhandled_cuda_error;
  }
  if (opening_.fault != Result::success && !opening_.fails_late) return;
  const std::string text = std::to_string(bytes);
  board_->say("window-" + std::to_string(windows_.size()) + "-" + std::to_string(rank),
              as_bytes(text));
}

void Communicator::check_openings(int member, std::uint64_t collective) {
  const auto said = board_->read(opening_name(begun_ + 1, member));
  if (!said) return;
  const std::string behind(reinterpret_cast<const char*>(said->data()), said->size());
  if (std::stoull(behind) >= collective || has_missed_.exchange(true)) return;
  complain_of_nccl("rank " + std::to_string(rank) + " goes on without memory that rank " +
                   std::to_string(member) + " registers");
}

void Communicator::check_openings() {
  for (int each = 0; each < size; ++each) {
    check_openings(each, std::numeric_limits<std::uint64_t>::max());
  }
}

// All members are there, with as many bytes.
bool Communicator::finish_opening() {
  if (opening_.window == nullptr) return true;
  const bool fails = opening_.fault != Result::success;
  if (fails && !opening_.fails_late) {
    fail_opening();
    return true;
  }
  const std::string text = std::to_string(opening_.window->range.bytes);
  for (int each = 0; each < size; ++each) {
    const auto said =
        board_->read("window-" + std::to_string(windows_.size()) + "-" + std::to_string(each));
    if (!said) return false;
    if (*said != as_bytes(text)) {
      complain_of_nccl("windows of different sizes");
    }
  }
  if (fails) {
    fail_opening();
  } else {
    *std::exchange(opening_, {}).result = windows_.back();
  }
  return true;
}

void Communicator::fail_opening() {
  const Opening opening = std::exchange(opening_, {});
  *opening.result = nullptr;
  close_window(opening.window);
  failure = opening.fault;
}

void Communicator::close_window(Window* window) {
  const bool known = std::ranges::find(windows_, window) != windows_.end() && window->open;
  if (!known) return complain_of_nccl("a window is closed that is not open");
  if (under_way > 0) complain_of_nccl("a window is closed while something is under way");
  window->open = false;
  unwatch(window->mapped, window->name);
}

int Communicator::open_windows() const {
  return static_cast<int>(std::ranges::count_if(windows_, &Window::open));
}

}  // namespace tutti::runtime::nccl

void fake_nccl_fail_window(int nth, int result, bool late) {
  using tutti::runtime::nccl::g_window_fault;
  const std::scoped_lock lock(g_window_fault.mutex);
  g_window_fault.left = nth;
  g_window_fault.result = static_cast<tutti::runtime::nccl::Result>(result);
  g_window_fault.late = late;
}
