#include <algorithm>
#include <array>
#include <cstdlib>
#include <deque>
#include <iterator>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "tests/fake_cuda/nccl/control.h"
#include "tests/processes/program/doubles.h"
#include "tests/processes/program/scenario.h"
#include "tests/support/recorded_sweep.h"

namespace tutti::test {

namespace {

// How often the driver's double was called, since the last time.
struct Calls {
  int kernels = 0;
  int graphs = 0;
  int recorded = 0;
  int others = 0;

  static Calls take() {
    using Text = const char*();
    Calls out;
    if (!on_doubles()) return out;
    std::istringstream lines(driver_control<Text>("fake_cuda_calls")());
    for (std::string line; std::getline(lines, line);) {
      const std::string_view name = std::string_view(line).substr(0, line.find(' '));
      if (name == "cuGraphLaunch") ++out.graphs;
      if (name == "cuStreamBeginCapture") ++out.recorded;
      if (name == "cuLaunchKernel" || name == "enqueue") ++out.kernels;
      if (name == "cuEventRecord" || name == "cuStreamWaitEvent") ++out.others;
    }
    return out;
  }
  // One launch for all; what lies elsewhere than before is recorded anew in front of it.
  bool is_replay() const { return graphs == 1 && others == 4; }
  std::string text() const {
    return std::to_string(kernels) + " launches, " + std::to_string(graphs) + " graphs, " +
           std::to_string(recorded) + " recordings, " + std::to_string(others) + " events";
  }
};

// A step of several layers that all communicate.
void launches_of_a_step(const Arguments&) {
  World world = init();
  set_default_device(world.gpu());
  const Group group = Group(world).with_backends("nccl");
  const auto ranks = static_cast<float>(world.size());
  auto step = compile([&](const Tensor& x) {
    Tensor y = x;
    for (int layer = 0; layer < 4; ++layer) {
      y = all_reduce(y * 0.5F, group) * (2.F / ranks) + 1.F;
      y = y * sum(y, {0}, true);
      y = y * 0.F + x + static_cast<float>(layer);
    }
    return y;
  });
  const Tensor x = ones({64});
  std::vector<std::string> seen;
  for (int run = 0; run < 8; ++run) {
    Calls::take();
    const Tensor y = step(x);
    eval(y);
    seen.push_back(Calls::take().text());
    expect(y.to_vector<float>() == std::vector<float>(64, 4.F));
  }
  world.close();
  for (const std::string& each : seen) say(each);
}

using Program = std::vector<Tensor> (*)(const Tensor& x, const Group& group);

// Between what the program computes.
std::vector<Tensor> computed(const Tensor& x, const Group& group) {
  const Tensor sum = all_reduce(x * 2, group) + 1;
  const Tensor all = all_gather(sum - x, group);
  return {sum, all * 3, reduce_scatter(all, group) + 1};
}

// Given by the caller, and taken by him.
std::vector<Tensor> given(const Tensor& x, const Group& group) {
  Pairs ring;
  for (std::int64_t rank = 0; rank + 1 < group.size(); ++rank) ring.emplace_back(rank, rank + 1);
  return {all_reduce(x, group),
          broadcast(x, group, 1),
          all_to_all(x, group),
          gather(x, group, 0),
          scatter(x, group, 1),
          collective_permute(x, group, ring),
          reduce_scatter(x, group),
          tutti::reduce(x, group, Reduce::sum, 1),
          all_reduce(slice(x, {Range{0, x.size(0) / 2}}), group)};
}

// Many under way beside the program, waited for in another order, and over in lists.
std::vector<Tensor> under_way(const Tensor& x, const Group& group) {
  std::vector<AsyncTensor> sums;
  for (int i = 0; i < 3; ++i) sums.push_back(all_reduce(x + i, group));
  Tensor out = x * x;
  for (auto sum = sums.rbegin(); sum != sums.rend(); ++sum) out = out + *sum;
  const std::vector<Tensor> both = all_reduce(std::vector<Tensor>{out, out * 2}, group);
  return {out, both[0], both[1] - 1};
}

// Waited for side by side, the first where the program has it and the second where the caller does.
std::vector<Tensor> side_by_side(const Tensor& x, const Group& group) {
  const Tensor first = all_reduce(x * 2, group);
  const Tensor second = all_reduce(x * 3, group);
  return {first + second, second};
}

constexpr std::array<DType, 3> kDTypes = {DType::f32, DType::i32, DType::bf16};
constexpr std::array<Program, 4> kPrograms = {computed, given, under_way, side_by_side};

// replays RUNS: every program in so many runs, of arguments that lie elsewhere each time; in
// between one that needs more of the group's memory. Each result is compared with the host's.
void replays(const Arguments& arguments) {
  const int runs = std::stoi(arguments.at(0));
  World world = init();
  set_default_device(world.gpu());
  const Group group = Group(world).with_backends("nccl");
  const Group host = Group(world).with_backends("shm");
  int replayed = 0;
  for (const DType dtype : kDTypes) {
    for (const Program program : kPrograms) {
      const auto over = [&](const Group& of) {
        return compile([=](const Tensor& x) { return program(x, of); });
      };
      auto own = over(group);
      auto of_host = over(host);
      auto larger = over(group);
      std::deque<Tensor> kept;  // so that no address comes again soon
      for (int run = 0; run < runs; ++run) {
        const Tensor numbers = arange(2 * world.size() * world.size(), DType::i32);
        const Tensor x = from(cast((numbers + world.rank() * 3 + run) % 4, dtype).array());
        kept.push_back(x);
        if (kept.size() > 7) kept.pop_front();
        if (run == runs / 2) {
          eval(larger(from(zeros({world.size() * 40000}, dtype).array())));
        }
        Calls::take();
        const std::vector<Tensor> got = own(x);
        eval(got);
        const Calls calls = Calls::take();
        replayed += calls.is_replay() ? 1 : 0;
        const std::vector<Tensor> expected = of_host(x);
        for (std::size_t i = 0; i < got.size(); ++i) {
          expect(cast(got[i], DType::f64).to_vector<double>() ==
                 cast(expected[i], DType::f64).to_vector<double>());
        }
      }
    }
  }
  world.close();
  const int all = static_cast<int>(kDTypes.size() * kPrograms.size());
  const bool enough = !on_doubles() || replayed > all * (runs - 12) / 2;
  say(enough ? "all right" : std::to_string(replayed) + " replays");
}

// recorded_sweep RUNS WORD...: every collective that NCCL serves, in so many runs; of the forms of
// groups and the dtypes that are named, or of all. With "kernels" they make and use what it moves.
void recorded_sweep(const Arguments& arguments) {
  const int runs = std::stoi(arguments.at(0));
  const auto named = [&](std::string_view word) {
    return std::find(arguments.begin() + 1, arguments.end(), word) != arguments.end();
  };
  const auto some = [&](const auto& all) {
    std::vector<std::decay_t<decltype(all[0])>> out;
    std::ranges::copy_if(all, std::back_inserter(out),
                         [&](auto each) { return named(name_of(each)); });
    if (out.empty()) out.assign(std::begin(all), std::end(all));
    return out;
  };
  World world = init();
  for (const GroupForm form : some(kGroupForms)) {
    if (!suits(form, world.size())) continue;
    const Group group = sweep_group(world, form);  // NCCL is the usual engine
    const bool is_member = group.position() >= 0;
    auto grow = compile([&](const Tensor& x) { return all_reduce(x + x, group) + x; });
    std::int64_t grown = 1 << 15;
    for (const DType dtype : some(kSweptDTypes)) {
      const RecordedSweep sweep{.form = form, .dtype = dtype, .computes = named("kernels")};
      set_default_device(Device::cpu());
      const auto expected = expected_of(sweep, world.size());
      set_default_device(world.gpu());
      const auto around = [&](int run, const std::function<void()>& evaluate) {
        // More of the group's memory than there was, a few times.
        if (run == runs / 2 && grown <= 1 << 17 && is_member) {
          eval(grow(zeros({grown})));
          grown *= 2;
        }
        Calls::take();
        evaluate();
        const Calls calls = Calls::take();
        // In front of that, and at the end.
        const bool replays = run == runs / 2 - 1 || run == runs - 1;
        if (!replays || group.size() < 2 || !is_member) return;
        if (!on_doubles() || calls.is_replay()) return;
        throw std::runtime_error(std::string(name_of(form)) + " " + std::string(name_of(dtype)) +
                                 ", run " + std::to_string(run) + " is no replay: " + calls.text());
      };
      run_recorded_sweep(world, sweep, group, runs,
                         expected[static_cast<std::size_t>(world.rank())], around);
      barrier(world);  // who is no member goes no further
    }
  }
  world.close();
  say("all right");
}

// fails_to_record CALL NTH: on rank 1 that call of the driver fails, at any place of a recording or
// a replay but the launch of it.
void fails_to_record(const Arguments& arguments) {
  World world = init();
  set_default_device(world.gpu());
  const Group group = Group(world).with_backends("nccl");
  auto step = compile([&](const Tensor& x) { return computed(x, group); });
  const Tensor x = from(arange(4 * world.size(), DType::f32).array());
  const std::vector<float> expected = step(x)[2].to_vector<float>();
  eval(step(x));
  if (world.rank() == 1) {
    using Fail = void(const char* function, int nth, int result);
    driver_control<Fail>("fake_cuda_fail")(arguments.at(0).c_str(), std::stoi(arguments.at(1)),
                                           999);
  }
  std::deque<Tensor> kept;
  for (int run = 0; run < 8; ++run) {
    kept.push_back(from(arange(4 * world.size(), DType::f32).array()));
    expect(step(kept.back())[2].to_vector<float>() == expected);
  }
  world.close();
  say("all right");
}

// fails_to_record_alone CALL: the same of a program that communicates with nobody; nothing is
// recorded then.
void fails_to_record_alone(const Arguments& arguments) {
  World world = init();
  set_default_device(world.gpu());
  auto step = compile([](const Tensor& x) {
    Tensor y = x * 2.F;
    for (int layer = 0; layer < 3; ++layer) y = y * sum(y, {0}, true) * 0.F + x;
    return y + 1.F;
  });
  const Tensor x = from(arange(8, DType::f32).array());
  const std::vector<float> expected = step(x).to_vector<float>();
  expect(expected[7] == 8.F);
  using Fail = void(const char* function, int nth, int result);
  driver_control<Fail>("fake_cuda_fail")(arguments.at(0).c_str(), 1, 999);
  Calls::take();
  for (int run = 0; run < 6; ++run) expect(step(x).to_vector<float>() == expected);
  const Calls calls = Calls::take();
  expect(calls.kernels >= 12 && calls.graphs == 0);
  world.close();
  say("all right");
}

// In the run that all record, rank 1 has announced the first collective when it can't go on.
void fails_behind_an_announcement(const Arguments&) {
  World world = init();
  set_default_device(world.gpu());
  const Group group = Group(world).with_backends("nccl");
  auto step = compile([&](const Tensor& x) { return computed(x, group); });
  const Tensor x = from(arange(4 * world.size(), DType::f32).array());
  for (int run = 0; run < 2; ++run) eval(step(x));
  if (world.rank() == 1) {
    using Fail = void(const char* function, int nth, int result);
    driver_control<Fail>("fake_cuda_fail")("cuEventRecord", 1, 999);
  }
  say_error([&] { step(x)[2].to_vector<float>(); });
}

// How many pieces of memory this rank has mapped, of its own and of other ranks.
std::ptrdiff_t mapped_pieces() {
  using Text = const char*();
  std::istringstream lines(driver_control<Text>("fake_cuda_left")());
  std::ptrdiff_t out = 0;
  for (std::string line; std::getline(lines, line);) out += line.starts_with("physical") ? 1 : 0;
  return out;
}

// The library's communicators go with the World, and so does the others' memory, whatever becomes
// of the functions that use them.
void function_outlives_its_world(const Arguments&) {
  std::optional<World> world = init();
  set_default_device(world->gpu());
  const Group group = Group(*world).with_backends("nccl");
  auto step = compile([=](const Tensor& x) { return computed(x, group); });
  const Tensor x = from(arange(4 * world->size(), DType::f32).array());
  for (int run = 0; run < 5; ++run) eval(step(x));
  const auto communicators =
      nccl_control<decltype(fake_nccl_communicators)>("fake_nccl_communicators");
  say(std::to_string(communicators()) + " in it");
  const std::ptrdiff_t pieces = mapped_pieces();
  world->close();
  world.reset();
  say(std::to_string(communicators()) + " behind it" +
      (mapped_pieces() < pieces ? "" : ", and the others' memory"));
}

// differs WAY: rank 1 does something else than the others, while they replay.
void differs(const Arguments& arguments) {
  const std::string& way = arguments.at(0);
  const bool mine = rank_by_environment() == 1;
  if (mine && way == "record_off") ::setenv("TUTTI_SET", "verify=on,record=off", 1);
  World world = init();
  set_default_device(world.gpu());
  const Group group = Group(world).with_backends("nccl");
  const auto program = [&] { return compile([&](const Tensor& x) { return computed(x, group); }); };
  std::optional<decltype(program())> step(program());
  const Tensor x = from(arange(4 * world.size(), DType::f32).array());
  const std::vector<float> expected = (*step)(x)[2].to_vector<float>();
  const Tensor same = replicated(ones({12}), world);
  for (int run = 0; run < 30; ++run) {
    if (mine && way == "recompiles" && run % 9 == 8) step.emplace(program());
    if (mine && way == "other_call" && run == 20) {
      eval(broadcast(x, group, 0));
      continue;
    }
    if (way == "other_number") {
      const float number = mine && run == 20 ? 3.F : 2.F;
      const Tensor sum = all_reduce(same * number, group) * 2.F;
      expect(sum.to_vector<float>()[0] == 4.F * static_cast<float>(world.size()));
      continue;
    }
    expect((*step)(x)[2].to_vector<float>() == expected);
  }
  world.close();
  say("all right");
}

}  // namespace

Scenarios replaying_scenarios() {
  return {{"launches_of_a_step", launches_of_a_step},
          {"replays", replays},
          {"recorded_sweep", recorded_sweep},
          {"fails_to_record", fails_to_record},
          {"fails_to_record_alone", fails_to_record_alone},
          {"fails_behind_an_announcement", fails_behind_an_announcement},
          {"function_outlives_its_world", function_outlives_its_world},
          {"differs", differs}};
}

}  // namespace tutti::test
