#include <tutti/ir/support/hash.h>
#include <tutti/runtime/cuda/mapped_memory.h>
#include <tutti/runtime/cuda/nccl_windows.h>
#include <tutti/runtime/log.h>
#include <tutti/runtime/settings.h>

#include <algorithm>
#include <utility>

namespace tutti::runtime {

// What one member's record says.
struct NcclWindows::Said {
  std::uint64_t number = 0;  // of the slab; 0: nothing lies in one
  State state = State::fresh;
  bool mapped = false;
  std::uint64_t places = 0;  // a hash: in a slab of which size, and where there

  static Said of(const kernels::PartPlace& place) {
    return {.number = place.operand >> 8,
            .state = static_cast<State>(place.operand & 0x7f),
            .mapped = (place.operand & 0x80) != 0,
            .places = place.result};
  }
  kernels::PartPlace place() const {
    return {.operand = number << 8 | (mapped ? 0x80U : 0U) | static_cast<std::uint64_t>(state),
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
    return slab->memory->retired() && slab->memory.use_count() == 1 && slab->state != State::window;
  });
  for (const std::unique_ptr<Slab>& slab : slabs_) {
    if (slab->bytes >= bytes && !slab->memory->retired()) return slab->memory;
  }
  auto slab = std::make_unique<Slab>();
  std::shared_ptr<Buffer> memory = map_memory(gpu.stream(), bytes, gpu.memory().use());
  slab->mapped = memory != nullptr;
  if (memory == nullptr) {
    memory =
        gpu.memory().allocate(bytes, {.what = "places of programs that communicate", .where = {}});
  }
  slab->begin = memory->data();
  slab->bytes = bytes;
  slab->memory = std::make_shared<SymmetricMemory>(std::move(memory));
  slab->number = next_++;
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
  if (slabs_.empty()) return {0, 0};
  const Slab* slab = nullptr;  // programs have one a group and GPU
  Hasher places;
  const auto add = [&](const void* place) {
    const Slab* const lies_in = slab_at(place);
    if (lies_in != nullptr) slab = lies_in;
    const std::uint64_t offset =
        lies_in == nullptr
            ? ~std::uint64_t{0}
            : static_cast<std::uint64_t>(static_cast<const std::byte*>(place) - lies_in->begin);
    places.add(offset);
  };
  for (const PartAddresses& part : work.parts) {
    add(part.operand);
    add(part.result);
  }
  if (slab == nullptr) return {0, 0};
  places.add(slab->bytes);
  return Said{.number = slab->number,
              .state = slab->state,
              .mapped = slab->mapped,
              .places = places.finish().low}
      .place();
}

bool NcclWindows::settle(std::span<const kernels::PartPlace> said, int own,
                         NcclCommunicator& communicator, FunctionRef<void()> wait) {
  std::vector<Said> all;
  std::ranges::transform(said, std::back_inserter(all), &Said::of);
  const Said mine = all[static_cast<std::size_t>(own)];
  const auto own_slab =
      std::ranges::find(slabs_, mine.number, [](const auto& slab) { return slab->number; });
  const auto is_placed = [](const Said& each) { return each.number != 0; };
  if (std::ranges::none_of(all, is_placed)) return true;
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
    return mine.number == 0;
  }
  Slab& slab = **own_slab;
  if (slab.state == State::fresh) {
    const bool can = refusal_.empty() && std::ranges::all_of(all, &Said::mapped);
    if (can) {
      open(slab, communicator, wait);
    } else {
      slab.state = State::plain;
      say("memory of collectives is no window: " +
          (refusal_.empty() ? "a member's can't be mapped" : refusal_));
    }
  }
  // A call may have been announced before its member knew what all know by now.
  const auto says = [&](State state) {
    return std::ranges::all_of(all, [=](const Said& each) { return each.state == state; });
  };
  if (says(slab.state) || (slab.state == State::plain && says(State::fresh))) return true;
  if (std::ranges::none_of(all, [](const Said& each) { return each.state == State::fresh; })) {
    wait();
    drop(slab, communicator);
    wait();
    refusal_ = "not all members have got one";
  }
  return false;
}

void NcclWindows::open(Slab& slab, NcclCommunicator& communicator, FunctionRef<void()> wait) {
  void* const begin = const_cast<std::byte*>(slab.begin);
  const std::size_t bytes = slab.memory->bytes();
  wait();  // it must have nothing else to do
  communicator.run({"ncclCommWindowRegister", [&](const Nccl& nccl, nccl::Communicator* handle) {
                      return nccl.ncclCommWindowRegister(handle, begin, bytes, &slab.window,
                                                         nccl::kWindowOfAllMembers);
                    }});
  wait();
  slab.state = slab.window != nullptr ? State::window : State::plain;
  say(slab.window != nullptr
          ? std::to_string(bytes) + " bytes for collectives are a window of NCCL's"
          : "memory of collectives is no window: NCCL gives none between these GPUs");
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
  for (const std::unique_ptr<Slab>& slab : slabs_) drop(*slab, communicator);
}

void NcclWindows::say(const std::string& text) const {
  if (Log::process().takes(LogTopic::gpu)) Log::process().write(LogTopic::gpu, -1, text);
}

}  // namespace tutti::runtime
