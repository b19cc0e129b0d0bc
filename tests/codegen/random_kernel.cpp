#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "tests/codegen/kernel_maker.h"

namespace tutti::codegen::kernel_testing {

namespace {

using ir::ScalarOp;

constexpr DType kAllDTypes[] = {
#define TUTTI_ENTRY(name, text, type) DType::name,
    TUTTI_DTYPES(TUTTI_ENTRY)
#undef TUTTI_ENTRY
};

constexpr DType kIntegerDTypes[] = {DType::i8, DType::i16, DType::i32, DType::i64,
                                    DType::u8, DType::u16, DType::u32, DType::u64};

constexpr DType kNarrowDTypes[] = {DType::f8_e4m3fn, DType::f8_e5m2, DType::f16, DType::bf16};

// Ops that every mode computes to the same bits. (exp, log, tanh and so on are inline
// polynomials in one mode and the C library's in the other.)
constexpr ScalarOp kFloatOps[] = {
    ScalarOp::neg,   ScalarOp::abs,     ScalarOp::sqrt,    ScalarOp::floor, ScalarOp::ceil,
    ScalarOp::round, ScalarOp::add,     ScalarOp::sub,     ScalarOp::mul,   ScalarOp::div,
    ScalarOp::mod,   ScalarOp::minimum, ScalarOp::maximum, ScalarOp::eq,    ScalarOp::ne,
    ScalarOp::lt,    ScalarOp::le,      ScalarOp::gt,      ScalarOp::ge,    ScalarOp::select,
    ScalarOp::fma};
constexpr ScalarOp kIntegerOps[] = {
    ScalarOp::neg,     ScalarOp::abs,        ScalarOp::bit_not,     ScalarOp::add,
    ScalarOp::sub,     ScalarOp::mul,        ScalarOp::div,         ScalarOp::mod,
    ScalarOp::minimum, ScalarOp::maximum,    ScalarOp::bit_and,     ScalarOp::bit_or,
    ScalarOp::bit_xor, ScalarOp::shift_left, ScalarOp::shift_right, ScalarOp::eq,
    ScalarOp::ne,      ScalarOp::lt,         ScalarOp::le,          ScalarOp::gt,
    ScalarOp::ge,      ScalarOp::select,     ScalarOp::fma};
constexpr ScalarOp kBoolOps[] = {ScalarOp::bit_not, ScalarOp::bit_and, ScalarOp::bit_or,
                                 ScalarOp::bit_xor, ScalarOp::eq,      ScalarOp::lt,
                                 ScalarOp::select};
constexpr ScalarOp kExactCombinations[] = {ScalarOp::add, ScalarOp::mul, ScalarOp::minimum,
                                           ScalarOp::maximum};

class Generator {
 public:
  explicit Generator(std::mt19937& random)
      : random_(random),
        axis_(random() % 2 == 0 ? VectorAxis::outer : VectorAxis::inner),
        outer_(extents(axis_ == VectorAxis::outer ? 1 : 0)),
        inner_(extents(axis_ == VectorAxis::inner ? 1 : 0)),
        maker_("random", outer_, inner_, axis_,
               axis_ == VectorAxis::outer ? kLanes << below(4) : 1) {}

  Kernel make() {
    const int segments = 1 + below(4);
    for (int i = 0; i < segments; ++i) segment(i > 0 || below(2) == 0);
    return maker_.kernel();
  }

 private:
  int below(int limit) { return static_cast<int>(random_() % static_cast<unsigned>(limit)); }
  template <class T, std::size_t n>
  T any(const T (&choices)[n]) {
    return choices[static_cast<std::size_t>(below(static_cast<int>(n)))];
  }

  Strides extents(int least) {
    constexpr std::int64_t kVectorised[] = {1, 3, 7, 15, 16, 17, 31, 48, 64, 100, 130, 200};
    constexpr std::int64_t kOther[] = {1, 2, 3, 5};
    Strides out;
    const int count = std::max(least, below(4));
    for (int i = 0; i < count; ++i) out.push_back(any(kOther));
    if (least > 0) out.back() = any(kVectorised);
    if (below(40) == 0 && !out.empty()) out.front() = 0;
    return out;
  }

