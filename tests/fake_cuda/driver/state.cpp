#include "tests/fake_cuda/driver/state.h"

#include <algorithm>
#include <cstdlib>
#include <stdexcept>
#include <string_view>

#include "tests/fake_cuda/driver/enqueue.h"
#include "tests/fake_cuda/driver/multicast.h"
#include "tests/support/cuda/emulator.h"
#include <unistd.h>

namespace tutti::fake_cuda {

namespace {

// "devices=2,capability=80,memory=1000000,version=12080,races=on,log=on,peers=off,multicast=off,
// fabric=on,channel=off,first=1,mode=exclusive" of TUTTI_TEST_FAKE_CUDA, for programs that are no
// tests themselves.
FakeCudaSetup setup_of_environment() {
  FakeCudaSetup setup = {.devices = 1,
                         .capability = 90,
                         .memory_bytes = std::size_t{8} << 30,
                         .find_races = false,
                         .keep_log = false};
  const char* const text = std::getenv("TUTTI_TEST_FAKE_CUDA");
  std::istringstream in(text != nullptr ? text : "");
  for (std::string part; std::getline(in, part, ',');) {
    const std::size_t equals = part.find('=');
    const std::string name = part.substr(0, equals);
    const std::string value = equals == std::string::npos ? "" : part.substr(equals + 1);
    if (name == "devices") {
      setup.devices = std::stoi(value);
    } else if (name == "capability") {
      setup.capability = std::stoi(value);
    } else if (name == "memory") {
      setup.memory_bytes = std::stoull(value);
    } else if (name == "version") {
      setup.version = std::stoi(value);
    } else if (name == "races") {
      setup.find_races = value == "on";
    } else if (name == "log") {
      setup.keep_log = value == "on";
    } else if (name == "peers") {
      setup.peers = value == "on";
    } else if (name == "multicast") {
      setup.multicast = value == "on";
    } else if (name == "fabric") {
      setup.fabric = value == "on";
    } else if (name == "channel") {
      setup.channel = value == "on";
    } else if (name == "first") {
      setup.first = std::stoi(value);
    } else if (name == "mode") {
      setup.compute_mode = value == "prohibited"  ? CU_COMPUTEMODE_PROHIBITED
                           : value == "exclusive" ? CU_COMPUTEMODE_EXCLUSIVE_PROCESS
                                                  : CU_COMPUTEMODE_DEFAULT;
    } else {
      throw std::runtime_error("TUTTI_TEST_FAKE_CUDA: there is no " + name);
    }
  }
  return setup;
}

struct AtTheEnd {
  ~AtTheEnd() {
    // (Another thread may wait in the driver for good.)
    const std::unique_lock lock(State::get().mutex, std::try_to_lock);
    if (lock) State::get().tell_complaints();
  }
} at_the_end;

}  // namespace

thread_local CUctx_st* current = nullptr;
thread_local ContextStack pushed{};

// Never destroyed: programs use the driver to their end.
State& State::get() {
  static auto* const state = new State();
  return *state;
}

State::State() {
  test::cuda::find_multicast_by(find_multicast);
  reset(setup_of_environment());
}

void State::reset(const FakeCudaSetup& setup) {
  setup_ = setup;
  process_ = 0;
  deinitialised = false;
  memory_ = nullptr;
  memory_ = std::make_unique<Memory>();
  for (const auto& [begin, block] : pinned) std::free(reinterpret_cast<void*>(begin));
  pinned.clear();
  seen_by_kernels.clear();
  registered.clear();
  for (const auto& [handle, each] : physical) {
    if (each.multicast != nullptr) {
      for (const auto& [begin, usable] : each.mapped) unmap_multicast(begin);
      forget_multicast(each.multicast);
    }
    close(each.file);
  }
  physical.clear();
  waiting_launches.clear();
  reserved.clear();
  watched.clear();
  index_.clear();
  objects_.clear();
  primaries_.assign(static_cast<std::size_t>(setup.devices), nullptr);
  counts_.clear();
  failures_.clear();
  calls_.clear();
  operations_.clear();
  complaints_.take();
  current = nullptr;
  pushed.count = 0;
}

void State::initialise() { process_ = getpid(); }
bool State::is_initialised() const { return process_ == getpid(); }

CUctx_st& State::primary_context(int device) {
  if (device < 0 || device >= setup_.devices) {
    throw Failure{CUDA_ERROR_INVALID_DEVICE, "there is no such device"};
  }
  CUctx_st*& context = primaries_[static_cast<std::size_t>(device)];
  if (context == nullptr || !context->live) {
    context = make<CUctx_st>("context", nullptr);
    context->device = device;
  }
  return *context;
}

CUctx_st& State::current_context() {
  if (current == nullptr) {
    throw Failure{CUDA_ERROR_INVALID_CONTEXT, "the thread has no context"};
  }
  CUctx_st& context = live(current);
  if (context.sticky != CUDA_SUCCESS) throw Failure{context.sticky, ""};
  return context;
}

void State::check(const Operation& operation, int device) {
  for (const DeviceRange& range : operation.touches) {
    const Memory::Block* const block = memory_->find(range.begin, range.bytes);
    if (block == nullptr || block->device != device) {
      throw Failure{CUDA_ERROR_INVALID_VALUE, "no memory of the device at " +
                                                  memory_->name(range.begin) + ", " +
                                                  std::to_string(range.bytes) + " bytes"};
    }
  }
  if (operation.module != nullptr) live(operation.module);
}

void State::enqueue(CUstream_st& stream, Operation operation) {
  check(operation, stream.context->device);
  if (stream.capture != nullptr) {
    std::vector<GraphNode>& nodes = stream.capture->nodes;
    GraphNode node{.operation = std::move(operation)};
    if (!nodes.empty()) node.behind = {nodes.size() - 1};
    nodes.push_back(std::move(node));
  } else {
    if (operation.waits_for_ranks) let_go_on();
    stream.queue.push_back(std::move(operation));
  }
}

void State::run(CUstream_st& stream, std::uint64_t position) {
  for (bool complained = false; !advance(stream, position); usleep(50)) {
    if (complained) continue;
    complained = true;
    complain(stream.name + " is waited for in the driver, and waits for another rank: " +
             stream.queue.front().text);
  }
}

bool State::advance(CUstream_st& stream, std::uint64_t position) {
  if (stream.done >= position || stream.queue.empty()) return true;
  const Memory::Open opened(*memory_);  // once for all: that takes long
  while (stream.done < position && !stream.queue.empty()) {
    const std::uint64_t done = stream.done;
    const bool dead = stream.context->sticky != CUDA_SUCCESS;
    if (!dead && stream.queue.front().is_ready && !stream.queue.front().is_ready()) return false;
    if (stream.done != done) continue;  // somebody came round to it meanwhile
    Operation operation = std::move(stream.queue.front());
    stream.queue.pop_front();
    ++stream.done;
    run(operation, *stream.context);
    device_time += kOperationTime;
    note_times(stream);
  }
  return true;
}

void State::note_times(CUstream_st& stream) const {
  for (; !stream.timed.empty() && stream.timed.front().first <= stream.done;
       stream.timed.pop_front()) {
    const auto& [position, event] = stream.timed.front();
    // It may have been recorded elsewhere since.
    if (event->stream == &stream && event->position == position) event->time = device_time;
  }
}

void State::run(Operation& operation, CUctx_st& context) {
  if (context.sticky != CUDA_SUCCESS) return;
  if (setup_.keep_log) operations_ += operation.text + "\n";
  try {
    check(operation, context.device);
    operation.run();
    for (const DeviceRange& range : operation.touches) {
      const Memory::Block* const block = memory_->find(range.begin, range.bytes);
      if (block != nullptr && !memory_->is_intact(*block)) {
        throw Failure{CUDA_ERROR_ILLEGAL_ADDRESS, "wrote beside " + memory_->name(block->begin) +
                                                      ", which has " +
                                                      std::to_string(block->bytes) + " bytes"};
      }
    }
  } catch (const Failure& failure) {
    context.sticky = CUDA_ERROR_ILLEGAL_ADDRESS;
    complain("when it ran, " + operation.text + ": " + failure.complaint);
  } catch (const std::exception& error) {
    context.sticky = CUDA_ERROR_LAUNCH_FAILED;
    complain("when it ran, " + operation.text + ": " + error.what());
  }
}

CUresult State::injected(const std::string& function) {
  const auto found = failures_.find(function);
  if (found == failures_.end() || --found->second.first > 0) return CUDA_SUCCESS;
  const CUresult result = found->second.second;
  failures_.erase(found);
  return result;
}

void State::inject(const std::string& function, int nth, CUresult result) {
  failures_[function] = {nth, result};
}

std::size_t State::used(int device) const {
  std::size_t bytes = 0;
  for (const Memory::Block& block : memory_->blocks()) {
    if (block.device == device && !block.mapped) bytes += block.bytes;
  }
  for (const auto& [handle, each] : physical) {
    if (each.device == device && !each.imported) bytes += each.bytes;
  }
  return bytes;
}

State::Physical& State::physical_of(unsigned long long handle) {
  const auto found = physical.find(handle);
  if (found != physical.end()) return found->second;
  throw Failure{CUDA_ERROR_INVALID_VALUE, "there is no memory of that handle"};
}

void State::drop_unused_physical() {
  std::erase_if(physical, [](const auto& each) {
    if (each.second.held > 0 || !each.second.mapped.empty()) return false;
    if (each.second.multicast != nullptr) forget_multicast(each.second.multicast);
    close(each.second.file);
    return true;
  });
}

void State::log_call(const std::string& line) {
  if (setup_.keep_log) calls_ += line + "\n";
}

void State::complain(const std::string& line) {
  // Tests of the driver's users read them; others have to see them.
  complaints_.add(line, setup_.keep_log);
}

void State::complain_of_waits(const CUctx_st& context, const std::string& call) {
  if (context.sticky != CUDA_SUCCESS) return;  // nothing runs
  for (const auto& object : objects_) {
    const auto* const stream = dynamic_cast<const CUstream_st*>(object.get());
    if (stream == nullptr || stream->context != &context) continue;
    const auto waiting = std::ranges::find_if(stream->queue, &Operation::waits_for_ranks);
    if (waiting == stream->queue.end()) continue;
    complain(call + ": the driver waits here for another rank: " + waiting->text);
  }
}

bool State::is_recording(const CUctx_st* context) const {
  for (const auto& object : objects_) {
    const auto* const stream = dynamic_cast<const CUstream_st*>(object.get());
    if (stream != nullptr && stream->context == context && stream->capture != nullptr) return true;
  }
  return false;
}

std::string State::left() const {
  std::string out;
  for (const auto& object : objects_) {
    const bool has_context = dynamic_cast<CUctx_st*>(object.get()) == nullptr;
    if (!has_context && static_cast<CUctx_st&>(*object).retained > 0) out += object->name + "\n";
  }
  for (const CUctx_st* const context : primaries_) {
    if (context != nullptr) out += left_in(*context);
  }
  for (const auto* const blocks : {&pinned, &registered}) {
    for (const auto& [begin, block] : *blocks) out += block.second + "\n";
  }
  for (const auto& [handle, each] : physical) {
    out += "physical" + std::to_string(handle) + (each.held > 0 ? "\n" : ", mapped\n");
  }
  if (!reserved.empty()) out += std::to_string(reserved.size()) + " reserved addresses\n";
  return out;
}

std::string State::left_in(const CUctx_st& context) const {
  std::string out;
  for (const auto& object : objects_) {
    const bool counts = object->live && object->owner == nullptr && object->context == &context;
    if (counts) out += object->name + "\n";
  }
  for (const Memory::Block& block : memory_->blocks()) {
    if (block.device == context.device) out += memory_->name(block.begin) + "\n";
  }
  return out;
}

void advance(CUstream stream) {
  State& state = State::get();
  const std::scoped_lock lock(state.mutex);
  try {
    CUstream_st& own = state.live(stream);
    state.advance(own, own.position());
  } catch (const Failure&) {
    // Whoever waits for it is told.
  }
}

bool is_recording(CUstream stream) {
  State& state = State::get();
  const std::scoped_lock lock(state.mutex);
  return state.live(stream).capture != nullptr;
}

bool keeps_log() {
  const std::scoped_lock lock(State::get().mutex);
  return State::get().setup().keep_log;
}

bool is_anything_recording() {
  State& state = State::get();
  const std::scoped_lock lock(state.mutex);
  return state.is_recording(current);
}

CUresult enqueue(CUstream stream, Operation operation) {
  return driver_call("enqueue", [&](State& state, Call& call) {
    call << operation.text;
    state.enqueue(state.mine(stream), std::move(operation));
  });
}

}  // namespace tutti::fake_cuda

