#include <tutti/ir/support/error.h>
#include <tutti/ir/support/hash.h>
#include <tutti/runtime/comm/comm_kernels.h>
#include <tutti/runtime/cuda/peer_memory.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <utility>

namespace tutti::runtime {

namespace {

// As kernels/device/meeting.cuh has them.
struct PeerTable {
  std::array<std::uint64_t, CommKernel::kMostMembers> begins{};
  std::uint64_t words = 0;
  std::uint64_t multicast = 0;
  std::uint64_t host = 0;
  std::uint32_t position = 0;
};
struct MeetingWords {
  std::array<std::array<std::uint32_t, CommKernel::kMostMembers>, CommKernel::kMostBlocks> arrived;
  std::array<std::uint32_t, CommKernel::kMostBlocks> epoch;
};

// By which others see that they read the memory of this member, and not something else.
using Proof = std::array<std::uint64_t, 8>;
Proof proof_of(std::uint64_t number, int position) {
  Proof out{};
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = Hasher()
                 .add(number)
                 .add(static_cast<std::uint64_t>(position))
                 .add(static_cast<std::uint64_t>(i))
                 .finish()
                 .low;
  }
  return out;
}

constexpr std::size_t kWordsAlignment = 512;
constexpr std::size_t round_up(std::size_t bytes, std::size_t unit) {
  return (bytes + unit - 1) / unit * unit;
}
// Behind the member's words.
constexpr std::size_t kProofOffset = round_up(sizeof(MeetingWords), 256);
constexpr std::size_t kTableOffset = kProofOffset + 256;

// A stream with memory of the host for short copies that are waited for, whatever is on other
// streams.
class ShortCopies {
 public:
  explicit ShortCopies(CudaStream& of) : of_(of), driver_(of.driver()) {
    driver_.check(driver_.cuStreamCreate(&stream_, CU_STREAM_NON_BLOCKING), "cuStreamCreate");
    const CUresult made = driver_.cuMemHostAlloc(&memory_, kBytes, 0);
    if (made == CUDA_SUCCESS) return;
    driver_.cuStreamDestroy(stream_);
    driver_.fail(made, "cuMemHostAlloc");
  }
  ShortCopies(const ShortCopies&) = delete;
  ShortCopies& operator=(const ShortCopies&) = delete;
  ~ShortCopies() {
    driver_.cuStreamSynchronize(stream_);
    driver_.cuStreamDestroy(stream_);
    // That may wait for all that is on the GPU, also of other ranks.
    of_.releases().release_later(
        [&driver = driver_, memory = memory_] { driver.cuMemFreeHost(memory); });
  }

  void clear(std::byte* place, std::size_t bytes) {
    driver_.check(driver_.cuMemsetD8Async(address(place), 0, bytes, stream_), "cuMemsetD8Async");
    wait();
  }
  template <class T>
  void write(std::byte* to, const T& value) {
    static_assert(sizeof(T) <= kBytes);
    std::memcpy(memory_, &value, sizeof(T));
    driver_.check(driver_.cuMemcpyHtoDAsync(address(to), memory_, sizeof(T), stream_),
                  "cuMemcpyHtoDAsync");
    wait();
  }
  template <class T>
  T read(std::byte* from) {
    static_assert(sizeof(T) <= kBytes);
    driver_.check(driver_.cuMemcpyDtoHAsync(memory_, address(from), sizeof(T), stream_),
                  "cuMemcpyDtoHAsync");
    wait();
    T out;
    std::memcpy(&out, memory_, sizeof(T));
    return out;
  }

 private:
  static constexpr std::size_t kBytes = 256;
  static CUdeviceptr address(std::byte* place) { return reinterpret_cast<CUdeviceptr>(place); }
  void wait() { driver_.check(driver_.cuStreamSynchronize(stream_), "cuStreamSynchronize"); }

  CudaStream& of_;
  const CudaDriver& driver_;
  CUstream stream_ = nullptr;
  void* memory_ = nullptr;
};

}  // namespace

std::size_t PeerMemory::words_offset(std::size_t bytes) { return round_up(bytes, kWordsAlignment); }

std::size_t PeerMemory::with_words(std::size_t bytes) {
  return words_offset(bytes) + kTableOffset + sizeof(PeerTable);
}

void PeerMemory::prepare(CudaStream& stream, std::byte* memory, std::size_t bytes,
                         std::uint64_t number, int position) {
  const CudaStream::Entered entered = stream.enter();
  ShortCopies copies(stream);
  std::byte* const words = memory + words_offset(bytes);
  copies.clear(words, kTableOffset + sizeof(PeerTable));
  copies.write(words + kProofOffset, proof_of(number, position));
}

PeerMemory::PeerMemory(CudaStream& stream, std::vector<std::shared_ptr<Buffer>> memory,
                       std::size_t bytes, std::uint64_t number, int position,
                       std::shared_ptr<CommWords> words, std::unique_ptr<MulticastMemory> multicast)
    : words_(std::move(words)),
      memory_(std::move(memory)),
      multicast_(std::move(multicast)),
      own_(memory_.at(static_cast<std::size_t>(position))->data()),
      bytes_(bytes) {
  const std::size_t offset = words_offset(bytes);
  PeerTable table{.words = offset,
                  .multicast = multicast_ == nullptr ? 0 : multicast_->address(),
                  .host = words_->address(),
                  .position = static_cast<std::uint32_t>(position)};
  const CudaStream::Entered entered = stream.enter();
  ShortCopies copies(stream);
  for (std::size_t member = 0; member < memory_.size(); ++member) {
    std::byte* const begin = memory_[member]->data();
    table.begins.at(member) = reinterpret_cast<std::uint64_t>(begin);
    const auto proof = copies.read<Proof>(begin + offset + kProofOffset);
    if (proof == proof_of(number, static_cast<int>(member))) continue;
    throw EnvironmentError(
        "the GPU reads something else where another one's memory was mapped for it; GPUs without a "
        "direct link, in virtual machines or behind an IOMMU, are known for that");
  }
  std::byte* const place = const_cast<std::byte*>(own_) + offset + kTableOffset;
  copies.write(place, table);
  table_ = place;
}

bool PeerMemory::has(const void* place, std::size_t bytes) const {
  const auto* const begin = static_cast<const std::byte*>(place);
  return begin >= own_ && begin <= own_ + bytes_ &&
         bytes <= static_cast<std::size_t>(own_ + bytes_ - begin);
}

}  // namespace tutti::runtime
