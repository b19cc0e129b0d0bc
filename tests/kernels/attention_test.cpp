#include <tutti/ir/support/error.h>
#include <tutti/kernels/host/attention.h>

#include <cmath>
#include <limits>

#include "tests/kernels/kernel_testing.h"

namespace tutti::kernels::attention_test {
namespace {

using kernel_testing::Array;

// An operand of [batch, heads, rows, columns] in one of several layouts.
struct Operand {
  Array elements;
  StridedView view;
};

enum class Layout { dense, rows_apart, heads_inside, columns_apart };

Operand make_operand(DType dtype, Layout layout, std::int64_t batch, std::int64_t heads,
                     std::int64_t rows, std::int64_t columns, unsigned seed) {
  Operand out;
  out.view.shape = {batch, heads, rows, columns};
  const Shape in_memory = layout == Layout::rows_apart      ? Shape{batch, heads, rows, columns + 3}
                          : layout == Layout::heads_inside  ? Shape{batch, rows, heads, columns}
                          : layout == Layout::columns_apart ? Shape{batch, heads, columns, rows}
                                                            : out.view.shape;
  out.elements = kernel_testing::random_array(dtype, in_memory, seed);
  const auto strides = in_memory.strides();
  std::copy_n(strides.begin(), 4, out.view.strides.begin());
  if (layout == Layout::rows_apart) out.view.offset = 2;
  if (layout == Layout::heads_inside) std::swap(out.view.strides[1], out.view.strides[2]);
  if (layout == Layout::columns_apart) std::swap(out.view.strides[2], out.view.strides[3]);
  return out;
}

// The elements in double precision, row-major.
std::vector<double> values_of(const Operand& operand) {
  std::vector<double> out;
  for_each_index(operand.view.shape, [&](std::span<const std::int64_t> index) {
    std::int64_t at = operand.view.offset;
    for (std::size_t d = 0; d < index.size(); ++d) at += index[d] * operand.view.strides[d];
    out.push_back(operand.elements.at(at));
  });
  return out;
}

enum class Mask { none, random, of_keys };

struct Case {
  std::int64_t t, s, d, e;
  bool causal = false;
  Mask mask = Mask::none;
  Layout layout = Layout::dense;
  std::int64_t batch = 2;
  std::int64_t heads = 1;
};

// Everything a call needs, and what it should give.
class Check {
 public:
  Check(DType dtype, const Case& c)
      : dtype_(dtype),
        case_(c),
        q_(make_operand(dtype, c.layout, c.batch, c.heads, c.t, c.d, 1)),
        k_(make_operand(dtype, c.layout, c.batch, c.heads, c.s, c.d, 2)),
        v_(make_operand(dtype, c.layout, c.batch, c.heads, c.s, c.e, 3)),
        g_(make_operand(dtype, c.layout, c.batch, c.heads, c.t, c.e, 4)) {
    spec_ = {.dtype = dtype,
             .q = q_.view,
             .k = k_.view,
             .v = v_.view,
             .mask = {},
             .causal = c.causal,
             .scale = 0.4};
    if (c.mask == Mask::none) return;
    mask_ = make_operand(DType::boolean, Layout::dense, c.batch, c.heads, c.t, c.s, 5);
    if (c.mask == Mask::of_keys) {
      mask_.view.strides[0] = mask_.view.strides[1] = mask_.view.strides[2] = 0;
    }
    spec_.mask = mask_.view;
  }

  void forward() const {
    const std::int64_t bytes = case_.batch * case_.heads * case_.t * case_.e * size_of(dtype_);
    const auto result = kernel_testing::run_every_way(
        spec_, bytes, [&](void* to, std::int64_t begin, std::int64_t end) {
          run(spec_, data(q_), data(k_), data(v_), mask(), to, begin, end);
        });
    compare(result, reference().result, "result");
  }

