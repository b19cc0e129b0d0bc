#include "tests/support/recorded_sweep.h"

#include <tutti/ir/interpret/interpret.h>
#include <tutti/ir/parse/parse.h>

#include <cmath>
#include <deque>
#include <span>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace tutti::test {

namespace {

using Kind = RecordedExpectation::Kind;

// ---- The program

struct RecordedOperands {
  Tensor table, uneven;
  TUTTI_FIELDS(table, uneven)
};

struct ServedCall {
  Kind kind = Kind::same_bits;
  std::function<Tensor(const RecordedOperands&)> call;
  // Its transpose is among them, too.
  bool has_gradient = true;
};

bool is_reduced(DType dtype) {
  return dtype != DType::boolean && dtype != DType::i16 && dtype != DType::u16;
}

std::vector<tutti::Reduce> served_reductions(DType dtype) {
  if (!is_reduced(dtype)) return {};
  if (is_floating(dtype)) return {tutti::Reduce::sum, tutti::Reduce::product};
  return {tutti::Reduce::sum, tutti::Reduce::product, tutti::Reduce::min, tutti::Reduce::max};
}

// A combination that NCCL does not have; that of floats comes out the same in any order.
tutti::Reduce lacking_reduction(DType dtype) {
  if (is_floating(dtype)) return tutti::Reduce::max;
  if (dtype == DType::boolean) return tutti::Reduce::bit_or;
  return is_reduced(dtype) ? tutti::Reduce::bit_xor : tutti::Reduce::sum;
}

Tensor doubled(const Tensor& x) { return x.dtype() == DType::boolean ? logical_not(x) : x + x; }

std::vector<ServedCall> served_calls(DType dtype, const Group& group) {
  std::vector<ServedCall> out;
  const auto add = [&](Kind kind, auto call, bool has_gradient = true) {
    if (!is_floating(dtype)) kind = Kind::same_bits;
    out.push_back({.kind = kind,
                   .call = [call](const RecordedOperands& x) -> Tensor { return call(x); },
                   .has_gradient = has_gradient && is_floating(dtype)});
  };
  const std::int64_t members = group.size();
  const std::int64_t root = members / 2;
  for (const tutti::Reduce by : served_reductions(dtype)) {
    const bool linear = by == tutti::Reduce::sum;
    add(Kind::near_alike, [=](const auto& x) { return all_reduce(x.table, group, by); }, linear);
    add(Kind::near, [=](const auto& x) { return tutti::reduce(x.table, group, by, root); }, linear);
    add(Kind::near, [=](const auto& x) { return reduce_scatter(x.table, group, by); }, linear);
  }
  const auto move = [&](auto call, bool has_gradient = true) {
    add(Kind::same_bits, call, has_gradient);
  };
  Sizes sizes;
  for (const std::int64_t rank : group.ranks()) sizes.push_back(1 + rank % 3);
  Pairs ring;
  for (std::int64_t i = 0; i < members; ++i) ring.emplace_back(i, (i + 1) % members);
  move([=](const auto& x) { return broadcast(x.table, group, root); });
  move([=](const auto& x) { return all_gather(x.table, group); });
  move([=](const auto& x) { return all_gather(x.uneven, group, 0, sizes); }, false);
  move([=](const auto& x) { return gather(x.table, group, root); });
  move([=](const auto& x) { return gather(x.uneven, group, root, 0, sizes); }, false);
  move([=](const auto& x) { return scatter(x.table, group, root); });
  move([=](const auto& x) { return all_to_all(x.table, group); });
  move([=](const auto& x) { return collective_permute(x.table, group, ring); });
  move([=](const auto& x) { return collective_permute(x.table, group, {{0, members - 1}}); });
  // What NCCL has for uneven parts: of tensors that no other call has, whose places differ.
  const std::int64_t position = group.position();
  Sizes sent(static_cast<std::size_t>(members));
  Sizes received(static_cast<std::size_t>(members));
  const auto place = [&](std::int64_t member) {
    return static_cast<std::size_t>(member % members);
  };
  sent[place(position + 1)] = sizes[place(position)];
  received[place(position + members - 1)] = sizes[place(position + members - 1)];
  move([=](const auto& x) { return all_to_all(doubled(x.uneven), group, sent, received); }, false);
  Sizes parts(static_cast<std::size_t>(members), 1);
  parts[0] += members;
  if (is_reduced(dtype)) {
    add(
        Kind::near,
        [=](const auto& x) { return reduce_scatter(x.table, group, tutti::Reduce::sum, 0, parts); },
        false);
  }
  // And what kernels make of what it has.
  const tutti::Reduce lacking = lacking_reduction(dtype);
  move([=](const auto& x) { return all_reduce(x.table, group, lacking); }, false);
  move([=](const auto& x) { return tutti::reduce(x.table, group, lacking, root); }, false);
  move([=](const auto& x) { return reduce_scatter(x.table, group, lacking); }, false);
  move([=](const auto& x) { return all_gather(x.table, group, 1); });
  if (is_floating(dtype)) {
    const auto mean = tutti::Reduce::mean;
    add(Kind::near_alike, [=](const auto& x) { return all_reduce(x.table, group, mean); });
    add(Kind::near, [=](const auto& x) { return reduce_scatter(x.table, group, mean); });
    const tutti::ScanRange others{.exclusive = true};
    move([=](const auto& x) { return scan_ranks(x.table, group, tutti::Reduce::sum, others); },
         false);
  }
  return out;
}

// `kinds`, if it is there, is told what results there are.
struct RecordedProgram {
  Group group;
  bool computes = false;
  std::vector<Kind>* kinds = nullptr;

