#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/cuda/emulation_abi.h"

// Runs CUDA C++ on the host, to test it where there is no GPU: the text is compiled by g++ behind
// device_emulation.h, and the threads of a block are fibers that take turns at barriers and
// shuffles. What would be undefined on a GPU is an error here:
// - a barrier that some threads of the block do not reach, or that they reach at another line;
// - a shuffle or __syncwarp whose mask names lanes that do not take part;
// - a race: two threads access the same bytes of shared or global memory, one of them writes, and
//   no barrier (between blocks: no fence with an atomic, and another one with a fence) lies
//   between;
// - where a test asks for it, a race with another rank's kernel (peer_races.h), of which there is a
//   complaint;
// - an access to memory that is not aligned as its type asks.
//
// Blocks run one after another, and a block that waits for something that another one or another
// GPU does (pause_in_wait of meeting.cuh) is an error; but for those of run_together.
//
// compile_emulated and run_emulated throw std::runtime_error and need nothing of Tutti.
namespace tutti::test::cuda {

class PeerRaces;

// Compiles the texts, one after another, into the shared object `library`, in one run of g++. Each
// kernel (extern "C" __global__) becomes the symbol entry_name(kernel, number of the text). Throws
// with g++'s messages, and where a single kernel has more shared memory than a GPU gives it. Texts
// do not see each other and may use the same names.
void compile_emulated(const std::vector<std::string>& texts, const std::filesystem::path& library);

// The names of the kernels in a text, in order.
std::vector<std::string> kernel_names(std::string_view text);

// The symbol of a kernel, a tutti_emulation::Entry.
std::string entry_name(std::string_view kernel, std::size_t text = 0);

struct RunOptions {
  // In which order the threads of a block run between barriers, and the blocks of a grid.
  enum class Order : std::uint8_t { ascending, descending, shuffled };
  Order order = Order::ascending;
  std::uint32_t seed = 0;  // of `shuffled`
  bool find_races = true;
  // Where races with other ranks are looked for (peer_races.h), by launches of which rank, and how
  // its complaints call the kernel; null: nowhere.
  PeerRaces* peers = nullptr;
  int rank = 0;
  std::string kernel = {};
};

using Extents = std::array<std::uint32_t, 3>;

// Runs a kernel over a grid on this thread. `arguments` as cuLaunchKernel takes them. Throws where
// the kernel does what is listed above, with the place. Thread-safe.
void run_emulated(tutti_emulation::Entry entry, const Extents& grid, const Extents& block,
                  void** arguments, const RunOptions& options = {});

// What a GPU of the emulator has at the same time: so many multiprocessors, of so many threads.
inline constexpr std::uint32_t kMultiprocessors = 4;
inline constexpr std::uint32_t kResidentThreads = 256;

// The same for a kernel whose blocks wait for those of other launches: blocks run by turns, as many
// as a GPU has at the same time; that one of more waits is an error, too, since what it waits for
// may be behind it. Calls `idle` while all wait.
void run_together(tutti_emulation::Entry entry, const Extents& grid, const Extents& block,
                  void** arguments, const RunOptions& options, void (*idle)());

// Where multicast memory lies (Host::multicast), which is asked while kernels run.
void find_multicast_by(int (*find)(const void* address, void** places));

// Whether a text has kernels that wait so.
bool waits_for_others(std::string_view text);

// Texts compiled together and loaded, in a folder that goes with it.
class EmulatedModule {
 public:
  explicit EmulatedModule(const std::vector<std::string>& texts);
  EmulatedModule(const EmulatedModule&) = delete;
  EmulatedModule& operator=(const EmulatedModule&) = delete;
  ~EmulatedModule();

  // Runs a kernel of text number `text`; throws if there is no such kernel.
  void launch(std::size_t text, std::string_view kernel, const Extents& grid, const Extents& block,
              void** arguments, const RunOptions& options = {}) const;
  // The same by run_together.
  void launch_together(std::size_t text, std::string_view kernel, const Extents& grid,
                       const Extents& block, void** arguments, void (*idle)(),
                       const RunOptions& options = {}) const;

 private:
  tutti_emulation::Entry find(std::size_t text, std::string_view kernel) const;

  std::filesystem::path folder_;
  void* library_ = nullptr;
};

}  // namespace tutti::test::cuda
