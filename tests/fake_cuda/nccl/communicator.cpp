#include "tests/fake_cuda/nccl/communicator.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "tests/fake_cuda/driver/enqueue.h"
#include "tests/fake_cuda/nccl/reduce.h"
#include <unistd.h>

using namespace tutti::fake_cuda;
using Kind = NcclCall::Kind;

namespace tutti::fake_cuda {

namespace {

constexpr std::array kKinds = {"all_reduce",     "reduce", "broadcast", "all_gather",
                               "reduce_scatter", "send",   "receive"};

std::vector<std::byte> bytes_at(const void* place, std::size_t count) {
  const auto* const begin = static_cast<const std::byte*>(place);
  return {begin, begin + count};
}

std::string collective_name(std::uint64_t number, int rank) {
  return "collective-" + std::to_string(number) + "-" + std::to_string(rank);
}

}  // namespace

bool is_message(const NcclCall& call) {
  return call.kind == Kind::send || call.kind == Kind::receive;
}

std::string NcclCall::text() const {
  return std::string(kKinds[static_cast<std::size_t>(kind)]) + " of " + std::to_string(count) +
         " x type " + std::to_string(static_cast<int>(type)) + ", operation " +
         std::to_string(static_cast<int>(operation)) + ", root " + std::to_string(peer) + windows;
}

std::size_t NcclCall::sent_bytes(int size, int rank) const {
  const std::size_t one = count * bytes_of(type);
  if (kind == Kind::receive || (kind == Kind::broadcast && rank != peer)) return 0;
  return kind == Kind::reduce_scatter ? one * static_cast<std::size_t>(size) : one;
}

std::size_t NcclCall::received_bytes(int size, int rank) const {
  const std::size_t one = count * bytes_of(type);
  if (kind == Kind::send || (kind == Kind::reduce && rank != peer)) return 0;
  return kind == Kind::all_gather ? one * static_cast<std::size_t>(size) : one;
}

}  // namespace tutti::fake_cuda