  std::vector<Tensor> operator()(const RecordedOperands& given) const {
    std::vector<Tensor> out;
    if (kinds != nullptr) kinds->clear();
    if (group.position() < 0) return out;
    RecordedOperands x = given;
    if (computes) x = {.table = doubled(x.table), .uneven = doubled(x.uneven)};
    const auto add = [&](Kind kind, const Tensor& result) {
      if (kinds != nullptr) kinds->push_back(kind);
      out.push_back(computes ? doubled(result) : result);
    };
    for (const ServedCall& each : served_calls(x.table.dtype(), group)) {
      if (!each.has_gradient) {
        add(each.kind, each.call(x));
        continue;
      }
      const auto of_table = [&](const Tensor& table) {
        return each.call({.table = table, .uneven = x.uneven});
      };
      const auto [value, pullback] = vjp(of_table)(x.table);
      add(each.kind, value);
      add(Kind::near, pullback(value));
    }
    if (is_reduced(x.table.dtype())) {
      const Kind kind = is_floating(x.table.dtype()) ? Kind::near_alike : Kind::same_bits;
      for (const Tensor& sum : all_reduce(std::vector<Tensor>{x.table, x.table}, group)) {
        add(kind, sum);
      }
    }
    return out;
  }
};

std::vector<Array> recorded_operands(DType dtype, int members, int rank) {
  return {sweep_operand(dtype, {2 * members, 3}, rank, 1),
          sweep_operand(dtype, {1 + rank % 3, 2}, rank, 2)};
}

// ---- What it has to give

std::vector<double> numbers(const Array& array) {
  return visit_dtype(array.dtype(), [&]<class T>(std::type_identity<T>) {
    std::vector<double> out;
    for (const T each : array.data<T>()) out.push_back(static_cast<double>(each));
    return out;
  });
}

Array as_f64(const Array& array, bool magnitudes) {
  std::vector<double> out = numbers(array);
  for (double& each : out) each = magnitudes ? std::abs(each) : each;
  return Array::from(std::span<const double>(out), array.shape());
}

// What one rounding may change 1 by.
double rounding_of(DType dtype) {
  switch (dtype) {
    case DType::f16:
      return std::ldexp(1.0, -11);
    case DType::bf16:
      return std::ldexp(1.0, -8);
    case DType::f32:
      return std::ldexp(1.0, -24);
    default:
      return std::ldexp(1.0, -53);
  }
}

// `kinds`: by rank.
std::vector<std::vector<Array>> interpreted(const RecordedSweep& sweep, DType dtype,
                                            const std::vector<std::vector<Array>>& operands,
                                            std::vector<std::vector<Kind>>& kinds) {
  const auto ranks = static_cast<int>(operands.size());
  std::vector<ir::Graph> graphs;
  kinds.assign(operands.size(), {});
  for (int rank = 0; rank < ranks; ++rank) {
    const std::vector<Array>& own = operands[static_cast<std::size_t>(rank)];
    const RecordedOperands shapes{.table = abstract(own[0].shape(), dtype),
                                  .uneven = abstract(own[1].shape(), dtype)};
    const RecordedProgram program{.group = sweep_group(sweep.form, rank, ranks),
                                  .computes = sweep.computes,
                                  .kinds = &kinds[static_cast<std::size_t>(rank)]};
    const Lowered lowered = compile(program).lower({.world = ranks, .rank = rank}, shapes);
    graphs.push_back(ir::parse(lowered.ir()).functions.at(0));
  }
  std::vector<const ir::Graph*> programs;
  for (const ir::Graph& graph : graphs) programs.push_back(&graph);
  return ir::interpret(programs, operands);
}

void fail(const RecordedSweep& sweep, int run, std::size_t result, const std::string& how) {
  throw std::runtime_error(std::string(name_of(sweep.form)) + " " +
                           std::string(name_of(sweep.dtype)) +
                           (sweep.computes ? ", with kernels" : "") + ", run " +
                           std::to_string(run) + ", result " + std::to_string(result) + ": " + how);
}

void compare(const RecordedSweep& sweep, int run, std::size_t number, const Array& actual,
             const RecordedExpectation& expected) {
  const auto say = [&](const std::string& difference) {
    std::ostringstream out;
    out << difference << ": " << from(actual) << " instead of " << from(expected.value);
    fail(sweep, run, number, out.str());
  };
  if (actual.shape() != expected.value.shape()) say("another shape");
  if (expected.kind == Kind::same_bits) {
    if (actual != expected.value) say("other bits");
    return;
  }
  const std::vector<double> own = numbers(actual);
  for (std::size_t i = 0; i < own.size(); ++i) {
    // (A NaN is not near.)
    if (!(std::abs(own[i] - expected.exact[i]) <= expected.bound[i])) {
      say("element " + std::to_string(i) + " is too far from " + std::to_string(expected.exact[i]));
    }
  }
}

// Whether all members hold the same bits.
bool is_alike(const Array& own, const Group& host) {
  const Tensor here = reshape(to(from(own), Device::cpu()), {-1});
  const std::vector<double> all = numbers(Tensor(all_gather(here, host)).array());
  const std::vector<double> mine = numbers(own);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i] != mine[i % mine.size()]) return false;
  }
  return true;
}

}  // namespace

