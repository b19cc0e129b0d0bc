#pragma once

#include <tutti/runtime/comm/descriptor_exchange.h>
#include <tutti/runtime/cuda/accelerator.h>
#include <tutti/runtime/cuda/comm_words.h>
#include <tutti/runtime/cuda/peer_memory.h>
#include <tutti/runtime/function_ref.h>

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
  // Who the members are, and which of them this one is; and whether the GPUs of all can have
  // multicast memory.
  void set_members(std::vector<Address> members, int position, bool multicast);

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
  // Why that has no multicast memory; empty: it has.
  const std::string& no_multicast() const { return no_multicast_; }

 private:
  // What members tell each other of a piece, one after another: what each has; the multicast memory
  // that the first has made; that they have added their GPUs to it, of as many bytes; that they
  // have bound their memory to it. Who fails tells that, so that nobody waits.
  enum class Stage : std::uint8_t { memory, multicast, added, bound };
  struct Member {
    Address address;
    bool told = false;
    bool heard = false;  // what it tells at this stage
    std::shared_ptr<Buffer> memory;
  };
  using Received = DescriptorExchange::Received;

  void begin_stage(Stage stage);
  // Whether this member tells the others anything at this stage.
  bool tells() const { return stage_ != Stage::multicast || position_ == 0; }
  bool is_over() const;
  void tell();
  void take(const Received& received);
  void take_memory(Member& member, const Received& received);
  void take_multicast(const Received& received);
  void take_word(const Received& received);
  // The bytes that this member's message says at this stage; 0: it has failed.
  std::uint64_t told_bytes() const;
  // Goes on to the next stage; false behind the last.
  bool begin_next_stage();
  // Does what this member has to do for a piece of multicast memory; without one if that fails.
  void try_multicast(FunctionRef<void()> attempt);
  // The number of messages of this piece at this stage.
  std::uint64_t message_number() const;

  const std::shared_ptr<CudaStream> stream_;
  const std::shared_ptr<CommWords> words_;
  const DescriptorExchange sockets_;
  std::vector<Member> members_;
  std::size_t position_ = 0;
  bool can_multicast_ = false;
  std::vector<Received> early_;  // for pieces and stages that this member has not come to
  // The piece that is exchanged now.
  std::uint64_t number_ = 0;
  Stage stage_ = Stage::memory;
  std::byte* own_ = nullptr;
  std::size_t mapped_ = 0;
  std::size_t bytes_ = 0;
  Descriptor exported_;
  std::string refusal_;
  std::unique_ptr<MulticastMemory> multicast_;
  bool is_complete_ = false;  // all stages are over
  std::string no_multicast_;
};

}  // namespace tutti::runtime
