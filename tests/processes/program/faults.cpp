#include <algorithm>
#include <csignal>
#include <numeric>
#include <sstream>
#include <stdexcept>
#include <string>
#include <tuple>

#include "tests/fake_cuda/nccl/control.h"
#include "tests/processes/program/doubles.h"
#include "tests/processes/program/scenario.h"

namespace tutti::test {

namespace {

constexpr int kFaultRounds = 8;

// What goes wrong on one rank: KIND RANK [argument...]; or nothing: none.
class Fault {
 public:
  Fault(const Arguments& words, int rank)
      : kind_(words.at(0)),
        mine_(words.size() > 1 && std::stoi(words[1]) == rank),
        arguments_(words.begin() + std::min<std::ptrdiff_t>(2, std::ssize(words)), words.end()) {}

  // What happens at a call of a library.
  void arm() const {
    if (!mine_) return;
    if (kind_ == "nccl_call") {
      nccl_control<decltype(fake_nccl_fail)>("fake_nccl_fail")(text(0), number(1), number(2));
    } else if (kind_ == "driver_call") {
      using Fail = void(const char* function, int nth, int result);
      driver_control<Fail>("fake_cuda_fail")(text(0), number(1), number(2));
    } else if (kind_ == "delay") {
      nccl_control<decltype(fake_nccl_delay)>("fake_nccl_delay")(number(0), number(1));
    } else if (kind_ == "window") {
      nccl_control<decltype(fake_nccl_fail_window)>("fake_nccl_fail_window")(
          1, number(0), arguments_.at(1) == "late");
    } else if (kind_ == "hang") {
      nccl_control<decltype(fake_nccl_hang)>("fake_nccl_hang")(number(0));
    }
  }

  // What happens at a place of a round: "before" its collectives, when they are "started".
  void at(int round, const std::string& place) const {
    if (!mine_ || arguments_.size() != 2 || arguments_[1] != place || number(0) != round) return;
    if (kind_ == "kill") raise(SIGKILL);
    if (kind_ == "stop") raise(SIGSTOP);
    if (kind_ == "throw") throw std::runtime_error("the rank's own mistake");
  }

 private:
  const char* text(std::size_t i) const { return arguments_.at(i).c_str(); }
  int number(std::size_t i) const { return std::stoi(arguments_.at(i)); }

  const std::string kind_;
  const bool mine_;
  const Arguments arguments_;
};

// The operand of a rank in a round: three elements for each rank.
std::vector<float> operand(int round, int rank, int ranks) {
  std::vector<float> out(static_cast<std::size_t>(3 * ranks));
  std::iota(out.begin(), out.end(), static_cast<float>(100 * round + 10 * rank));
  return out;
}

// Collectives of all sorts, some of them of one compiled program, without a kernel; each result is
// compared with what it has to be.
void run_rounds(const World& world, const Fault& fault) {
  const Group group = Group(world).with_backends("nccl");
  const Group host = Group(world).with_backends("shm");
  const int ranks = world.size();
  const int own = world.rank();
  const auto of = [&](int round, int rank) { return operand(round, rank, ranks); };
  auto step = compile([&](const Tensor& x) {
    const Tensor all = all_gather(x, group);
    return std::tuple<Tensor, Tensor>(reduce_scatter(all, group), all_reduce(x, group));
  });
  for (int round = 0; round < kFaultRounds; ++round) {
    fault.at(round, "before");
    const int root = round % ranks;
    const std::vector<float> mine = of(round, own);
    const Tensor x = from(mine, {std::ssize(mine)});
    const AsyncTensor sum = all_reduce(x, group);
    const AsyncTensor all = all_gather(x, group);
    const AsyncTensor first = broadcast(x, group, root);
    const AsyncTensor exchanged = all_to_all(x, group);
    const AsyncTensor mean = all_reduce(x, host, Reduce::mean);
    const auto [scattered, total] = step(x);
    fault.at(round, "started");

    std::vector<float> sums(mine.size(), 0.F);
    std::vector<float> gathered;
    std::vector<float> parts;
    for (int rank = 0; rank < ranks; ++rank) {
      const std::vector<float> theirs = of(round, rank);
      for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += theirs[i];
      gathered.insert(gathered.end(), theirs.begin(), theirs.end());
      parts.insert(parts.end(), theirs.begin() + 3 * own, theirs.begin() + 3 * own + 3);
    }
    std::vector<float> scaled = of(round, own);
    for (float& each : scaled) each *= static_cast<float>(ranks);
    std::vector<float> means = sums;
    for (float& each : means) each /= static_cast<float>(ranks);
    expect(Tensor(sum).to_vector<float>() == sums);
    expect(Tensor(all).to_vector<float>() == gathered);
    expect(Tensor(first).to_vector<float>() == of(round, root));
    expect(Tensor(exchanged).to_vector<float>() == parts);
    expect(Tensor(mean).to_vector<float>() == means);
    expect(total.to_vector<float>() == sums);
    expect(scattered.to_vector<float>() == scaled);
  }
}

// A compiled program that is recorded in the third round and replayed from the fourth on, with
// kernels between its collectives.
void run_replays(const World& world, const Fault& fault) {
  const Group group = Group(world).with_backends("nccl");
  const int ranks = world.size();
  auto step = compile([&](const Tensor& x) {
    const Tensor all = all_gather(x * 2.F, group) + 1.F;
    return reduce_scatter(all, group) + all_reduce(x * 3.F, group);
  });
  for (int round = 0; round < kFaultRounds; ++round) {
    fault.at(round, "before");
    const std::vector<float> mine = operand(round, world.rank(), ranks);
    const Tensor y = step(from(mine, {std::ssize(mine)}));
    eval(y);
    fault.at(round, "started");
    std::vector<float> expected(mine.size(), static_cast<float>(ranks));
    for (std::size_t i = 0; i < mine.size(); ++i) {
      expected[i] += 2.F * static_cast<float>(ranks) * mine[i];
      for (int rank = 0; rank < ranks; ++rank) expected[i] += 3.F * operand(round, rank, ranks)[i];
    }
    expect(y.to_vector<float>() == expected);
  }
}

// Says what a rank still has on its GPU at its end, whatever that was: communicators, what is under
// way in them, and memory.
struct Remains {
  ~Remains() {
    const auto count = [](const char* name) { return nccl_control<int()>(name)(); };
    const int communicators = count("fake_nccl_communicators");
    const int under_way = count("fake_nccl_under_way");
    if (communicators > 0) say("remains: " + std::to_string(communicators) + " communicators");
    if (under_way > 0) say("remains: " + std::to_string(under_way) + " calls under way");
    std::istringstream left(driver_control<const char*()>("fake_cuda_left")());
    for (std::string line; std::getline(left, line);) {
      if (line.starts_with("memory") || line.starts_with("physical")) say("remains: " + line);
    }
  }
};

// faults_over_nccl, or faults_in_replays, KIND RANK [argument...]: one rank's GPU, library or
// process fails; see Fault.
template <void (*run)(const World& world, const Fault& fault)>
void faults_in(const Arguments& arguments) {
  const Remains remains;
  World world = init();
  set_default_device(world.gpu());
  const Fault fault(arguments, world.rank());
  fault.arm();
  run(world, fault);
  world.close();
  say("all right");
}

}  // namespace

Scenarios fault_scenarios() {
  return {{"faults_over_nccl", faults_in<run_rounds>},
          {"faults_in_replays", faults_in<run_replays>}};
}

}  // namespace tutti::test
