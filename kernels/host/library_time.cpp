#include <tutti/kernels/host/library_time.h>
#include <tutti/kernels/host/matmul_product.h>

#if TUTTI_HAS_ONEDNN

#include <tutti/kernels/host/onednn.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>
#include <mutex>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tutti::kernels {

namespace {

using Clock = std::chrono::steady_clock;
using Sizes = dnnl::memory::dims;

constexpr double kMeasuredWork = 4e9;  // floating-point operations of what is measured
constexpr int kMostCalls = 20;         // of which the fastest counts
constexpr int kLeastCalls = 3;
constexpr std::chrono::milliseconds kMostTime(15);

// Makes a dimension smaller while there is too much work; gives by how much.
double reduced(std::int64_t& size, double& work) {
  const auto whole = static_cast<double>(size);
  const double kept = std::clamp(std::floor(whole * kMeasuredWork / work), 1.0, whole);
  size = static_cast<std::int64_t>(kept);
  work *= kept / whole;
  return whole / kept;
}

// A dense operand; along the batch's dimensions in which all matrices share it there is one.
dnnl::memory::desc operand(const Matmul& spec, const std::vector<std::int64_t>& batch_strides,
                           std::int64_t rows, std::int64_t columns, bool transposed) {
  Sizes sizes;
  for (std::size_t d = 0; d < spec.batch.size(); ++d) {
    sizes.push_back(batch_strides[d] == 0 ? 1 : spec.batch[d]);
  }
  sizes.push_back(rows);
  sizes.push_back(columns);
  Sizes strides(sizes.size());
  std::int64_t matrix = rows * columns;
  for (std::size_t d = spec.batch.size(); d-- > 0;) {
    strides[d] = matrix;
    matrix *= sizes[d];
  }
  strides[sizes.size() - 2] = transposed ? 1 : columns;
  strides[sizes.size() - 1] = transposed ? rows : 1;
  using Type = dnnl::memory::data_type;
  return {sizes, spec.dtype == DType::bf16 ? Type::bf16 : Type::f32, strides};
}

dnnl::memory zeros(const dnnl::memory::desc& form) {
  dnnl::memory made(form, onednn_engine());
  std::fill_n(static_cast<char*>(made.get_data_handle()), form.get_size(), '\0');
  return made;
}

double measure(Matmul spec, int threads) {
  double work =
      2 * static_cast<double>(spec.m) * static_cast<double>(spec.n) * static_cast<double>(spec.k);
  for (const std::int64_t size : spec.batch) work *= static_cast<double>(size);
  double factor = 1;
  for (std::int64_t& size : spec.batch) factor *= reduced(size, work);
  factor *= reduced(spec.m, work);

  const OpenMpThreads as_given(threads);
  dnnl::primitive_attr attributes;
  attributes.set_fpmath_mode(dnnl::fpmath_mode::strict);
  const dnnl::memory::desc a = operand(spec, spec.a_batch_strides, spec.m, spec.k,
                                       spec.a_row_stride == 1 && spec.a_column_stride != 1);
  const dnnl::memory::desc b = operand(spec, spec.b_batch_strides, spec.k, spec.n,
                                       spec.b_row_stride == 1 && spec.b_column_stride != 1);
  const std::vector<std::int64_t> own(spec.batch.size(), 1);
  const dnnl::memory::desc c = operand(spec, own, spec.m, spec.n, false);
#if DNNL_VERSION_MAJOR < 3
  const dnnl::matmul::primitive_desc description({a, b, c}, attributes, onednn_engine());
#else
  const dnnl::matmul::primitive_desc description(onednn_engine(), a, b, c, attributes);
#endif
  dnnl::stream stream(onednn_engine());
  const dnnl::matmul multiply(description);
  const std::unordered_map<int, dnnl::memory> arguments = {
      {DNNL_ARG_SRC, zeros(a)}, {DNNL_ARG_WEIGHTS, zeros(b)}, {DNNL_ARG_DST, zeros(c)}};
  double least = std::numeric_limits<double>::infinity();
  const Clock::time_point end = Clock::now() + kMostTime;
  for (int i = 0; i < kMostCalls && (i < kLeastCalls || Clock::now() < end); ++i) {
    const Clock::time_point begin = Clock::now();
    multiply.execute(stream, arguments);
    stream.wait();
    least = std::min(least, std::chrono::duration<double>(Clock::now() - begin).count());
  }
  return least * factor;
}

}  // namespace

double library_seconds(const Matmul& spec, int threads) {
  const bool empty = spec.m == 0 || spec.n == 0 || spec.k == 0 ||
                     std::ranges::any_of(spec.batch, [](std::int64_t size) { return size == 0; });
  if (empty || spec.a_narrow || spec.b_narrow || !library_multiplies(spec.dtype)) return 0;
  static std::mutex mutex;
  static std::map<std::tuple<int, Matmul>, double> measured;  // ranks of one process share it
  const std::scoped_lock lock(mutex);
  const auto [found, is_new] = measured.try_emplace({threads, spec}, 0);
  if (is_new) {
    try {
      found->second = measure(spec, threads);
    } catch (const dnnl::error&) {  // more dimensions than it takes
    }
  }
  return found->second;
}

}  // namespace tutti::kernels

#else

namespace tutti::kernels {

double library_seconds(const Matmul&, int) { return 0; }

}  // namespace tutti::kernels

#endif