  void segment(bool loop) {
    loop_ = loop;
    loop ? maker_.loop() : maker_.point();
    const std::size_t visible_before = visible_.size();
    const int count = 1 + below(8);
    for (int i = 0; i < count; ++i) instruction();
    for (int i = 1 + below(2); i > 0; --i) store();
    std::vector<ValueId> results;
    for (int i = loop ? below(3) : 0; i > 0; --i) {
      const ValueId value =
          visible_[static_cast<std::size_t>(below(static_cast<int>(visible_.size())))];
      const bool truth = maker_.type(value) == DType::boolean;
      results.push_back(maker_.reduce(
          truth ? (below(2) == 0 ? ScalarOp::bit_and : ScalarOp::bit_or) : any(kExactCombinations),
          value));
    }
    if (loop) visible_.resize(visible_before);
    visible_.insert(visible_.end(), results.begin(), results.end());
  }

  // A visible value of a dtype, if there is one; later ones are likelier.
  std::optional<ValueId> value_of(DType dtype) {
    std::vector<ValueId> fitting;
    for (const ValueId value : visible_) {
      if (maker_.type(value) == dtype) fitting.push_back(value);
    }
    if (fitting.empty()) return std::nullopt;
    const int count = static_cast<int>(fitting.size());
    return fitting[static_cast<std::size_t>(std::max(below(count), below(count)))];
  }

  void instruction() {
    ValueId made = -1;
    const int kind = visible_.empty() ? below(3) : below(11);
    if (const auto index = kind == 3 ? integer() : std::nullopt) {
      made = load_at(*index);
    } else if (kind == 0 && below(2) == 0) {
      made = load_within_bounds();
    } else if (kind <= 1) {
      made = maker_.load(maker_.read(any(kAllDTypes), starts()), affine());
    } else if (kind == 2 && below(2) == 0) {
      made = maker_.index(affine());
    } else if (kind == 2) {
      made = maker_.constant(ir::compute_dtype(any(kAllDTypes)), below(21) - 10);
    } else {
      const ValueId x =
          visible_[static_cast<std::size_t>(below(static_cast<int>(visible_.size())))];
      made = kind == 4 ? conversion(x) : scalar(x);
    }
    visible_.push_back(made);
  }

  // A visible one, of any dtype.
  std::optional<ValueId> integer() {
    std::vector<ValueId> fitting;
    for (const ValueId value : visible_) {
      if (is_integer(maker_.type(value))) fitting.push_back(value);
    }
    if (fitting.empty()) return std::nullopt;
    return fitting[static_cast<std::size_t>(below(static_cast<int>(fitting.size())))];
  }

  // Sometimes from the other end, by two values, and within bounds.
  ValueId load_at(ValueId index) {
    constexpr std::int64_t kMost[] = {0, 1, 6, 40, 300};
    std::vector<ValueId> indices = {index};
    if (below(4) == 0) indices.push_back(*integer());
    std::vector<Term> terms;
    Affine address = affine();
    for (std::size_t i = 0; i < indices.size(); ++i) {
      terms.push_back({.most = any(kMost), .stride = below(4) == 0 ? -2 : 1 + below(3)});
      if (terms.back().stride < 0) address.offset -= terms.back().stride * terms.back().most;
    }
    std::vector<Bound> bounds;
    if (below(4) == 0) bounds = bounds_of(address);
    return maker_.load_at(maker_.read(any(kAllDTypes), starts()), address, indices, terms, bounds,
                          below(3));
  }

  // Mostly none.
  std::vector<Start> starts() {
    std::vector<Start> out;
    while (below(6) == 0) {
      out.push_back({.buffer = maker_.read(any(kIntegerDTypes)),
                     .element = below(3),
                     .most = below(5),
                     .stride = 1 + below(7)});
    }
    return out;
  }

  // Of a load from an element that is not there, but for what is inside.
  std::vector<Bound> bounds_of(Affine& address) {
    std::vector<Bound> bounds;
    const auto add = [&](const Strides& strides, const Strides& extents, bool inner) {
      for (std::size_t i = 0; i < extents.size(); ++i) {
        if (below(2) == 0 || extents[i] == 0) continue;
        const std::int64_t begin = below(static_cast<int>(extents[i]));
        const std::int64_t end = begin + 1 + below(static_cast<int>(extents[i] - begin));
        bounds.push_back({.inner = inner, .axis = static_cast<int>(i), .begin = begin, .end = end});
        // The first element that is read is the first one of the buffer.
        address.offset -= strides[i] > 0 ? strides[i] * begin : strides[i] * (end - extents[i]);
      }
    };
    add(address.outer, outer_, false);
    if (loop_) add(address.inner, inner_, true);
    return bounds;
  }

