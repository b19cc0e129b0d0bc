#include <tutti/ir/support/error.h>
#include <tutti/runtime/cuda/mapped_memory.h>
#include <tutti/runtime/cuda/peer_exchange.h>

#include <algorithm>
#include <utility>

#include <unistd.h>

namespace tutti::runtime {

PeerExchange::PeerExchange(std::shared_ptr<CudaStream> stream)
    : stream_(std::move(stream)), words_(std::make_shared<CommWords>(stream_)) {}

PeerExchange::Address PeerExchange::address() const {
  Address out;
  const std::string& name = sockets_.name();
  if (name.size() > out.name.size()) throw EnvironmentError("a local socket of a long name");
  std::ranges::copy(name, out.name.begin());
  out.name_bytes = static_cast<std::int32_t>(name.size());
  out.process = getpid();
  return out;
}

void PeerExchange::set_members(std::vector<Address> members, int position, bool multicast) {
  members_.clear();
  for (const Address& each : members) members_.push_back({.address = each, .memory = nullptr});
  position_ = static_cast<std::size_t>(position);
  can_multicast_ = multicast;
}

std::uint64_t PeerExchange::message_number() const {
  return number_ * 4 + static_cast<std::uint64_t>(stage_);
}

void PeerExchange::begin_stage(Stage stage) {
  stage_ = stage;
  for (Member& member : members_) {
    member.told = !tells();
    member.heard = stage == Stage::multicast && &member != members_.data();
  }
  // Not to itself.
  members_[position_].told = members_[position_].heard = true;
}

void PeerExchange::begin(std::uint64_t number, const std::byte* memory, std::size_t mapped,
                         std::size_t bytes) {
  number_ = number;
  own_ = const_cast<std::byte*>(memory);
  mapped_ = mapped;
  bytes_ = bytes;
  refusal_.clear();
  multicast_ = nullptr;
  is_complete_ = false;
  no_multicast_ = can_multicast_ ? "" : "not all GPUs have such";
  for (Member& member : members_) member.memory = nullptr;
  begin_stage(Stage::memory);
  // The own one is somebody else's, who keeps it.
  members_[position_].memory = Buffer::wrap(own_, mapped);
  try {
    PeerMemory::prepare(*stream_, own_, bytes, number, static_cast<int>(position_));
    exported_ = export_memory(*stream_, own_);
  } catch (const EnvironmentError& error) {
    exported_ = Descriptor();  // the others hear that there is none
    refusal_ = error.what();
  }
}

void PeerExchange::tell() {
  for (Member& member : members_) {
    if (member.told) continue;
    try {
      const std::string name(member.address.name.data(),
                             static_cast<std::size_t>(member.address.name_bytes));
      member.told = sockets_.send(name,
                                  {.number = message_number(),
                                   .from = static_cast<std::int64_t>(position_),
                                   .address = reinterpret_cast<std::uint64_t>(own_),
                                   .bytes = told_bytes()},
                                  exported_);
    } catch (const EnvironmentError& error) {
      member.told = true;  // as far as it can be
      refusal_ = error.what();
    }
  }
}

void PeerExchange::take(const Received& received) {
  Member& member = members_[static_cast<std::size_t>(received.message.from)];
  if (member.heard) return;
  member.heard = true;
  switch (stage_) {
    case Stage::memory:
      return take_memory(member, received);
    case Stage::multicast:
      return take_multicast(received);
    case Stage::added:
    case Stage::bound:
      return take_word(received);
  }
}

std::uint64_t PeerExchange::told_bytes() const {
  if (stage_ == Stage::memory) return mapped_;
  return multicast_ == nullptr ? 0 : multicast_->bytes();
}

// All bind as many bytes, from the first on: what lies at one place of them lies there in all.
void PeerExchange::take_word(const Received& received) {
  if (multicast_ == nullptr || received.message.bytes == multicast_->bytes()) return;
  multicast_ = nullptr;
  no_multicast_ = received.message.bytes != 0 ? "another member binds other bytes"
                  : stage_ == Stage::added    ? "another member's GPU is in none"
                                              : "another member can't bind its memory";
}

void PeerExchange::take_memory(Member& member, const Received& received) {
  if (!refusal_.empty()) return;
  if (!received.descriptor.valid()) {
    refusal_ = "another member can't give its memory";
    return;
  }
  if (received.message.bytes < PeerMemory::with_words(bytes_)) {
    refusal_ = "another member's memory is smaller";
    return;
  }
  try {
    const auto bytes = static_cast<std::size_t>(received.message.bytes);
    member.memory =
        received.process == getpid()
            ? map_peer_memory(stream_, reinterpret_cast<const std::byte*>(received.message.address),
                              bytes)
            : map_peer_memory(stream_, received.descriptor, bytes);
  } catch (const EnvironmentError& error) {
    refusal_ = error.what();
  }
}

void PeerExchange::take_multicast(const Received& received) {
  const auto bytes = static_cast<std::size_t>(received.message.bytes);
  try_multicast([&] {
    if (!received.descriptor.valid()) throw EnvironmentError("the first member has made none");
    if (bytes > mapped_) throw EnvironmentError("it is larger than this member's memory");
    if (bytes < PeerMemory::with_words(bytes_)) {
      throw EnvironmentError("it is smaller than what programs have");
    }
    multicast_ = std::make_unique<MulticastMemory>(stream_, static_cast<int>(members_.size()),
                                                   bytes, received.descriptor);
    multicast_->add_gpu();
  });
}

void PeerExchange::try_multicast(FunctionRef<void()> attempt) {
  if (!no_multicast_.empty()) return;
  try {
    if (!refusal_.empty()) throw EnvironmentError(refusal_);
    attempt();
  } catch (const EnvironmentError& error) {
    multicast_ = nullptr;
    no_multicast_ = error.what();
  }
}

bool PeerExchange::is_over() const {
  const bool told = std::ranges::all_of(members_, &Member::told);
  return told && (std::ranges::all_of(members_, &Member::heard) ||
                  (stage_ == Stage::memory && !refusal_.empty()));
}

bool PeerExchange::advance() {
  // So many a look, whatever strangers send.
  for (std::size_t i = 0; i < 2 * members_.size(); ++i) {
    std::optional<Received> received = sockets_.receive();
    if (!received) break;
    const auto from = static_cast<std::size_t>(received->message.from);
    // Whoever else knows the name says nothing.
    if (from >= members_.size() || received->process != members_[from].address.process) continue;
    early_.push_back(std::move(*received));
  }
  while (true) {
    tell();
    for (const Received& received : early_) {
      if (received.message.number == message_number()) take(received);
    }
    std::erase_if(early_, [number = message_number()](const Received& each) {
      return each.message.number <= number;
    });
    if (!is_over()) return false;
    exported_ = Descriptor();
    if (!begin_next_stage()) break;
  }
  is_complete_ = true;
  return true;
}

bool PeerExchange::begin_next_stage() {
  if (!can_multicast_) return false;
  switch (stage_) {
    case Stage::memory:
      begin_stage(Stage::multicast);
      if (position_ != 0) return true;
      try_multicast([&] {
        multicast_ =
            std::make_unique<MulticastMemory>(stream_, static_cast<int>(members_.size()), mapped_);
        multicast_->add_gpu();
        exported_ = multicast_->export_memory();
      });
      return true;
    case Stage::multicast:
      begin_stage(Stage::added);
      return true;
    case Stage::added:
      // All GPUs are in it: else the driver would wait for them.
      begin_stage(Stage::bound);
      try_multicast([&] { multicast_->bind(own_); });
      return true;
    case Stage::bound:
      return false;
  }
  return false;
}

std::shared_ptr<PeerMemory> PeerExchange::finish() {
  exported_ = Descriptor();
  std::vector<std::shared_ptr<Buffer>> memory;
  for (Member& member : members_) {
    if (member.memory == nullptr && refusal_.empty()) refusal_ = "another member's does not come";
    memory.push_back(std::exchange(member.memory, nullptr));
  }
  if (!is_complete_ && no_multicast_.empty()) no_multicast_ = "another member does not come to it";
  if (!no_multicast_.empty()) multicast_ = nullptr;
  auto multicast = std::exchange(multicast_, nullptr);
  if (!refusal_.empty()) throw EnvironmentError(refusal_);
  return std::make_shared<PeerMemory>(*stream_, std::move(memory), bytes_, number_,
                                      static_cast<int>(position_), words_, std::move(multicast));
}

}  // namespace tutti::runtime