  void gradient() const {
    const AttentionGradient spec{.forward = spec_, .cotangent = g_.view};
    const std::int64_t matrices = case_.batch * case_.heads;
    const std::int64_t q_bytes = matrices * case_.t * case_.d * size_of(dtype_);
    const std::int64_t k_bytes = matrices * case_.s * case_.d * size_of(dtype_);
    const std::int64_t v_bytes = matrices * case_.s * case_.e * size_of(dtype_);
    const auto result = kernel_testing::run_every_way(
        spec, q_bytes + k_bytes + v_bytes, [&](void* to, std::int64_t begin, std::int64_t end) {
          auto* const dq = static_cast<std::byte*>(to);
          run(spec, data(q_), data(k_), data(v_), mask(), data(g_), dq, dq + q_bytes,
              dq + q_bytes + k_bytes, begin, end);
        });
    compare(result, reference().cotangents, "cotangents");
  }

 private:
  struct Reference {
    std::vector<double> result;
    std::vector<double> cotangents;  // of q, k and v, one after another
  };

  static const void* data(const Operand& operand) { return operand.elements.bytes().data(); }
  const bool* mask() const { return spec_.mask ? static_cast<const bool*>(data(mask_)) : nullptr; }

  Reference reference() const {
    const auto [t, s, d, e] = std::array{case_.t, case_.s, case_.d, case_.e};
    const std::int64_t matrices = case_.batch * case_.heads;
    const auto q = values_of(q_);
    const auto k = values_of(k_);
    const auto v = values_of(v_);
    const auto g = values_of(g_);
    const auto mask = spec_.mask ? values_of(mask_) : std::vector<double>();
    Reference out;
    out.result.resize(static_cast<std::size_t>(matrices * t * e));
    out.cotangents.resize(static_cast<std::size_t>(matrices * (t * d + s * d + s * e)));
    double* const dq = out.cotangents.data();
    double* const dk = dq + matrices * t * d;
    double* const dv = dk + matrices * s * d;
    const auto at = [](const std::vector<double>& x, std::int64_t i) {
      return x[static_cast<std::size_t>(i)];
    };
    for (std::int64_t row = 0; row < matrices * t; ++row) {
      const std::int64_t keys = row / t * s;
      std::vector<double> p(static_cast<std::size_t>(s));
      std::vector<double> h(static_cast<std::size_t>(s));
      double total = 0;
      for (std::int64_t j = 0; j < s; ++j) {
        const bool hidden =
            (case_.causal && j > row % t) || (spec_.mask && at(mask, row * s + j) == 0);
        double score = 0;
        for (std::int64_t l = 0; l < d; ++l)
          score += at(q, row * d + l) * at(k, (keys + j) * d + l);
        double& weight = p[static_cast<std::size_t>(j)];
        weight = hidden ? 0 : std::exp(score * spec_.scale);
        total += weight;
        for (std::int64_t l = 0; l < e; ++l) {
          h[static_cast<std::size_t>(j)] += at(g, row * e + l) * at(v, (keys + j) * e + l);
        }
      }
      double mean = 0;
      for (std::size_t j = 0; j < p.size(); ++j) {
        if (total > 0) p[j] /= total;
        mean += p[j] * h[j];
      }
      for (std::int64_t j = 0; j < s; ++j) {
        const double weight = p[static_cast<std::size_t>(j)];
        const double of_score = weight * (h[static_cast<std::size_t>(j)] - mean) * spec_.scale;
        for (std::int64_t l = 0; l < d; ++l) {
          dq[row * d + l] += of_score * at(k, (keys + j) * d + l);
          dk[(keys + j) * d + l] += of_score * at(q, row * d + l);
        }
        for (std::int64_t l = 0; l < e; ++l) {
          out.result[static_cast<std::size_t>(row * e + l)] += weight * at(v, (keys + j) * e + l);
          dv[(keys + j) * e + l] += weight * at(g, row * e + l);
        }
      }
    }
    return out;
  }

