#include "tests/support/random/control_facts.h"

#include <tutti/ir/function.h>
#include <tutti/ir/op.h>

#include <algorithm>
#include <array>
#include <utility>

namespace tutti::test {

namespace {

using ir::Op;

constexpr std::int64_t kEndlessSteps = 100;

Array place_of(const Array& array, std::int64_t i) {
  const Shape& shape = array.shape();
  std::vector<std::int64_t> sizes(shape.begin() + 1, shape.end());
  Array out(array.dtype(), Shape(sizes));
  const auto from = array.bytes().begin() + i * std::ssize(out.bytes());
  std::copy_n(from, out.bytes().size(), out.bytes().begin());
  return out;
}

// Applies f to the arrays of each rank, those with other roundings too where any has them.
template <class F>
Facts each_rank(std::span<const Facts* const> parts, std::size_t ranks, F&& f) {
  Facts out;
  const bool rounded =
      std::ranges::any_of(parts, [](const Facts* p) { return !p->otherwise.empty(); });
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    std::vector<const Array*> values;
    std::vector<const Array*> otherwise;
    for (const Facts* const part : parts) {
      values.push_back(&part->values[rank]);
      otherwise.push_back(part->otherwise.empty() ? values.back() : &part->otherwise[rank]);
    }
    out.values.push_back(f(values, rank));
    if (rounded) out.otherwise.push_back(f(otherwise, rank));
  }
  for (const Facts* const part : parts) {
    if (out.misfit.empty()) out.misfit = part->misfit;
  }
  return out;
}

// What the steps of a loop gave, along a new first axis.
Facts stacked(const std::vector<Facts>& steps, const ir::Type& type, std::size_t ranks) {
  std::vector<std::int64_t> sizes = {std::ssize(steps)};
  sizes.insert(sizes.end(), type.shape.begin(), type.shape.end());
  std::vector<const Facts*> parts;
  for (const Facts& step : steps) parts.push_back(&step);
  return each_rank(parts, ranks, [&](const std::vector<const Array*>& arrays, std::size_t) {
    Array out(type.dtype, Shape(sizes));
    auto to = out.bytes().begin();
    for (const Array* const array : arrays) to = std::ranges::copy(array->bytes(), to).out;
    return out;
  });
}

// For each rank that of the facts which it chose.
Facts by_choice(std::span<const Facts* const> all, std::span<const std::size_t> choice) {
  return each_rank(all, choice.size(),
                   [&](const std::vector<const Array*>& arrays, std::size_t rank) {
                     return *arrays[choice[rank]];
                   });
}

std::vector<Facts> facts_of_function(const ir::Function& function,
                                     const std::vector<const Facts*>& arguments,
                                     std::size_t ranks) {
  const ir::Graph& graph = function.graph();
  std::vector<Facts> all;
  for (const Facts* const argument : arguments) all.push_back(*argument);
  append_facts(graph, static_cast<ir::NodeId>(arguments.size()), all, ranks);
  std::vector<Facts> out;
  for (const ir::Value result : graph.results()) out.push_back(all[result.id]);
  return out;
}

std::vector<const Facts*> pointers(const std::vector<Facts>& facts) {
  std::vector<const Facts*> out;
  for (const Facts& each : facts) out.push_back(&each);
  return out;
}

std::vector<Facts> facts_of_scan(const ir::Attributes& attributes,
                                 std::span<const Facts* const> operands, std::size_t ranks) {
  const ir::Function& body = attributes.function("body");
  const auto carries = static_cast<std::size_t>(attributes.integer("carries"));
  const auto sequences = static_cast<std::size_t>(attributes.integer("sequences"));
  const std::int64_t length = attributes.integer("length");
  const std::size_t results = body.graph().results().size();
  std::vector<Facts> state;
  for (std::size_t i = 0; i < carries; ++i) state.push_back(*operands[i]);
  std::vector<std::vector<Facts>> given(results - carries,
                                        std::vector<Facts>(static_cast<std::size_t>(length)));
  for (std::int64_t step = 0; step < length; ++step) {
    const std::int64_t at = attributes.flag("reverse") ? length - 1 - step : step;
    std::vector<Facts> places;
    for (std::size_t i = carries; i < carries + sequences; ++i) {
      places.push_back(place_of(*operands[i], at));
    }
    std::vector<const Facts*> arguments = pointers(state);
    for (const Facts& place : places) arguments.push_back(&place);
    arguments.insert(arguments.end(), operands.begin() + std::ssize(arguments), operands.end());
    std::vector<Facts> next = facts_of_function(body, arguments, ranks);
    for (std::size_t i = carries; i < results; ++i) {
      given[i - carries][static_cast<std::size_t>(at)] = std::move(next[i]);
    }
    next.resize(carries);
    state = std::move(next);
  }
  for (std::size_t i = carries; i < results; ++i) {
    const ir::Type& type = body.graph().type(body.graph().results()[i]);
    Facts facts = stacked(given[i - carries], type, ranks);
    state.push_back(std::move(facts));
  }
  return state;
}

std::vector<Facts> facts_of_while(const ir::Attributes& attributes,
                                  std::span<const Facts* const> operands, std::size_t ranks) {
  const auto carries = static_cast<std::size_t>(attributes.integer("carries"));
  std::vector<Facts> state;
  for (std::size_t i = 0; i < carries; ++i) state.push_back(*operands[i]);
  const auto arguments = [&] {
    std::vector<const Facts*> out = pointers(state);
    out.insert(out.end(), operands.begin() + static_cast<std::ptrdiff_t>(carries), operands.end());
    return out;
  };
  for (std::int64_t step = 0;; ++step) {
    const Facts goes_on =
        facts_of_function(attributes.function("condition"), arguments(), ranks)[0];
    std::vector<std::size_t> choice;
    for (const Array& array : goes_on.values) choice.push_back(array.at(0) != 0 ? 1 : 0);
    std::string misfit = goes_on.misfit;
    if (misfit.empty() && step == kEndlessSteps) misfit = "too many steps";
    if (!misfit.empty()) {
      for (Facts& facts : state) facts.misfit = misfit;
      return state;
    }
    if (std::ranges::count(choice, 1U) == 0) return state;
    const std::vector<Facts> next =
        facts_of_function(attributes.function("body"), arguments(), ranks);
    for (std::size_t i = 0; i < carries; ++i) {
      const std::array<const Facts*, 2> both = {&state[i], &next[i]};
      state[i] = by_choice(both, choice);
    }
  }
}

std::vector<Facts> facts_of_branches(const ir::Attributes& attributes,
                                     std::span<const Facts* const> operands, std::size_t ranks) {
  const auto& branches = attributes.functions("branches");
  const std::vector<const Facts*> arguments(operands.begin() + 1, operands.end());
  std::vector<std::vector<Facts>> given;
  for (const ir::FunctionPtr& branch : branches) {
    given.push_back(facts_of_function(*branch, arguments, ranks));
  }
  std::vector<std::size_t> choice;
  for (const Array& array : operands[0]->values) {
    const double index = array.at(0);
    const bool exists = index >= 0 && index < static_cast<double>(branches.size());
    choice.push_back(exists ? static_cast<std::size_t>(index) : branches.size() - 1);
  }
  std::vector<Facts> out;
  for (std::size_t i = 0; i < given[0].size(); ++i) {
    std::vector<const Facts*> all;
    for (const std::vector<Facts>& branch : given) all.push_back(&branch[i]);
    out.push_back(by_choice(all, choice));
    if (!operands[0]->misfit.empty()) out.back().misfit = operands[0]->misfit;
  }
  return out;
}

}  // namespace

Facts place_of(const Facts& facts, std::int64_t i) {
  const std::array<const Facts*, 1> one = {&facts};
  return each_rank(one, facts.values.size(),
                   [&](const std::vector<const Array*>& arrays, std::size_t) {
                     return place_of(*arrays[0], i);
                   });
}

std::vector<Facts> facts_of_control(Op op, std::span<const ir::Attribute> attributes,
                                    std::span<const Facts* const> operands, std::size_t ranks) {
  const ir::Attributes named(ir::definition(op).attributes, attributes);
  if (op == Op::scan) return facts_of_scan(named, operands, ranks);
  if (op == Op::while_loop) return facts_of_while(named, operands, ranks);
  return facts_of_branches(named, operands, ranks);
}

}  // namespace tutti::test
