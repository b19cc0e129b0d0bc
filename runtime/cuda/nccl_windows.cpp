#include <tutti/ir/support/error.h>
#include <tutti/ir/support/hash.h>
#include <tutti/runtime/cuda/mapped_memory.h>
#include <tutti/runtime/cuda/nccl_windows.h>
#include <tutti/runtime/log.h>
#include <tutti/runtime/settings.h>

#include <algorithm>
#include <utility>

namespace tutti::runtime {

namespace {

// What a member says that could not register memory because another one had failed.
constexpr const char* kWaitedForAnother = "waited for another member";

}  // namespace

// What one member's record says.
struct NcclWindows::Said {
  static constexpr std::uint64_t kMostNumber = (1U << 24) - 1;

  std::uint64_t number = 0;  // of the slab; 0: nothing lies in one
  State state = State::fresh;
  bool mapped = false;
  bool reaches = false;      // the others' slabs of that number
  bool multicast = false;    // as one, too
  std::uint64_t places = 0;  // a hash: in a slab of which size, and where there

  static Said of(const kernels::PartPlace& place) {
    return {.number = place.operand >> 8 & kMostNumber,
            .state = static_cast<State>(place.operand & 0x1f),
            .mapped = (place.operand & 0x80) != 0,
            .reaches = (place.operand & 0x40) != 0,
            .multicast = (place.operand & 0x20) != 0,
            .places = place.result};
  }
  kernels::PartPlace place() const {
    return {.operand = number << 8 | (mapped ? 0x80U : 0U) | (reaches ? 0x40U : 0U) |
                       (multicast ? 0x20U : 0U) | static_cast<std::uint64_t>(state),
            .result = places};
  }
  bool alike(const Said& other) const { return number == other.number && places == other.places; }
};

std::string NcclWindows::why_not(const Nccl& nccl, const CudaAccelerator& gpu) {
  if (!Settings::process().flag("windows")) return "TUTTI_SET has windows=off";
  const std::string refusal = nccl.why_no_windows();
  if (!refusal.empty()) return refusal;
  return can_map_memory(*gpu.stream()) ? "" : gpu.device().text() + " can't map memory to share it";
}

std::shared_ptr<SymmetricMemory> NcclWindows::take(std::size_t bytes, CudaAccelerator& gpu) {
  // What programs that failed have left, and no library knows of.
  std::erase_if(slabs_, [](const std::unique_ptr<Slab>& slab) {
    return slab->memory->retired() && slab->memory.use_count() == 1 &&
           slab->state != State::window && !slab->is_given;
  });
  for (const std::unique_ptr<Slab>& slab : slabs_) {
    if (slab->bytes >= bytes && !slab->memory->retired()) return slab->memory;
  }
  auto slab = std::make_unique<Slab>();
  slab->buffer = map_memory(gpu.stream(), PeerMemory::with_words(bytes), gpu.memory().use());
  slab->mapped = slab->buffer != nullptr;
  if (!slab->mapped) {
    slab->buffer =
        gpu.memory().allocate(bytes, {.what = "places of programs that communicate", .where = {}});
  }
  slab->begin = slab->buffer->data();
  slab->bytes = bytes;
  slab->memory = std::make_shared<SymmetricMemory>(slab->buffer);
  slab->number = next_++;
  if (slab->number > Said::kMostNumber) {
    throw EnvironmentError("programs of this group failed too often to go on with its memory");
  }
  return slabs_.emplace_back(std::move(slab))->memory;
}

const NcclWindows::Slab* NcclWindows::slab_at(const void* place) const {
  for (const std::unique_ptr<Slab>& slab : slabs_) {
    const auto* const byte = static_cast<const std::byte*>(place);
    if (slab->begin <= byte && byte < slab->begin + slab->memory->bytes()) return slab.get();
  }
  return nullptr;
}

kernels::PartPlace NcclWindows::place_of(const GroupWork& work) const {
  const std::uint64_t word = std::uint64_t{work.recording_word} << 32;
  if (slabs_.empty()) return {word, 0};
  const Slab* slab = nullptr;  // programs have one a group and GPU
  Hasher places;
  const auto add = [&](const void* place) {
    const Slab* const lies_in = slab_at(place);
    if (lies_in != nullptr) slab = lies_in;
    const std::uint64_t offset =
        lies_in == nullptr
            ? ~std::uint64_t{0}
            : static_cast<std::uint64_t>(static_cast<const std::byte*>(place) - lies_in->begin);
    // They need not be of one slab, but of the same on all members.
    places.add(offset).add(lies_in == nullptr ? 0 : lies_in->number);
  };
  for (const PartAddresses& part : work.parts) {
    add(part.operand);
    add(part.result);
  }
  if (slab == nullptr) return {word, 0};
  places.add(slab->bytes);
  kernels::PartPlace out = Said{.number = slab->number,
                                .state = slab->state,
                                .mapped = slab->mapped,
                                .reaches = slab->peers != nullptr,
                                .multicast = slab->peers != nullptr && slab->peers->has_multicast(),
                                .places = places.finish().low}
                               .place();
  out.operand |= word;
  return out;
}

bool NcclWindows::have_fresh(const GroupWork& work) const {
  return std::ranges::any_of(work.parts, [this](const PartAddresses& part) {
    return is_fresh(part.operand) || is_fresh(part.result);
  });
}

bool NcclWindows::have_some(const GroupWork& work) const {
  std::size_t inside = 0;
  for (const PartAddresses& part : work.parts) {
    inside += (has(part.operand) ? 1U : 0U) + (has(part.result) ? 1U : 0U);
  }
  return inside > 0 && inside < 2 * work.parts.size();
}

NcclWindows::Settled NcclWindows::settle(std::span<const kernels::PartPlace> said, int own,
                                         Opening& opening) {
  std::vector<Said> all;
  std::ranges::transform(said, std::back_inserter(all), &Said::of);
  const Said mine = all[static_cast<std::size_t>(own)];
  const auto own_slab =
      std::ranges::find(slabs_, mine.number, [](const auto& slab) { return slab->number; });
  const auto is_placed = [](const Said& each) { return each.number != 0; };
  if (std::ranges::none_of(all, is_placed)) return {};
  if (!std::ranges::all_of(all, [&](const Said& each) { return each.alike(mine); })) {
    const std::uint64_t last = std::ranges::max(all, {}, &Said::number).number;
    const bool numbers_differ = std::ranges::any_of(
        all, [&](const Said& each) { return each.number != 0 && each.number != last; });
    // A program failed on one member alone, which has another slab since; all take a new one.
    if (numbers_differ && std::ranges::all_of(all, is_placed)) {
      (*own_slab)->memory->retire();
      next_ = std::max(next_, last + 1);
    }
    say("members' places differ: a collective works on copies of them");
    return {.in_place = mine.number == 0, .alike = false};
  }
  Slab& slab = **own_slab;
  if (slab.state == State::fresh) open(slab, opening, std::ranges::all_of(all, &Said::mapped));
  Settled out;
  if (std::ranges::all_of(all, &Said::reaches)) out.peers = slab.peers;
  out.multicast = std::ranges::all_of(all, &Said::multicast);
  // A call may have been announced before its member knew what all know by now.
  const auto says = [&](State state) {
    return std::ranges::all_of(all, [=](const Said& each) { return each.state == state; });
  };
  out.is_window = says(State::window);
  out.in_place = says(slab.state) || (slab.state == State::plain && says(State::fresh));
  return out;
}

// What all know leads all to the same; whether it succeeds here, the next records say.
void NcclWindows::open(Slab& slab, Opening& opening, bool can_be_shared) {
  const auto why_not = [=](const std::string& refusal) {
    return refusal.empty() && !can_be_shared ? "a member's can't be mapped" : refusal;
  };
  const std::string no_window = why_not(refusal_);
  if (no_window.empty()) {
    open_window(slab, opening);
  } else {
    slab.state = State::plain;
    say("memory of collectives is no window: " + no_window);
  }
  const std::string no_peers = why_not(peer_refusal_);
  if (no_peers.empty()) {
    opening.wait();  // memory is made for it, which may wait for what the GPU has to do
    slab.peers = opening.share(slab.number, *slab.buffer, slab.bytes);
  } else {
    say("collectives go by NCCL, without kernels of our own: " + no_peers);
  }
}

// All members do it at once. Where it fails on one, the communicator is of no use to any, and the
// others may wait in the library's hands for the one that failed, for good: so that one declines at
// once. Then all hear from all why it failed, or nothing.
void NcclWindows::open_window(Slab& slab, Opening& opening) {
  opening.wait();  // it must have nothing else to do
  slab.is_given = true;
  const std::vector<std::string> said = opening.tell(register_window(slab, opening));
  const auto failed = std::ranges::find_if(
      said, [](const std::string& each) { return !each.empty() && each != kWaitedForAnother; });
  if (failed != said.end()) {
    const auto member = static_cast<std::size_t>(failed - said.begin());
    return lose_windows(opening.name_of(member) + ": " + *failed, opening);
  }
  slab.is_given = false;
  slab.state = State::window;
  say(std::to_string(slab.memory->bytes()) + " bytes for collectives are a window of NCCL's");
}

std::string NcclWindows::register_window(Slab& slab, Opening& opening) {
  void* const begin = const_cast<std::byte*>(slab.begin);
  const std::size_t bytes = slab.memory->bytes();
  try {
    opening.communicator().run(
        {"ncclCommWindowRegister", [&](const Nccl& nccl, nccl::Communicator* handle) {
           return nccl.ncclCommWindowRegister(handle, begin, bytes, &slab.window,
                                              nccl::kWindowOfAllMembers);
         }});
    if (!opening.wait_for_window()) return kWaitedForAnother;
    if (slab.window != nullptr) return "";
    opening.decline();  // what NCCL calls a success: it refuses what is called then
    return "ncclCommWindowRegister gave no window of " + std::to_string(bytes) + " bytes";
  } catch (const NcclError& error) {
    opening.decline();
    return "no window of " + std::to_string(bytes) +
           " bytes by ncclCommWindowRegister: " + error.message();
  }
}

// With the communicator go the windows that it had. What was announced before, with places in them,
// works on copies.
void NcclWindows::lose_windows(const std::string& why, Opening& opening) {
  opening.connect_again();
  for (const std::unique_ptr<Slab>& slab : slabs_) {
    slab->window = nullptr;
    if (slab->state == State::window || slab->is_given) slab->state = State::plain;
    slab->is_given = false;
  }
  refusal_ = why;
  say("NCCL is connected anew, without windows: " + why);
  opening.warn("NCCL can't register memory, and goes on without windows, which is slower: " + why +
               "; TUTTI_SET=windows=off leaves them out from the beginning");
}

void NcclWindows::drop(Slab& slab, NcclCommunicator& communicator) {
  nccl::Window* const window = std::exchange(slab.window, nullptr);
  slab.state = State::plain;
  if (window == nullptr) return;
  communicator.run({"ncclCommWindowDeregister", [&](const Nccl& nccl, nccl::Communicator* handle) {
                      return nccl.ncclCommWindowDeregister(handle, window);
                    }});
}

void NcclWindows::give_up(NcclCommunicator& communicator) {
  for (const std::unique_ptr<Slab>& slab : slabs_) {
    if (!slab->is_given) drop(*slab, communicator);  // else the library still writes there
  }
}

void NcclWindows::leave() noexcept {
  for (const std::unique_ptr<Slab>& slab : slabs_) slab->peers = nullptr;
}

void NcclWindows::say(const std::string& text) const {
  if (Log::process().takes(LogTopic::gpu)) Log::process().write(LogTopic::gpu, -1, text);
}

}  // namespace tutti::runtime
