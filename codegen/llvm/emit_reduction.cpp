#include <tutti/codegen/llvm/emit_reduction.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace tutti::codegen::native {

using llvm::Value;

std::int64_t ReductionEmitter::vectors_in_run(const Segment& segment) const {
  if (along_outer() || segment.reductions.empty()) return 1;
  for (const Reduction& reduction : segment.reductions) {
    if (combination(reduction).order_matters()) return 1;
  }
  const std::int64_t vectors = segment.body.size() <= 4 ? 4 : segment.body.size() <= 12 ? 2 : 1;
  return kernel_.inner.back() >= 2 * vectors * kLanes ? vectors : 1;
}

std::int64_t ReductionEmitter::partial_count(const Segment& segment, const Reduction& reduction,
                                             const Strip& strip) const {
  if (!along_outer()) return vectors_in_run(segment);
  return reduces_vectors(reduction) ? strip.vectors : 1;
}

ReductionEmitter::Values ReductionEmitter::start(const Segment& segment, const Strip& strip) {
  Values partial;
  for (const Reduction& reduction : segment.reductions) {
    for (std::int64_t i = 0; i < partial_count(segment, reduction, strip); ++i) {
      for (llvm::Constant* value : combination(reduction).start()) {
        partial.push_back(reduces_vectors(reduction) ? body_.splat(value) : value);
      }
    }
  }
  return partial;
}

ReductionEmitter::Values ReductionEmitter::accumulate(const Segment& segment, const Strip& strip,
                                                      Values partial) {
  auto first = partial.begin();
  for (const Reduction& reduction : segment.reductions) {
    Combination combining = combination(reduction);
    const auto size = static_cast<std::ptrdiff_t>(combining.size());
    const std::int64_t count = partial_count(segment, reduction, strip);
    const bool vectors = reduces_vectors(reduction);
    // Along outer axes lanes that are outside hold nothing that is stored.
    Value* mask = along_outer() ? nullptr : strip.mask;
    for (std::int64_t i = 0; i < (vectors ? strip.vectors : 1); ++i) {
      Value* value = vectors ? body_.vector(reduction.value, i) : body_.scalar(reduction.value);
      const auto state = first + i % count * size;
      const auto next = combining.add({state, state + size}, value, mask);
      std::copy(next.begin(), next.end(), state);
    }
    first += count * size;
  }
  return partial;
}

ReductionEmitter::Values ReductionEmitter::join(const Segment& segment, const Strip& strip,
                                                const Values& a, const Values& b) {
  Values out;
  std::ptrdiff_t at = 0;
  for (const Reduction& reduction : segment.reductions) {
    Combination combining = combination(reduction);
    const auto size = static_cast<std::ptrdiff_t>(combining.size());
    for (std::int64_t i = 0; i < partial_count(segment, reduction, strip); ++i, at += size) {
      const Combination::State own(a.begin() + at, a.begin() + at + size);
      const Combination::State other(b.begin() + at, b.begin() + at + size);
      for (Value* value : combining.join(own, other)) out.push_back(value);
    }
  }
  return out;
}

void ReductionEmitter::finish(const Segment& segment, const Strip& strip, const Values& partial) {
  auto next = partial.begin();
  for (const Reduction& reduction : segment.reductions) {
    Combination combining = combination(reduction);
    std::vector<Combination::State> states;
    for (std::int64_t i = 0; i < partial_count(segment, reduction, strip); ++i) {
      states.emplace_back(next, next + static_cast<std::ptrdiff_t>(combining.size()));
      next += static_cast<std::ptrdiff_t>(combining.size());
    }
    Values results;
    if (along_outer()) {
      for (const auto& state : states) results.push_back(combining.result(state));
    } else {
      for (std::size_t i = 1; i < states.size(); ++i) {
        states[0] = combining.join(states[0], states[i]);
      }
      results.push_back(join_lanes(combining, states[0]));
    }
    body_.define(reduction.result, std::move(results));
  }
}

// As a tree: lane i with lane i + 8, and so on.
Value* ReductionEmitter::join_lanes(Combination& combining, Combination::State lanes) {
  for (int half = kLanes / 2; half > 0; half /= 2) {
    std::vector<int> low(static_cast<std::size_t>(half));
    std::iota(low.begin(), low.end(), 0);
    std::vector<int> high(static_cast<std::size_t>(half));
    std::iota(high.begin(), high.end(), half);
    Combination::State lower;
    Combination::State upper;
    for (Value* value : lanes) {
      lower.push_back(ir_.CreateShuffleVector(value, low));
      upper.push_back(ir_.CreateShuffleVector(value, high));
    }
    lanes = combining.join(lower, upper);
  }
  for (Value*& value : lanes) value = ir_.CreateExtractElement(value, std::uint64_t{0});
  return combining.result(lanes);
}

}  // namespace tutti::codegen::native