namespace tutti::runtime::nccl {

// Calls that were launched together.
struct Communicator::Work {
  std::vector<NcclCall> calls;
  std::vector<std::string> names;  // of what they say, and of messages what they read
  std::vector<std::uint64_t> numbers;
  std::vector<std::vector<std::byte>> said;
  bool has_spoken = false;
  bool hangs = false;
};

Communicator::Communicator(const std::string& id, int ranks, int own, int device)
    : size(ranks),
      rank(own),
      id_(id),
      device_(device),
      order_(LaunchOrder::of(device)),
      board_(std::make_unique<Board>(id, ranks, own)) {
  order_.open(id);
  const std::string process = std::to_string(getpid());
  board_->say("process-" + std::to_string(rank), bytes_at(process.data(), process.size()));
}

void Communicator::come() {
  CUuuid gpu = {};
  cuDeviceGetUuid(&gpu, device_);
  board_->say("here-" + std::to_string(rank), bytes_at(&gpu, sizeof(gpu)));
}

bool Communicator::shares_a_gpu() const {
  const char* const allowed = std::getenv("NCCL_MULTI_RANK_GPU_ENABLE");
  const bool is_allowed = allowed != nullptr && std::string_view(allowed) == "1";
  if (kPersona.lets_ranks_share_gpus && is_allowed) return false;
  std::set<std::vector<std::byte>> gpus;
  for (int each = 0; each < size; ++each) {
    const auto gpu = board_->read("here-" + std::to_string(each));
    if (gpu && !gpus.insert(*gpu).second) return true;
  }
  return false;
}

bool Communicator::has_lost_a_rank() const {
  for (int each = 0; each < size; ++each) {
    const auto said = board_->read("process-" + std::to_string(each));
    if (!said || board_->has("left-" + std::to_string(each))) continue;
    const std::string process(reinterpret_cast<const char*>(said->data()), said->size());
    // "12 (name) Z ...", until somebody has asked for its end.
    std::ifstream file("/proc/" + process + "/stat");
    std::string text;
    if (!std::getline(file, text)) return true;
    const std::size_t name_end = text.rfind(") ");
    if (name_end != std::string::npos && text.find_first_of("ZX", name_end + 2) == name_end + 2) {
      return true;
    }
  }
  return false;
}

bool Communicator::is_connected() {
  for (int each = 0; !connected_ && each < size; ++each) {
    if (!board_->has("here-" + std::to_string(each))) return false;
  }
  if (!std::exchange(connected_, true) && shares_a_gpu()) failure = NcclResult::invalid_usage;
  return finish_opening();
}

std::string Communicator::place_text(const void* place, std::size_t bytes) const {
  const auto address = reinterpret_cast<CUdeviceptr>(place);
  for (std::size_t i = 0; i < windows_.size(); ++i) {
    const Window& window = *windows_[i];
    if (!window.open || address < window.range.begin) continue;
    const std::size_t offset = address - window.range.begin;
    if (offset >= window.range.bytes) continue;
    if (bytes > window.range.bytes - offset) complain_of_nccl("a place crosses a window's end");
    return std::to_string(i + 1) + "+" + std::to_string(offset);
  }
  return "-";
}

CUresult Communicator::launch(std::vector<NcclCall> calls, CUstream stream) {
  check_places(calls, size, rank);
  for (NcclCall& call : calls) {
    // The library's kernels for windows are for these.
    if (call.kind == Kind::all_reduce || call.kind == Kind::all_gather ||
        call.kind == Kind::reduce_scatter) {
      const std::string from = place_text(call.from, call.sent_bytes(size, rank));
      const std::string to = place_text(call.to, call.received_bytes(size, rank));
      call.windows = ", windows " + from + " " + to;
      call.all_in_windows = from != "-" && to != "-";
    }
  }
  if (is_recording(stream)) return record(std::move(calls), stream);
  const CUresult result = enqueue(stream, operation_of(std::move(calls), stream));
  if (result != CUDA_SUCCESS) --under_way;
  return result;
}

// What graphs hold is launched with them, on all ranks: those are told apart that one recorded from
// what others did, or recorded at another time. Messages are between two, and others know nothing
// of them.
CUresult Communicator::record(std::vector<NcclCall> calls, CUstream stream) {
  std::string said;
  if (!std::ranges::all_of(calls, is_message)) {
    const std::string number = std::to_string(recorded_.size() + 1);
    for (NcclCall& call : calls) {
      call.windows += ", recorded as " + number;
      if (!is_message(call)) said += call.text() + "; ";
    }
    recorded_.push_back(said);
    board_->say("recorded-" + number + "-" + std::to_string(rank),
                bytes_at(said.data(), said.size()));
  }
  const auto held = std::make_shared<const int>(0);
  in_graphs_.emplace_back(held);
  tutti::fake_cuda::Operation operation;
  operation.text = "nccl " + said;
  operation.exclusive = this;
  operation.run = [] {};
  operation.again = [this, calls = std::move(calls), held](CUstream on) {
    if (live || aborted) return operation_of(calls, on);
    complain_of_nccl("a graph is launched whose communicator is gone");
    tutti::fake_cuda::Operation nothing;
    nothing.text = "nccl, of none";
    nothing.run = [] {};
    return nothing;
  };
  return enqueue(stream, std::move(operation));
}

bool Communicator::is_in_graphs() const {
  return !std::ranges::all_of(in_graphs_, &std::weak_ptr<const void>::expired);
}

tutti::fake_cuda::Operation Communicator::operation_of(std::vector<NcclCall> calls,
                                                       CUstream stream) {
  auto work = std::make_shared<Work>();
  work->hangs = nccl_launch_hangs();
  std::vector<std::string> launched;
  tutti::fake_cuda::Operation operation;
  operation.text = "nccl";
  for (const NcclCall& call : calls) {
    operation.text += " " + call.text() + ";";
    const auto touch = [&](const void* place, std::size_t bytes) {
      if (bytes > 0) {
        operation.touches.push_back(
            {.begin = reinterpret_cast<CUdeviceptr>(place), .bytes = bytes});
      }
    };
    touch(call.from, call.sent_bytes(size, rank));
    touch(call.to, call.received_bytes(size, rank));
    std::uint64_t number = 0;
    std::string name;
    if (is_message(call)) {
      const bool sent = call.kind == Kind::send;
      name = "message-" + std::to_string(sent ? rank : call.peer) + "-" +
             std::to_string(sent ? call.peer : rank);
      number = ++messages_[name + (sent ? " sent" : " received")];
      name += "-" + std::to_string(number);
      launched.push_back(name);
    } else {
      number = ++collectives_;
      name = collective_name(number, rank);
      launched.push_back(std::to_string(number));
    }
    work->names.push_back(name);
    work->numbers.push_back(number);
  }
  order_.add(id_, launched);
  work->calls = std::move(calls);
  operation.is_ready = [this, work] { return is_ready(*work); };
  operation.waits_for_ranks = true;
  operation.run = [this, work] {
    if (!aborted) run(*work);
    --under_way;
  };
  ++under_way;
  stream_ = stream;
  if (!driver_.joinable() && live) {
    driver_ = std::thread([this] {
      for (; !stops_; usleep(100)) {
        if (under_way > 0) advance(stream_);
      }
    });
  }
  return operation;
}

bool Communicator::is_ready(Work& work) {
  if (aborted) return true;
  if (!work.has_spoken) {
    work.has_spoken = true;
    for (std::size_t i = 0; i < work.calls.size(); ++i) {
      const NcclCall& call = work.calls[i];
      work.said.push_back(bytes_at(call.from, call.sent_bytes(size, rank)));
      if (call.kind == Kind::receive) continue;
      const std::string text = call.text() + "\n";
      std::vector<std::byte> message = bytes_at(text.data(), text.size());
      message.insert(message.end(), work.said.back().begin(), work.said.back().end());
      board_->say(work.names[i], message);
    }
  }
  if (work.hangs) return false;
  for (std::size_t i = 0; i < work.calls.size(); ++i) {
    if (work.calls[i].kind == Kind::send) continue;
    if (work.calls[i].kind == Kind::receive) {
      if (!board_->has(work.names[i])) return false;
      continue;
    }
    for (int each = 0; each < size; ++each) {
      if (board_->has(collective_name(work.numbers[i], each))) continue;
      check_openings(each, work.numbers[i]);
      return false;
    }
  }
  return true;
}

void Communicator::run(Work& work) {
  for (std::size_t i = 0; i < work.calls.size(); ++i) {
    const NcclCall& call = work.calls[i];
    const std::size_t sent = work.said[i].size();
    if (sent > 0 && call.from != call.to &&
        std::memcmp(call.from, work.said[i].data(), sent) != 0) {
      complain_of_nccl("an operand was overwritten while it was read: " + call.text());
    }
    if (call.kind == Kind::send) continue;
    if (call.kind == Kind::receive) {
      const auto message = board_->read(work.names[i]).value_or(std::vector<std::byte>());
      const std::size_t bytes = call.received_bytes(size, rank);
      // Behind the line that says what it is.
      const auto line_end = std::ranges::find(message, std::byte{'\n'});
      if (message.end() - line_end != static_cast<std::ptrdiff_t>(bytes) + 1) {
        complain_of_nccl("a message has another size than what it is received as: " + call.text());
        continue;
      }
      if (bytes > 0) std::memcpy(call.to, &*line_end + 1, bytes);
      board_->forget(work.names[i]);
      continue;
    }
    run_collective(call, work.numbers[i]);
    // For tests of who looks at results: from that collective on they are wrong.
    const char* const wrong = std::getenv("TUTTI_TEST_FAKE_NCCL_WRONG");
    if (wrong != nullptr && work.numbers[i] >= std::strtoull(wrong, nullptr, 10) &&
        call.received_bytes(size, rank) > 0) {
      *static_cast<std::byte*>(call.to) ^= std::byte{0x10};
    }
    if (call.all_in_windows) ++in_windows;
  }
  // All have spoken of these collectives, so they are done with those that were launched before.
  if (is_message(work.calls.front())) return;
  for (const std::string& name : std::exchange(said_, work.names)) board_->forget(name);
}

void Communicator::run_collective(const NcclCall& call, std::uint64_t number) {
  std::vector<std::vector<std::byte>> said;
  std::vector<const std::byte*> operands;
  const std::string text = call.text() + "\n";
  for (int each = 0; each < size; ++each) {
    said.push_back(board_->read(collective_name(number, each)).value_or(std::vector<std::byte>()));
    const bool same = said.back().size() == text.size() + call.sent_bytes(size, each) &&
                      std::memcmp(said.back().data(), text.data(), text.size()) == 0;
    if (!same) {
      complain_of_nccl("ranks " + std::to_string(rank) + " and " + std::to_string(each) +
                       " differ in collective " + std::to_string(number) + ": " + call.text());
      return;
    }
    operands.push_back(said.back().data() + text.size());
  }
  const std::size_t bytes = call.received_bytes(size, rank);
  if (bytes == 0) return;
  auto* const to = static_cast<std::byte*>(call.to);
  const auto combine_all = [&] {
    reduce(call.type, call.operation, reduction_order(call, id_, operands.size()), call.count,
           operands, to);
  };
  switch (call.kind) {
    case Kind::all_reduce:
    case Kind::reduce:
      combine_all();
      return;
    case Kind::broadcast:
      std::memcpy(to, operands[static_cast<std::size_t>(call.peer)], bytes);
      return;
    case Kind::all_gather:
      for (std::size_t each = 0; each < operands.size(); ++each) {
        const std::size_t one = bytes / operands.size();
        std::memcpy(to + each * one, operands[each], one);
      }
      return;
    case Kind::reduce_scatter:
      for (const std::byte*& operand : operands) operand += static_cast<std::size_t>(rank) * bytes;
      combine_all();
      return;
    default:
      return;
  }
}

// All ranks have recorded what this one has; one may still be at it.
void Communicator::check_recorded() const {
  for (std::size_t i = 0; i < recorded_.size(); ++i) {
    for (int each = 0; each < size; ++each) {
      const std::string name = "recorded-" + std::to_string(i + 1) + "-" + std::to_string(each);
      for (int looks = 0; looks < 2000 && !board_->has(name); ++looks) usleep(1000);
      const auto said = board_->read(name);
      if (said && *said == bytes_at(recorded_[i].data(), recorded_[i].size())) continue;
      complain_of_nccl("rank " + std::to_string(rank) + " has recorded what rank " +
                       std::to_string(each) + " has not: " + recorded_[i]);
    }
  }
}

void Communicator::end() {
  if (!aborted) check_recorded();
  // The library waits for them.
  for (int looks = 0; looks < 5000 && is_in_graphs(); ++looks) usleep(1000);
  if (is_in_graphs()) complain_of_nccl("a communicator ends while graphs hold what it recorded");
  stops_ = true;
  if (driver_.joinable()) driver_.join();
  live = false;
  // The library writes there at the end, too: whoever gave the place has it still.
  if (opening_.window != nullptr) *opening_.result = nullptr;
  for (Window* const each : windows_) {
    if (std::exchange(each->open, false)) unwatch(each->mapped, each->name);
  }
  order_.check();
  order_.close(id_);
  board_->leave();
}

}  // namespace tutti::runtime::nccl