  ValueId load_within_bounds() {
    Affine address = affine();
    const std::vector<Bound> bounds = bounds_of(address);
    const DType dtype = any(kAllDTypes);
    return maker_.load_within(maker_.read(dtype, starts()), address, bounds, below(3));
  }

  ValueId conversion(ValueId x) {
    const DType from = maker_.type(x);
    if (from == DType::f32 && below(2) == 0) {
      return maker_.round(any(kNarrowDTypes), x);
    }
    // The bits of a NaN are nobody's promise, so bits are only taken from integers.
    if (!is_floating(from) && from != DType::boolean && below(3) == 0) {
      const DType to = any(kAllDTypes);
      if (size_of(to) == size_of(from) && to != DType::boolean) return maker_.bitcast(x, from, to);
    }
    return maker_.cast(x, any(kAllDTypes));
  }

  ValueId scalar(ValueId x) {
    const DType dtype = maker_.type(x);
    ScalarOp op = dtype == DType::boolean ? any(kBoolOps)
                  : is_floating(dtype)    ? any(kFloatOps)
                                          : any(kIntegerOps);
    if (op == ScalarOp::select) {
      const auto condition = value_of(DType::boolean);
      if (!condition) return maker_.cast(x, DType::boolean);
      return maker_.op(op, *condition, *value_of(dtype), x);
    }
    const int operands = ir::operand_count(op);
    return maker_.op(op, x, operands > 1 ? *value_of(dtype) : -1,
                     operands > 2 ? *value_of(dtype) : -1);
  }

  // A random address, moved so that it never gets negative.
  Affine affine() {
    constexpr std::int64_t kFactors[] = {0, 1, 1, 1, 2, 3, 7, -1, -2};
    Affine out;
    out.offset = std::int64_t{below(2)} * below(9);
    const auto add = [&](Strides& strides, const Strides& extents) {
      for (const std::int64_t extent : extents) {
        strides.push_back(any(kFactors));
        if (strides.back() < 0)
          out.offset -= strides.back() * std::max<std::int64_t>(extent - 1, 0);
      }
    };
    add(out.outer, outer_);
    if (loop_) add(out.inner, inner_);
    return out;
  }

  // Stores a value at an address of its own for every point, with the axes in random order.
  void store() {
    Affine address;
    address.outer.assign(outer_.size(), 0);
    if (loop_) address.inner.assign(inner_.size(), 0);
    std::vector<std::size_t> order(outer_.size() + (loop_ ? inner_.size() : 0));
    std::iota(order.begin(), order.end(), 0);
    if (below(2) == 0) {
      std::shuffle(order.begin(), order.end(), random_);
    } else {
      std::reverse(order.begin(), order.end());
    }
    std::int64_t stride = below(4) == 0 ? 2 : 1;
    for (const std::size_t axis : order) {
      const bool is_outer = axis < outer_.size();
      (is_outer ? address.outer[axis] : address.inner[axis - outer_.size()]) = stride;
      stride *= std::max<std::int64_t>(is_outer ? outer_[axis] : inner_[axis - outer_.size()], 1);
    }
    address.offset = std::int64_t{below(2)} * below(5);
    const ValueId value =
        visible_[static_cast<std::size_t>(below(static_cast<int>(visible_.size())))];
    DType dtype = maker_.type(value);
    if (dtype == DType::f32 && below(3) == 0) dtype = any(kNarrowDTypes);
    maker_.store(maker_.write(dtype), address, value);
  }

  std::mt19937& random_;
  VectorAxis axis_;
  Strides outer_;
  Strides inner_;
  KernelMaker maker_;
  std::vector<ValueId> visible_;
  bool loop_ = false;
};

}  // namespace

Kernel random_kernel(std::mt19937& random) { return Generator(random).make(); }

}  // namespace tutti::codegen::kernel_testing
