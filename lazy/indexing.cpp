#include <tutti/lazy/context.h>
#include <tutti/lazy/indexing.h>
#include <tutti/lazy/range_span.h>
#include <tutti/lazy/zero_beside.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace tutti {

namespace {

using List = std::vector<std::int64_t>;

// For each axis that a tensor may have.
using Selectors = std::array<const Selector*, Shape::kMaxRank>;

bool is_given(const Selector* selector) {
  return !std::holds_alternative<std::monostate>(selector->what());
}

// What selectors mean for a tensor: of each axis a range, forwards or backwards, and which axes go.
class Selection {
 public:
  // `call`: what errors say was called.
  Selection(const Tensor& x, const Selectors& selectors, Location where, const char* call)
      : x_(x), where_(where), call_(call) {
    const auto last = std::ranges::find_if(selectors.rbegin(), selectors.rend(), is_given);
    const auto count = selectors.rend() - last;
    if (count > x.rank()) fail(std::to_string(count) + " selectors for " + type_text());
    for (int axis = 0; axis < x.rank(); ++axis) {
      take_axis(axis, selectors[static_cast<std::size_t>(axis)]->what());
    }
  }

  bool is_computed() const { return !computed_.empty(); }

  Tensor take() const {
    Tensor out = slice(operand(x_), ranges_);
    List gone;
    for (std::int64_t axis = x_.rank() - 1; axis >= 0; --axis) {
      if (const auto found = index_of(axis)) {
        out = tutti::take(operand(out), operand(*found), axis);
      } else if (drops_[static_cast<std::size_t>(axis)]) {
        out = squeeze(operand(out), axis);
      }
    }
    return out;
  }

  // `value`, as large as what take() gives, with the axes that it has not, and where it lies.
  Tensor spread(const Operand& value, const Tensor& taken) const {
    const Tensor given = value.is_tensor()
                             ? broadcast_to(Operand(value.tensor(), where_), taken.shape())
                             : number_like(taken, value);
    List shape;
    for (int d = 0, from = 0; d < x_.rank(); ++d) {
      shape.push_back(drops_[static_cast<std::size_t>(d)] ? 1 : taken.shape()[from++]);
    }
    return reshape(operand(given), shape);
  }

  // A number as often as `taken` has elements, the same on the ranks on which x is.
  Tensor number_like(const Tensor& taken, const Operand& value) const {
    if (taken.dtype() != DType::boolean) {
      return add(operand(zeros_like(operand(taken))), value);
    }
    const Tensor zeros_there = zeros_like(operand(cast(operand(taken), DType::u8)));
    return logical_or(operand(ne(operand(zeros_there), 0)), value);
  }

  // The value with zeros around it, as large as x; ranges that go backwards turned around.
  Tensor padded(const Tensor& value) const {
    List low;
    List high;
    List interior;
    List backwards;
    for (int d = 0; d < x_.rank(); ++d) {
      const detail::RangeSpan own = span(d);
      low.push_back(own.first);
      interior.push_back(own.step - 1);
      high.push_back(x_.shape()[d] - own.end());
      if (own.backwards) backwards.push_back(d);
    }
    const Tensor turned = backwards.empty() ? value : reverse(operand(value), backwards);
    const bool is_bool = value.dtype() == DType::boolean;
    return pad(operand(turned), low, high, interior, is_bool ? Operand(false) : Operand(0));
  }

  // Whether each range is a piece without gaps.
  bool is_block() const {
    for (int d = 0; d < x_.rank(); ++d) {
      if (ranges_[static_cast<std::size_t>(d)].step != 1) return false;
    }
    return true;
  }

  // Where the block begins, i64[rank].
  Tensor starts() const {
    const Tensor zero = detail::zero_beside(x_, DType::i64, where_);
    std::vector<detail::StatePtr> parts;
    for (int d = 0; d < x_.rank(); ++d) {
      const auto found = index_of(d);
      const Tensor start =
          found ? cast(operand(*found), DType::i64) : add(operand(zero), span(d).first);
      parts.push_back(reshape(operand(start), {1}).state());
    }
    return Tensor(detail::record(ir::Op::concat, parts, {std::int64_t{0}}, where_));
  }

 private:
  Operand operand(const Tensor& x) const { return {x, where_}; }
  [[noreturn]] void fail(const std::string& what) const {
    throw TypeError(std::string(call_) + ": " + what, where_);
  }
  std::string type_text() const { return "a tensor of type " + x_.state()->type.text(); }

