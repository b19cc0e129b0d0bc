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

void PeerExchange::set_members(std::vector<Address> members, int position) {
  members_.clear();
  for (const Address& each : members) members_.push_back({.address = each, .memory = nullptr});
  position_ = static_cast<std::size_t>(position);
}

void PeerExchange::begin(std::uint64_t number, const std::byte* memory, std::size_t mapped,
                         std::size_t bytes) {
  number_ = number;
  own_ = const_cast<std::byte*>(memory);
  mapped_ = mapped;
  bytes_ = bytes;
  refusal_.clear();
  for (Member& member : members_) {
    member.told = false;
    member.memory = nullptr;
  }
  // The own one is somebody else's, who keeps it.
  members_[position_].memory = Buffer::wrap(own_, mapped);
  members_[position_].told = true;
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
                                  {.number = number_,
                                   .from = static_cast<std::int64_t>(position_),
                                   .address = reinterpret_cast<std::uint64_t>(own_),
                                   .bytes = mapped_},
                                  exported_);
    } catch (const EnvironmentError& error) {
      member.told = true;  // as far as it can be
      refusal_ = error.what();
    }
  }
}

void PeerExchange::take(const Received& received) {
  Member& member = members_[static_cast<std::size_t>(received.message.from)];
  if (member.memory != nullptr || !refusal_.empty()) return;
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

bool PeerExchange::advance() {
  tell();
  // So many a look, whatever strangers send.
  for (std::size_t i = 0; i < 2 * members_.size(); ++i) {
    std::optional<Received> received = sockets_.receive();
    if (!received) break;
    const auto from = static_cast<std::size_t>(received->message.from);
    // Whoever else knows the name says nothing.
    if (from >= members_.size() || received->process != members_[from].address.process) continue;
    early_.push_back(std::move(*received));
  }
  for (const Received& received : early_) {
    if (received.message.number == number_) take(received);
  }
  std::erase_if(early_, [this](const Received& each) { return each.message.number <= number_; });
  const bool told = std::ranges::all_of(members_, &Member::told);
  const bool complete =
      std::ranges::all_of(members_, [](const Member& member) { return member.memory != nullptr; });
  return told && (complete || !refusal_.empty());
}

std::shared_ptr<PeerMemory> PeerExchange::finish() {
  exported_ = Descriptor();
  std::vector<std::shared_ptr<Buffer>> memory;
  for (Member& member : members_) {
    if (member.memory == nullptr && refusal_.empty()) refusal_ = "another member's does not come";
    memory.push_back(std::exchange(member.memory, nullptr));
  }
  if (!refusal_.empty()) throw EnvironmentError(refusal_);
  return std::make_shared<PeerMemory>(*stream_, std::move(memory), bytes_, number_,
                                      static_cast<int>(position_), words_);
}

}  // namespace tutti::runtime