std::vector<std::vector<RecordedExpectation>> expected_of(const RecordedSweep& sweep, int ranks) {
  std::vector<std::vector<Array>> operands;
  std::vector<std::vector<Array>> exact;
  std::vector<std::vector<Array>> magnitudes;
  const bool floats = is_floating(sweep.dtype);
  for (int rank = 0; rank < ranks; ++rank) {
    const auto members = static_cast<int>(sweep_group(sweep.form, rank, ranks).size());
    operands.push_back(recorded_operands(sweep.dtype, members, rank));
    exact.emplace_back();
    magnitudes.emplace_back();
    for (const Array& operand : operands.back()) {
      if (!floats) continue;
      exact.back().push_back(as_f64(operand, false));
      magnitudes.back().push_back(as_f64(operand, true));
    }
  }
  std::vector<std::vector<Kind>> kinds;
  if (floats) {
    exact = interpreted(sweep, DType::f64, exact, kinds);
    magnitudes = interpreted(sweep, DType::f64, magnitudes, kinds);
  }
  const auto values = interpreted(sweep, sweep.dtype, operands, kinds);
  std::vector<std::vector<RecordedExpectation>> out;
  for (std::size_t rank = 0; rank < values.size(); ++rank) {
    std::vector<RecordedExpectation>& own = out.emplace_back();
    for (std::size_t i = 0; i < values[rank].size(); ++i) {
      own.push_back(
          {.kind = kinds[rank].at(i), .value = values[rank][i], .exact = {}, .bound = {}});
      if (!floats) continue;
      own[i].exact = numbers(exact[rank][i]);
      own[i].bound = numbers(magnitudes[rank][i]);
      // A gradient goes through two collectives.
      const double roundings = 2.0 * ranks;
      for (double& each : own[i].bound) each *= roundings * rounding_of(sweep.dtype);
    }
  }
  return out;
}

void run_recorded_sweep(World& world, const RecordedSweep& sweep, const Group& group, int runs,
                        const std::vector<RecordedExpectation>& expected, const AroundRun& around) {
  auto program = compile(RecordedProgram{.group = group, .computes = sweep.computes});
  const std::vector<Array> operands =
      recorded_operands(sweep.dtype, static_cast<int>(group.size()), world.rank());
  std::deque<RecordedOperands> kept;  // so that no address comes again soon
  std::vector<Array> results;
  for (int run = 0; run < runs; ++run) {
    kept.push_back({.table = from(operands[0]), .uneven = from(operands[1])});
    if (kept.size() > 5) kept.pop_front();
    eval(std::vector<Tensor>{kept.back().table, kept.back().uneven});
    std::vector<Tensor> got;
    around(run, [&] {
      got = program(kept.back());
      eval(got);
    });
    results.clear();
    for (const Tensor& each : got) results.push_back(each.array());
    if (results.size() != expected.size()) {
      fail(sweep, run, results.size(), "there are to be " + std::to_string(expected.size()));
    }
    for (std::size_t i = 0; i < results.size(); ++i) {
      compare(sweep, run, i, results[i], expected[i]);
    }
  }
  const Group host = group.with_backends("shm");
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (expected[i].kind == Kind::near_alike && !is_alike(results[i], host)) {
      fail(sweep, runs, i, "members differ");
    }
  }
}

}  // namespace tutti::test