  void take_axis(std::int64_t axis, const Selector::What& what) {
    const std::int64_t size = x_.shape()[static_cast<int>(axis)];
    if (std::holds_alternative<std::monostate>(what)) return take_axis(axis, Range());
    drops_.push_back(!std::holds_alternative<Range>(what));
    if (const auto* const range = std::get_if<Range>(&what)) {
      ranges_.push_back(*range);
      return;
    }
    if (const auto* const index = std::get_if<Tensor>(&what)) {
      if (index->rank() != 0 || !is_integer(index->dtype())) {
        fail("an index that is computed should be an integer scalar, not " +
             index->state()->type.text());
      }
      if (size == 0) fail("axis " + std::to_string(axis) + " of " + type_text() + " is empty");
      computed_.emplace_back(axis, *index);
      ranges_.emplace_back();
      return;
    }
    const std::int64_t given = std::get<std::int64_t>(what);
    const std::int64_t index = given < 0 ? given + size : given;
    if (index < 0 || index >= size) {
      fail("there is no element " + std::to_string(given) + " along axis " + std::to_string(axis) +
           " of " + type_text());
    }
    ranges_.push_back({.start = index, .stop = index + 1});
  }

  const Tensor* index_of(std::int64_t axis) const {
    const auto found = std::ranges::find(computed_, axis, &std::pair<std::int64_t, Tensor>::first);
    return found == computed_.end() ? nullptr : &found->second;
  }

  detail::RangeSpan span(int d) const {
    if (index_of(d) != nullptr) return {.count = 1};
    return detail::span_of(ranges_[static_cast<std::size_t>(d)], x_.shape()[d]);
  }

  const Tensor& x_;
  const Location where_;
  const char* const call_;
  std::vector<Range> ranges_;
  std::vector<bool> drops_;
  std::vector<std::pair<std::int64_t, Tensor>> computed_;  // by axis
};

}  // namespace

Tensor at(const Operand& x, const Selector& a, const Selector& b, const Selector& c,
          const Selector& d, const Selector& e, const Selector& f, const Selector& g,
          const Selector& h) {
  const Tensor tensor = x.tensor();
  return Selection(tensor, {&a, &b, &c, &d, &e, &f, &g, &h}, x.where(), "at").take();
}

namespace {

Tensor replaced(const Operand& x, const Operand& value, const Selectors& selectors,
                const char* call) {
  const Tensor tensor = x.tensor();
  const Selection selection(tensor, selectors, x.where(), call);
  const Tensor update = selection.spread(value, selection.take());
  const auto operand = [&](const Tensor& t) { return Operand(t, x.where()); };
  if (update.elements() == 0) return tensor;
  if (selection.is_block()) {
    return dynamic_update_slice(operand(tensor), operand(update), operand(selection.starts()));
  }
  const Tensor there = selection.padded(ones_like(operand(cast(operand(update), DType::u8))));
  if (!selection.is_computed()) {
    return select(operand(ne(operand(there), 0)), operand(selection.padded(update)),
                  operand(tensor));
  }
  throw TypeError(std::string(call) + ": ranges with a step beside an index that is computed",
                  x.where());
}

Tensor added_at(const Operand& x, const Operand& value, const Selectors& selectors,
                const char* call) {
  const Tensor tensor = x.tensor();
  const Selection selection(tensor, selectors, x.where(), call);
  const Tensor taken = selection.take();
  const auto operand = [&](const Tensor& t) { return Operand(t, x.where()); };
  if (selection.is_computed()) {
    return replaced(x, operand(add(operand(taken), value)), selectors, call);
  }
  const Tensor update = selection.spread(value, taken);
  return add(operand(tensor), operand(selection.padded(update)));
}

}  // namespace

Tensor set_at(const Operand& x, const Operand& value, const Selector& a, const Selector& b,
              const Selector& c, const Selector& d, const Selector& e, const Selector& f,
              const Selector& g, const Selector& h) {
  return replaced(x, value, {&a, &b, &c, &d, &e, &f, &g, &h}, "set_at");
}

Tensor add_at(const Operand& x, const Operand& value, const Selector& a, const Selector& b,
              const Selector& c, const Selector& d, const Selector& e, const Selector& f,
              const Selector& g, const Selector& h) {
  return added_at(x, value, {&a, &b, &c, &d, &e, &f, &g, &h}, "add_at");
}

Tensor Tensor::operator[](const Selector& i) const { return at(Operand(*this, i.where()), i); }

}  // namespace tutti