using tutti::fake_cuda::State;

void fake_cuda_reset(const FakeCudaSetup* setup) {
  const std::scoped_lock lock(State::get().mutex);
  State::get().reset(*setup);
}

void fake_cuda_fail(const char* function, int nth, int result) {
  const std::scoped_lock lock(State::get().mutex);
  State::get().inject(function, nth, static_cast<CUresult>(result));
}

void fake_cuda_isolate() {
  const std::scoped_lock lock(State::get().mutex);
  State::get().isolate();
}

void fake_cuda_deinitialize() {
  const std::scoped_lock lock(State::get().mutex);
  State::get().deinitialised = true;
}

namespace {

template <class Take>
const char* keep(std::string& text, Take take) {
  const std::scoped_lock lock(State::get().mutex);
  text = take(State::get());
  return text.c_str();
}

}  // namespace

const char* fake_cuda_calls() {
  static std::string text;
  return keep(text, [](State& state) { return state.take_calls(); });
}

const char* fake_cuda_operations() {
  static std::string text;
  return keep(text, [](State& state) { return state.take_operations(); });
}

const char* fake_cuda_complaints() {
  static std::string text;
  return keep(text, [](State& state) { return state.take_complaints(); });
}

const char* fake_cuda_left() {
  static std::string text;
  return keep(text, [](State& state) { return state.left(); });
}
