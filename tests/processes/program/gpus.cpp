#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <thread>
#include <tuple>

#include "tests/processes/program/doubles.h"
#include "tests/processes/program/scenario.h"

namespace tutti::test {

namespace {

// Compiled, in a loop, lazily and in lists, beside what goes through the host.
void over_nccl(const Arguments&) {
  World world = init();
  set_default_device(world.gpu());
  const Group group = Group(world).with_backends("nccl");
  const auto ranks = static_cast<float>(world.size());
  const auto mine = static_cast<float>(world.rank());
  const auto of = [](float value) { return from(full({6}, value).array()); };

  auto step = compile([&](const Tensor& x) {
    const Tensor sum = all_reduce(x * 2.F, group);
    return std::tuple<Tensor, Tensor, Tensor>(sum + 1.F, all_gather(x, group),
                                              reduce_scatter(sum, group));
  });
  for (int i = 0; i < 12; ++i) {
    const auto [sum, gathered, scattered] = step(of(1.F + static_cast<float>(i)));
    expect(sum.to_vector<float>() ==
           std::vector<float>(6, 2.F * ranks * (1.F + static_cast<float>(i)) + 1.F));
    expect(gathered.shape() == Shape{6 * world.size()});
    expect(scattered.to_vector<float>()[0] == 2.F * ranks * ranks * (1.F + static_cast<float>(i)));
  }
  expect(step.plan().find(" by nccl (") != std::string::npos);
  expect(step.plan().find("= symmetric at 0 in ") != std::string::npos);

  auto loop = compile([&](const Tensor& x) {
    return for_loop(
        5,
        [&](const Tensor&, const Tensor& y) -> Tensor {
          return all_reduce(y, group) * (1.F / ranks) + 1.F;
        },
        x);
  });
  expect(loop(of(1.F)).to_vector<float>() == std::vector<float>(6, 6.F));

  // A mean is divided by a kernel; a broadcast and a list are NCCL's alone.
  const Tensor mean = all_reduce(of(mine), group, Reduce::mean);
  const Tensor first = broadcast(of(mine + 7.F), group, 0);
  const std::vector<Tensor> both = all_reduce(std::vector<Tensor>{of(1.F), of(2.F)}, group);
  expect(mean.to_vector<float>()[0] == (ranks - 1.F) / 2.F);
  expect(first.to_vector<float>()[0] == 7.F);
  expect(both[1].to_vector<float>()[0] == 2.F * ranks);
  world.close();
  say("all right");
}

// [FOLDERS [VISIBLE]]: where rank 1 finds its libraries first, and what CUDA_VISIBLE_DEVICES says
// there.
void set_apart(const Arguments& arguments) {
  if (rank_by_environment() != 1 || arguments.empty()) return;
  const char* const usual = std::getenv("TUTTI_CUDA_LIBRARIES");
  const std::string folders = arguments[0] + ":" + (usual == nullptr ? "" : usual);
  ::setenv("TUTTI_CUDA_LIBRARIES", folders.c_str(), 1);
  if (arguments.size() > 1) ::setenv("CUDA_VISIBLE_DEVICES", arguments[1].c_str(), 1);
}

// What a group that says nothing communicates with; with words for set_apart().
void usual_gpu_engine(const Arguments& arguments) {
  set_apart(arguments);
  World world = init();
  set_default_device(world.gpu());
  const Group group(world);
  const Tensor x = from(full({6}, static_cast<float>(world.rank())).array());
  auto sum = compile([&](const Tensor& y) { return all_reduce(y, group); });
  const float expected = static_cast<float>(world.size() * (world.size() - 1)) / 2.F;
  expect(sum(x).to_vector<float>() == std::vector<float>(6, expected));
  const bool by_nccl = sum.plan().find(" by nccl (") != std::string::npos;
  expect(by_nccl == (group.backends() == "cpu:shm,cuda:nccl"));
  world.close();
  say(by_nccl ? "nccl" : "the host");
}

// A sum over NCCL, which the user asks for; with words for set_apart().
void asks_for_nccl(const Arguments& arguments) {
  set_apart(arguments);
  World world = init();
  set_default_device(world.gpu());
  const Group group = Group(world).with_backends("cuda:nccl");
  say_error([&] { eval(all_reduce(ones({6}), group)); });
}

// Each kind of collective of each dtype, of so many elements for each rank, in both ways: over NCCL
// where it serves them, and through the host.
void collectives_over_nccl(const Arguments& arguments) {
  World world = init();
  set_default_device(world.gpu());
  const Group group = Group(world).with_backends("nccl");
  const Group host = Group(world).with_backends("shm");
  const std::int64_t ranks = world.size();
  Pairs ring;
  for (std::int64_t rank = 0; rank + 1 < ranks; ++rank) ring.emplace_back(rank, rank + 1);
  using Call = std::function<Tensor(const Tensor&, const Group&)>;
  const auto reductions = [](Reduce reduce) {
    return std::array<Call, 3>{
        [=](const Tensor& x, const Group& of) { return all_reduce(x, of, reduce); },
        [=](const Tensor& x, const Group& of) {
          return tutti::reduce(x, of, reduce, of.size() - 1);
        },
        [=](const Tensor& x, const Group& of) { return reduce_scatter(x, of, reduce); }};
  };
  const std::array<Call, 6> moves = {
      [](const Tensor& x, const Group& of) { return all_gather(x, of); },
      [](const Tensor& x, const Group& of) { return gather(x, of, of.size() - 1); },
      [](const Tensor& x, const Group& of) { return scatter(x, of, of.size() - 1); },
      [](const Tensor& x, const Group& of) { return broadcast(x, of, of.size() - 1); },
      [](const Tensor& x, const Group& of) { return all_to_all(x, of); },
      [&](const Tensor& x, const Group& of) { return collective_permute(x, of, ring); }};
  int calls = 0;
  const auto agree = [&](const Call& call, const Tensor& x) {
    const auto as_bytes = [&](const Group& of) {
      return cast(call(x, of), DType::f64).to_vector<double>();
    };
    expect(as_bytes(group) == as_bytes(host));
    ++calls;
  };
  for (const DType dtype : {DType::f32, DType::f64, DType::f16, DType::bf16, DType::i8, DType::i32,
                            DType::i64, DType::u8, DType::u32, DType::u64, DType::boolean}) {
    for (const std::string& argument : arguments) {
      const std::int64_t each = std::stoll(argument);
      // Sums and products of such numbers are exact.
      const Tensor count = arange(each * ranks, DType::i32);
      const Tensor x =
          cast((count * 7 + from(tensor({static_cast<int>(world.rank())}).array())) % 3, dtype);
      for (const Call& move : moves) agree(move, x);
      if (dtype == DType::boolean) continue;
      const bool is_float =
          dtype == DType::f32 || dtype == DType::f64 || dtype == DType::f16 || dtype == DType::bf16;
      for (const Reduce reduce : {Reduce::sum, Reduce::product, Reduce::min, Reduce::max}) {
        if (is_float && (reduce == Reduce::min || reduce == Reduce::max)) continue;  // kernels'
        for (const Call& call : reductions(reduce)) agree(call, x);
      }
    }
  }
  world.close();
  say(std::to_string(calls) + " agree");
}

// What kernels make of what NCCL moves: the host's results in all bits.
void kernels_around_nccl(const Arguments&) {
  World world = init();
  set_default_device(world.gpu());
  const Group group = Group(world).with_backends("nccl");
  const Group exact = group.with_algorithm("exact");
  const Group host = Group(world).with_backends("shm");
  const std::int64_t ranks = world.size();
  const std::int64_t root = ranks - 1;
  using Call = std::function<Tensor(const Tensor&, const Group&)>;
  const auto agree = [&](const Call& call, const Tensor& x, const Group& of) {
    auto own = compile([&](const Tensor& y) { return call(y, of); });
    auto through_host = compile([&](const Tensor& y) { return call(y, host); });
    const auto numbers = [](const Tensor& y) { return cast(y, DType::f64).to_vector<double>(); };
    expect(numbers(own(x)) == numbers(through_host(x)));
    expect(own.plan().find(" by nccl (") != std::string::npos);
    expect(through_host.plan().find(" by nccl (") == std::string::npos);
  };
  const Tensor table =
      normal({2 * ranks, 3 * ranks}, Key(7)) * static_cast<float>(1 + world.rank());
  const std::array<Call, 8> calls = {
      [](const Tensor& x, const Group& of) { return all_reduce(x, of, Reduce::max); },
      [=](const Tensor& x, const Group& of) { return tutti::reduce(x, of, Reduce::min, root); },
      [](const Tensor& x, const Group& of) { return reduce_scatter(x, of, Reduce::max, 1); },
      [](const Tensor& x, const Group& of) {
        return scan_ranks(x, of, Reduce::sum, {.exclusive = true, .reverse = true});
      },
      [](const Tensor& x, const Group& of) { return all_gather(x, of, 1); },
      [=](const Tensor& x, const Group& of) { return gather(x, of, root, 1); },
      [=](const Tensor& x, const Group& of) { return scatter(x, of, root, 1); },
      [](const Tensor& x, const Group& of) { return all_to_all(x, of, 1); }};
  for (const Call& call : calls) agree(call, table, group);
  // In the order of the ranks.
  const std::array<Call, 3> sums = {
      [](const Tensor& x, const Group& of) { return all_reduce(x, of); },
      [](const Tensor& x, const Group& of) { return all_reduce(x, of, Reduce::mean); },
      [](const Tensor& x, const Group& of) { return reduce_scatter(x, of, Reduce::mean, 1); }};
  for (const Call& sum : sums) agree(sum, table, exact);
  for (const Call& sum : sums) agree(sum, cast(table, DType::bf16), exact);
  // Whose sum is more than there is.
  agree(sums[1], cast(table * 0.F + 40'000.F, DType::f16), group);
  agree(sums[0], cast(table * 1000.F, DType::i16), group);
  agree([](const Tensor& x, const Group& of) { return all_reduce(x, of, Reduce::bit_xor); },
        table > 0.F, group);
  world.close();
  say("all right");
}

// Sums of compiled programs by kernels of our own, which have the host's bits, whatever the order
// of NCCL's.
void small_sums_on_gpus(const Arguments&) {
  World world = init();
  set_default_device(world.gpu());
  const Group group = Group(world).with_backends("nccl");
  const Group host = Group(world).with_backends("shm");
  const auto sums = [](const Group& of) {
    return compile([=](const Tensor& x) {
      const Tensor y = x * 1.25F;
      return std::tuple<Tensor, Tensor, Tensor>(
          all_reduce(y, of) + 0.F, reduce_scatter(y, of) + 0.F, all_gather(y, of) + 0.F);
    });
  };
  auto own = sums(group);
  auto of_host = sums(host);
  for (int round = 0; round < 8; ++round) {
    const Tensor x =
        normal({world.size() * 17}, Key(static_cast<std::uint64_t>(round)), DType::f32);
    const Tensor mine = x * static_cast<float>(1 + world.rank());
    const auto [sum, part, all] = own(mine);
    const auto [host_sum, host_part, host_all] = of_host(mine);
    expect(all.to_vector<float>() == host_all.to_vector<float>());
    if (round == 0) continue;  // by NCCL
    expect(sum.to_vector<float>() == host_sum.to_vector<float>());
    expect(part.to_vector<float>() == host_part.to_vector<float>());
  }
  world.close();
  say("all right");
}

// Extremes of floats, of which some member has none for a number: those of the host, with NaN
// wherever one has it.
void nan_on_gpus(const Arguments&) {
  World world = init();
  set_default_device(world.gpu());
  const Group group = Group(world).with_backends("nccl");
  const int ranks = world.size();
  const int count = 4 * ranks;
  const auto has_nan = [&](int i, int rank) { return i % (ranks + 1) == rank; };
  const auto value = [](int i, int rank) { return static_cast<float>((i * 7 + rank * 3) % 5); };
  for (const DType dtype : {DType::f32, DType::bf16}) {
    for (const Reduce kind : {Reduce::max, Reduce::min}) {
      std::vector<float> mine;
      std::vector<float> expected;
      for (int i = 0; i < count; ++i) {
        mine.push_back(has_nan(i, world.rank()) ? NAN : value(i, world.rank()));
        float extreme = value(i, 0);
        for (int rank = 0; rank < ranks; ++rank) {
          const float other = value(i, rank);
          extreme = kind == Reduce::max ? std::max(extreme, other) : std::min(extreme, other);
        }
        for (int rank = 0; rank < ranks; ++rank) extreme = has_nan(i, rank) ? NAN : extreme;
        expected.push_back(extreme);
      }
      const auto gives = [&](const Tensor& result, std::size_t first) {
        const std::vector<float> got = cast(result, DType::f32).to_vector<float>();
        for (std::size_t i = 0; i < got.size(); ++i) {
          const float wanted = expected[first + i];
          expect(std::isnan(wanted) ? std::isnan(got[i]) : got[i] == wanted);
        }
      };
      auto extremes = compile([=](const Tensor& x) {
        return std::vector<Tensor>{all_reduce(x, group, kind), reduce_scatter(x, group, kind),
                                   tutti::reduce(x, group, kind, 1)};
      });
      const Tensor x = cast(from(mine, {count}), dtype);
      for (int run = 0; run < 4; ++run) {
        const std::vector<Tensor> results = extremes(x);
        gives(results[0], 0);
        gives(results[1], 4 * static_cast<std::size_t>(world.rank()));
        if (world.rank() == 1) gives(results[2], 0);
      }
      gives(all_reduce(x, group, kind), 0);
    }
  }
  world.close();
  say("all right");
}

// Sums of floats in the order of the members, to the bit, however often they run, of what NCCL
// brings; what nobody rounds it adds itself.
void exact_sums_on_gpus(const Arguments&) {
  World world = init();
  set_default_device(world.gpu());
  const Group group = Group(world).with_backends("nccl").with_algorithm("exact");
  const Group host = Group(world).with_backends("shm");
  const auto bits = [](const Tensor& x) {
    std::vector<std::uint32_t> out;
    for (const float each : cast(x, DType::f32).to_vector<float>()) {
      out.push_back(std::bit_cast<std::uint32_t>(each));
    }
    return out;
  };
  const auto combined = [](const Group& of) {
    return compile([=](const Tensor& x) {
      const Tensor y = x * 1.25F;
      return std::vector<Tensor>{all_reduce(y, of), reduce_scatter(y, of),
                                 tutti::reduce(y, of, Reduce::product, 1),
                                 all_reduce(y, of, Reduce::mean)};
    });
  };
  const auto is_by_nccl = [](const std::string& plan) {
    return plan.find(" by nccl (") != plan.npos;
  };
  for (const DType dtype : {DType::f32, DType::bf16}) {
    auto own = combined(group);
    auto of_host = combined(host);
    auto moved = compile([=](const Tensor& x) { return all_gather(x, group); });
    auto counted = compile([=](const Tensor& x) { return all_reduce(cast(x, DType::i32), group); });
    for (int round = 0; round < 6; ++round) {
      const Tensor numbers =
          normal({world.size() * 777}, Key(static_cast<std::uint64_t>(round)), DType::f32);
      const Tensor x = cast(numbers * static_cast<float>(1 + world.rank()), dtype);
      const std::vector<Tensor> got = own(x);
      const std::vector<Tensor> wanted = of_host(x);
      for (std::size_t i = 0; i < got.size(); ++i) expect(bits(got[i]) == bits(wanted[i]));
      expect(bits(all_reduce(x, group)) == bits(all_reduce(x, host)));
      expect(bits(moved(x)) == bits(all_gather(x, host)));
      expect(bits(counted(x)) == bits(all_reduce(cast(x, DType::i32), host)));
    }
    expect(is_by_nccl(own.plan()) && own.plan().find("all_reduce \"") == std::string::npos);
    expect(is_by_nccl(moved.plan()) && is_by_nccl(counted.plan()));
  }
  world.close();
  say("all right");
}

// Rank 1 is killed at any time, in the middle of kernels that wait for each other, too.
void dies_in_comm_kernels(const Arguments&) {
  const World world = init();
  set_default_device(world.gpu());
  const Group group = Group(world).with_backends("nccl");
  auto step = compile([&](const Tensor& x) { return all_reduce(x * 2.F, group) + 1.F; });
  const Tensor x = ones({1000});
  for (int i = 0; i < 3; ++i) eval(step(x));
  std::thread killer;
  if (world.rank() == 1) {
    killer = std::thread([] {
      std::this_thread::sleep_for(std::chrono::milliseconds(37));
      raise(SIGKILL);
    });
  }
  const auto expected = 2.F * static_cast<float>(world.size()) + 1.F;
  say_error([&] {
    for (;;) expect(step(x).to_vector<float>()[0] == expected);
  });
}

// Rank 1 is killed at any time while the others' GPUs wait for its own.
void dies_over_nccl(const Arguments&) {
  const World world = init();
  set_default_device(world.gpu());
  const Group group = Group(world).with_backends("nccl");
  const Tensor x = ones({1 << 20});
  eval(all_reduce(x, group));
  std::thread killer;
  if (world.rank() == 1) {
    killer = std::thread([] {
      std::this_thread::sleep_for(std::chrono::milliseconds(37));
      raise(SIGKILL);
    });
  }
  say_error([&] {
    for (;;) expect(all_reduce(x, group).to_vector<float>()[0] == static_cast<float>(world.size()));
  });
}

// Of compute that hides messages, and of messages that hide compute.
void many_over_nccl(const Arguments& arguments) {
  World world = init();
  set_default_device(world.gpu());
  const Group group = Group(world).with_backends("nccl");
  const auto ranks = static_cast<float>(world.size());
  auto step = compile([&](const Tensor& x) {
    std::vector<AsyncTensor> sums;
    for (int i = 0; i < 8; ++i) sums.push_back(all_reduce(x + static_cast<float>(i), group));
    Tensor all = matmul(x, x);
    for (const AsyncTensor& each : sums) all = all + each;
    return all;
  });
  const Tensor x = ones({64, 64});
  for (int i = 0; i < std::stoi(arguments.at(0)); ++i) {
    expect(step(x).to_vector<float>() == std::vector<float>(64 * 64, 64.F + ranks * 36.F));
  }
  world.close();
  say("all right");
}

// misuses_doubles [exit]: does with the libraries what must not be done, and ends, or just exits.
// (Their types are not known here.)
#ifdef __clang__
[[clang::no_sanitize("function")]]
#endif
void misuses_doubles(const Arguments& arguments) {
  driver_control<int(unsigned flags)>("cuInit")(0);
  driver_control<int(unsigned long long)>("cuMemFree_v2")(4096);
  nccl_control<int()>("ncclGroupEnd")();
  if (!arguments.empty()) std::exit(0);
}

// uses_gpu own|first: every rank computes on its own GPU, or all on the first one.
void uses_gpu(const Arguments& arguments) {
  World world = init();
  set_default_device(arguments.at(0) == "own" ? world.gpu() : Device::cuda());
  expect((ones({4}) + 1.F).to_vector<float>() == std::vector<float>(4, 2.F));
  barrier(world);
  world.close();
  say("all right");
}

}  // namespace

Scenarios gpu_scenarios() {
  return {{"over_nccl", over_nccl},
          {"uses_gpu", uses_gpu},
          {"usual_gpu_engine", usual_gpu_engine},
          {"asks_for_nccl", asks_for_nccl},
          {"collectives_over_nccl", collectives_over_nccl},
          {"kernels_around_nccl", kernels_around_nccl},
          {"small_sums_on_gpus", small_sums_on_gpus},
          {"nan_on_gpus", nan_on_gpus},
          {"exact_sums_on_gpus", exact_sums_on_gpus},
          {"dies_in_comm_kernels", dies_in_comm_kernels},
          {"dies_over_nccl", dies_over_nccl},
          {"many_over_nccl", many_over_nccl},
          {"misuses_doubles", misuses_doubles}};
}

}  // namespace tutti::test
