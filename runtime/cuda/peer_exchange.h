#pragma once

#include <tutti/runtime/comm/descriptor_exchange.h>
#include <tutti/runtime/cuda/accelerator.h>
#include <tutti/runtime/cuda/comm_words.h>
#include <tutti/runtime/cuda/peer_memory.h>

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <sys/types.h>

namespace tutti::runtime {

// How the members of a group give each other the memory of their GPUs: by descriptors between
// processes, as it is where ranks are threads of one. Belongs to the rank's thread, which has
// entered.
class PeerExchange {
 public:
  // What the others need to know of a member.
  struct Address {
    std::array<char, 32> name{};
    std::int32_t name_bytes = 0;
    pid_t process = 0;
  };

  // Throws EnvironmentError.
  explicit PeerExchange(std::shared_ptr<CudaStream> stream);
  Address address() const;
  // Who the members are, and which of them this one is.
  void set_members(std::vector<Address> members, int position);

  // Whoever waits in a kernel gives up soon. From any thread.
  void stop() noexcept { words_->stop(); }
  CommWords& words() const { return *words_; }

  // Gives the others a piece of memory that map_memory() made, of `mapped` bytes, at least
  // PeerMemory::with_words(bytes); all do it with pieces of one number, of as many bytes.
  void begin(std::uint64_t number, const std::byte* memory, std::size_t mapped, std::size_t bytes);
  // Goes on with it, and does not wait; true when this member has what it needs, or never will.
  bool advance();
  // What came of it. Throws EnvironmentError, which says why this member does not reach the
  // others'.
  std::shared_ptr<PeerMemory> finish();

 private:
  struct Member {
    Address address;
    bool told = false;
    std::shared_ptr<Buffer> memory;
  };
  using Received = DescriptorExchange::Received;

  void tell();
  void take(const Received& received);

  const std::shared_ptr<CudaStream> stream_;
  const std::shared_ptr<CommWords> words_;
  const DescriptorExchange sockets_;
  std::vector<Member> members_;
  std::size_t position_ = 0;
  std::vector<Received> early_;  // for pieces that this member has not come to
  // The piece that is exchanged now.
  std::uint64_t number_ = 0;
  std::byte* own_ = nullptr;
  std::size_t mapped_ = 0;
  std::size_t bytes_ = 0;
  Descriptor exported_;
  std::string refusal_;
};

}  // namespace tutti::runtime