  void compare(const std::vector<std::byte>& actual, const std::vector<double>& expected,
               const char* what) const {
    double largest = 0;
    for (const double value : expected) largest = std::max(largest, std::abs(value));
    const double own = dtype_ == DType::f64 ? 1e-13 : 1e-5;  // of what is computed in
    const double rounding =
        is_narrow_floating(dtype_) ? std::ldexp(1, -1 - mantissa_bits(dtype_)) : 0;
    const double least = dtype_ == DType::f16         ? 0x1p-24
                         : dtype_ == DType::f8_e5m2   ? 0x1p-16
                         : dtype_ == DType::f8_e4m3fn ? 0x1p-9
                                                      : 0;
    int failures = 0;
    visit_dtype(dtype_, [&]<class T>(std::type_identity<T>) {
      const auto* elements = reinterpret_cast<const T*>(actual.data());
      for (std::size_t i = 0; i < expected.size(); ++i) {
        const double error = std::abs(static_cast<double>(elements[i]) - expected[i]);
        failures += !(error <= own * largest + rounding * std::abs(expected[i]) + least);
      }
    });
    EXPECT_EQ(failures, 0) << "of the " << expected.size() << " " << what;
  }

  DType dtype_;
  Case case_;
  Operand q_, k_, v_, g_, mask_;
  Attention spec_;
};

const std::vector<Case>& cases() {
  static const std::vector<Case> all = {
      {.t = 1, .s = 1, .d = 1, .e = 1},
      {.t = 5, .s = 7, .d = 4, .e = 3},
      {.t = 5, .s = 7, .d = 4, .e = 3, .causal = true, .mask = Mask::random},
      {.t = 7, .s = 5, .d = 4, .e = 3, .causal = true},
      {.t = 64, .s = 64, .d = 16, .e = 16, .causal = true},
      {.t = 65, .s = 33, .d = 17, .e = 5, .mask = Mask::of_keys, .layout = Layout::rows_apart},
      {.t = 130,
       .s = 70,
       .d = 8,
       .e = 9,
       .causal = true,
       .mask = Mask::random,
       .layout = Layout::heads_inside,
       .batch = 2,
       .heads = 3},
      {.t = 70, .s = 600, .d = 8, .e = 4, .mask = Mask::random, .layout = Layout::columns_apart},
      // Several blocks of keys, the last one of one key; blocks that nothing is seen of.
      {.t = 20, .s = 1025, .d = 5, .e = 6, .batch = 1},
      {.t = 600, .s = 600, .d = 4, .e = 3, .causal = true, .batch = 1},
      // More keys than queries at once have room for.
      {.t = 70, .s = 9000, .d = 2, .e = 2, .batch = 1},
  };
  return all;
}

TEST(Attention, IsASoftmaxOverWhatAQuerySees) {
  for (const DType dtype : kernel_testing::floating_dtypes()) {
    for (std::size_t i = 0; i < cases().size(); ++i) {
      SCOPED_TRACE(std::string(name_of(dtype)) + ", case " + std::to_string(i));
      Check(dtype, cases()[i]).forward();
    }
  }
}

TEST(Attention, HasTheGradientOfThatSoftmax) {
  for (const DType dtype : kernel_testing::floating_dtypes()) {
    for (std::size_t i = 0; i < cases().size(); ++i) {
      SCOPED_TRACE(std::string(name_of(dtype)) + ", case " + std::to_string(i));
      Check(dtype, cases()[i]).gradient();
    }
  }
}

// One matrix of [rows, 1] for each operand, and what attention makes of it.
std::vector<float> attend(const std::vector<float>& q, const std::vector<float>& k,
                          const std::vector<float>& v, const std::vector<bool>& mask = {}) {
  const auto column = [](const std::vector<float>& x) {
    return dense_view({static_cast<std::int64_t>(x.size()), 1});
  };
  Attention spec{.dtype = DType::f32, .q = column(q), .k = column(k), .v = column(v), .mask = {}};
  const std::unique_ptr<bool[]> seen(new bool[mask.size() + 1]);
  std::copy(mask.begin(), mask.end(), seen.get());
  if (!mask.empty()) {
    spec.mask =
        dense_view({static_cast<std::int64_t>(q.size()), static_cast<std::int64_t>(k.size())});
  }
  std::vector<float> out(q.size());
  run(spec, q.data(), k.data(), v.data(), mask.empty() ? nullptr : seen.get(), out.data(), 0,
      tiles(spec));
  return out;
}

constexpr float kInfinity = std::numeric_limits<float>::infinity();

TEST(Attention, AQueryThatSeesNothingGivesZeros) {
  EXPECT_EQ(attend({1, 1}, {1, 2}, {3, 4}, {false, false, false, true}),
            (std::vector<float>{0, 4}));
  // Nothing in the first block of keys, all in the second.
  std::vector<bool> late(1000, false);
  std::fill(late.begin() + 700, late.end(), true);
  const std::vector<float> ones(1000, 1);
  EXPECT_EQ(attend({1}, ones, ones, late), (std::vector<float>{1}));
}

// What lies behind the last key that is shown, or in a block of hidden ones, is not looked at.
TEST(Attention, KeysThatAreHiddenTogetherTakeNoPart) {
  std::vector<float> k(3000, NAN);
  std::vector<float> v(3000, NAN);
  std::vector<bool> mask(2 * 3000, false);
  for (const std::size_t key : {1024UL, 2048UL}) {
    k[key] = 1;
    v[key] = static_cast<float>(key);
    mask[key] = true;                // of the first query
    mask[3000 + key] = key == 2048;  // of the second
  }
  // They share blocks of keys with these.
  for (std::size_t key = 1; key < 64; ++key) {
    k[1024 + key] = v[1024 + key] = k[2048 + key] = v[2048 + key] = 0;
  }
  const std::vector<float> out = attend({1, 1}, k, v, mask);
  EXPECT_FLOAT_EQ(out[0], 1536);
  EXPECT_FLOAT_EQ(out[1], 2048);
}

TEST(Attention, LargeScoresDoNotOverflow) {
  EXPECT_EQ(attend({1e4}, {1e4, -1e4, 1e4}, {3, 100, 5}), (std::vector<float>{4}));
  // The largest score comes in a later block.
  std::vector<float> keys(1100, 0);
  keys.back() = 500;
  std::vector<float> values(1100, -7);
  values.back() = 2;
  EXPECT_EQ(attend({1}, keys, values), (std::vector<float>{2}));
}

TEST(Attention, NaNStaysInItsRow) {
  const std::vector<float> out = attend({1, NAN, kInfinity}, {1, 2}, {3, 3});
  EXPECT_FLOAT_EQ(out[0], 3);
  EXPECT_TRUE(std::isnan(out[1]));
  EXPECT_TRUE(std::isnan(out[2]));
}

TEST(Attention, RefusesOperandsThatDoNotFit) {
  const Attention good{.dtype = DType::f32,
                       .q = dense_view({2, 3, 4}),
                       .k = dense_view({2, 5, 4}),
                       .v = dense_view({2, 5, 6}),
                       .mask = {}};
  EXPECT_EQ(tiles(good), 2);
  const auto refused = [&](auto change) {
    Attention spec = good;
    change(spec);
    EXPECT_THROW(tiles(spec), InternalError);
  };
  refused([](Attention& spec) { spec.dtype = DType::i32; });
  refused([](Attention& spec) { spec.k = dense_view({2, 5, 3}); });
  refused([](Attention& spec) { spec.v = dense_view({2, 4, 6}); });
  refused([](Attention& spec) { spec.v = dense_view({1, 5, 6}); });
  refused([](Attention& spec) { spec.q = dense_view({2, 0, 4}); });
  refused([](Attention& spec) { spec.mask = dense_view({3, 5}); });
}

}  // namespace
}  // namespace tutti::kernels::attention_test
