#pragma once

#include <tutti/lazy/context.h>
#include <tutti/tutti.h>

// The small function that the measurements of tracing and calling share, tests/counts among them.
namespace tutti::bench {

// The types and the number of the elements it works on.
inline ir::Type small_type() { return {.dtype = DType::f32, .shape = {16}}; }
inline constexpr int kOpsOfRound = 3;

// Three ops a round, two of them with a number.
inline Tensor small_function(Tensor a, int rounds) {
  for (int i = 0; i < rounds; ++i) a = tanh(a) * 1.01F + 0.1F;
  return a;
}

// Traces it as compile() does, and drops the trace.
inline void trace_small_function(int rounds) {
  detail::RankContext& context = detail::RankContext::current();
  detail::Trace trace(detail::Trace::Kind::compiled, context.id(), context.mesh(),
                      context.default_device());
  context.push_trace(&trace);
  small_function(Tensor(trace.handle(trace.add_formal("a", small_type(), {}), {})), rounds);
  context.pop_trace();
}

}  // namespace tutti::bench
