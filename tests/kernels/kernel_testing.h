#pragma once

#include <tutti/ir/builder.h>
#include <tutti/ir/interpret/interpret.h>

#include <cstring>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace tutti::kernels::kernel_testing {

using ir::Array;

#define TUTTI_ONE(name, text, type) DType::name,
inline constexpr DType kAllDTypes[] = {TUTTI_DTYPES(TUTTI_ONE)};
#undef TUTTI_ONE

inline std::vector<DType> dtypes_where(bool (*holds)(DType)) {
  std::vector<DType> found;
  for (const DType dtype : kAllDTypes) {
    if (holds(dtype)) found.push_back(dtype);
  }
  return found;
}
inline std::vector<DType> integer_dtypes() {
  return dtypes_where([](DType dtype) { return is_integer(dtype); });
}
inline std::vector<DType> floating_dtypes() {
  return dtypes_where([](DType dtype) { return is_floating(dtype); });
}
inline std::vector<DType> number_dtypes() {
  return dtypes_where([](DType dtype) { return dtype != DType::boolean; });
}

// Elements with all bits random for integers, of a normal distribution for floats.
inline Array random_array(DType dtype, const Shape& shape, unsigned seed = 1) {
  std::mt19937_64 generator(seed);
  std::normal_distribution<float> normal;
  Array out(dtype, shape);
  visit_dtype(dtype, [&]<class T>(std::type_identity<T>) {
    for (T& element : out.data<T>()) {
      if constexpr (is_floating(dtype_of<T>)) {
        element = T(normal(generator));
      } else if constexpr (std::is_same_v<T, bool>) {
        element = (generator() & 1U) != 0;
      } else {
        element = static_cast<T>(generator());
      }
    }
  });
  return out;
}

// Integers of [least, most], as far as the dtype holds them.
inline Array random_integers(DType dtype, const Shape& shape, std::int64_t least, std::int64_t most,
                             unsigned seed = 1) {
  std::mt19937_64 generator(seed);
  if (!is_signed_integer(dtype)) least = std::max<std::int64_t>(least, 0);
  std::uniform_int_distribution<std::int64_t> uniform(least, most);
  Array out(dtype, shape);
  visit_dtype(dtype, [&]<class T>(std::type_identity<T>) {
    if constexpr (std::is_integral_v<T>) {
      for (T& element : out.data<T>()) element = static_cast<T>(uniform(generator));
    }
  });
  return out;
}

// What the interpreter makes of one op.
inline Array meaning(ir::Op op, const std::vector<Array>& operands,
                     std::vector<ir::Attribute> attributes) {
  ir::Graph graph;
  std::vector<ir::Value> values;
  for (const Array& operand : operands) {
    values.push_back(graph.add_parameter("x" + std::to_string(values.size()),
                                         {operand.dtype(), operand.shape()}));
  }
  ir::Builder builder(graph);
  graph.set_results({builder.add(op, values, std::move(attributes))});
  return ir::interpret(graph, operands)[0];
}

// Fills `bytes` bytes by calling run(result, begin, end) for the tiles of `spec`: all at once, one
// by one from the last to the first, and by four threads. Expects the same bytes each time.
template <class Spec, class Run>
std::vector<std::byte> run_every_way(const Spec& spec, std::int64_t bytes, Run&& run) {
  const std::int64_t count = tiles(spec);
  const auto fresh = [&](unsigned char garbage) {
    return std::vector<std::byte>(static_cast<std::size_t>(bytes), std::byte{garbage});
  };
  std::vector<std::byte> together = fresh(0xA5);
  run(together.data(), 0, count);

  std::vector<std::byte> backwards = fresh(0x5A);
  for (std::int64_t tile = count; tile-- > 0;) run(backwards.data(), tile, tile + 1);
  EXPECT_EQ(together, backwards) << "tile by tile";

  std::vector<std::byte> threaded = fresh(0x33);
  std::vector<std::thread> threads;
  constexpr std::int64_t kThreads = 4;
  for (std::int64_t thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      for (std::int64_t tile = thread; tile < count; tile += kThreads) {
        run(threaded.data(), tile, tile + 1);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(together, threaded) << "by several threads";
  return together;
}

// The same for a kernel whose result is to be an array; compares it with what it should be.
template <class Spec, class Run>
void expect_result(const Spec& spec, const Array& expected, Run&& run, const std::string& what) {
  const auto bytes = static_cast<std::int64_t>(expected.bytes().size());
  const std::vector<std::byte> result = run_every_way(spec, bytes, run);
  EXPECT_TRUE(std::equal(result.begin(), result.end(), expected.bytes().begin())) << what;
}

}  // namespace tutti::kernels::kernel_testing
