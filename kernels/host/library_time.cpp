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

constexpr double kMeasuredWork = 4e9;      // floating-point operations of what is measured
constexpr double kMeasuredElements = 5e7;  // of its operands and result together
constexpr int kMostCalls = 20;             // of which the fastest counts
constexpr int kLeastCalls = 3;
constexpr std::chrono::milliseconds kMostTime(15);

// Makes a dimension smaller while there is more than `most`; gives by how much.
double reduced(std::int64_t& size, double& amount, double most) {
  const auto whole = static_cast<double>(size);
  const double kept = std::clamp(std::floor(whole * most / amount), 1.0, whole);
  size = static_cast<std::int64_t>(kept);
  amount *= kept / whole;
  return whole / kept;
}

// Makes a product smaller, its batch first; gives by how much. Few rows by a large matrix are
// little work, and have to be held all the same.
double reduced(Matmul& spec) {
  const auto m = static_cast<double>(spec.m);
  const auto n = static_cast<double>(spec.n);
  const auto k = static_cast<double>(spec.k);
  double work = 2 * m * n * k;
  double elements = m * k + k * n + m * n;
  for (const std::int64_t size : spec.batch) {
    work *= static_cast<double>(size);
    elements *= static_cast<double>(size);
  }
  double factor = 1;
  const auto reduce = [&](std::int64_t& size) {
    const double by = reduced(size, work, kMeasuredWork);
    elements /= by;
    const double by_elements = reduced(size, elements, kMeasuredElements);
    work /= by_elements;
    factor *= by * by_elements;
  };
  for (std::int64_t& size : spec.batch) reduce(size);
  const bool is_wide = spec.m < spec.n;
  reduce(is_wide ? spec.n : spec.m);
  reduce(is_wide ? spec.m : spec.n);
  reduce(spec.k);
  return factor;
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
  const double factor = reduced(spec);

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
