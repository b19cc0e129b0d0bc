#pragma once

#include <tutti/runtime/buffer.h>
#include <tutti/runtime/cuda/comm_words.h>
#include <tutti/runtime/cuda/multicast_memory.h>
#include <tutti/runtime/cuda/stream.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace tutti::runtime {

// The memory of all members of a group, as one member's GPU reaches it: its own, and what the
// others have mapped for it (map_peer_memory). Each has words behind its bytes in which kernels
// meet (kernels/device/meeting.cuh).
class PeerMemory {
 public:
  // How many bytes the words take, behind so many that others use, from words_offset() on.
  static std::size_t with_words(std::size_t bytes);
  static std::size_t words_offset(std::size_t bytes);

  // Gets the words of a member's own memory ready, before anybody else has it: the piece of that
  // number of the member at that position.
  static void prepare(CudaStream& stream, std::byte* memory, std::size_t bytes,
                      std::uint64_t number, int position);

  // `memory` has each member's piece of that number, of with_words(bytes), in their order; that at
  // `position` is the rank's own. Throws EnvironmentError where the GPU does not read there what
  // the others have prepared: some machines say that GPUs reach each other, and they don't.
  // `multicast`: the same memory of all members at one address; null: there is no such.
  PeerMemory(CudaStream& stream, std::vector<std::shared_ptr<Buffer>> memory, std::size_t bytes,
             std::uint64_t number, int position, std::shared_ptr<CommWords> words,
             std::unique_ptr<MulticastMemory> multicast = nullptr);
  PeerMemory(const PeerMemory&) = delete;
  PeerMemory& operator=(const PeerMemory&) = delete;

  // The PeerTable that kernels take, on the GPU.
  void* table() const { return table_; }
  CommWords& words() const { return *words_; }
  // Whether so many bytes from a place on lie in the member's own memory, before its words: the
  // other members have theirs as far behind their beginnings.
  bool has(const void* place, std::size_t bytes) const;
  bool has_multicast() const { return multicast_ != nullptr; }

 private:
  const std::shared_ptr<CommWords> words_;
  const std::vector<std::shared_ptr<Buffer>> memory_;
  const std::unique_ptr<MulticastMemory> multicast_;
  const std::byte* const own_;
  const std::size_t bytes_;
  void* table_ = nullptr;
};

}  // namespace tutti::runtime
