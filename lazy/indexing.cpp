#include <tutti/lazy/axes.h>
#include <tutti/lazy/composite.h>
#include <tutti/lazy/context.h>
#include <tutti/lazy/create.h>
#include <tutti/lazy/indexing.h>
#include <tutti/lazy/range_span.h>
#include <tutti/lazy/zero_beside.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace tutti {

using detail::composite;

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
  Selection(const Tensor& x, const Selectors& selectors) : x_(x) {
    const auto last = std::ranges::find_if(selectors.rbegin(), selectors.rend(), is_given);
    const auto count = selectors.rend() - last;
    if (count > x.rank()) {
      fail(std::to_string(count) + " selectors for " + type_text() + ", which has " +
           (x.rank() == 1 ? "1 axis" : std::to_string(x.rank()) + " axes"));
    }
    for (int axis = 0; axis < x.rank(); ++axis) {
      take_axis(axis, selectors[static_cast<std::size_t>(axis)]->what());
    }
  }

  bool is_computed() const { return !computed_.empty(); }

  Tensor take() const {
    Tensor out = slice(x_, ranges_);
    List gone;
    for (std::int64_t axis = x_.rank() - 1; axis >= 0; --axis) {
      if (const auto found = index_of(axis)) {
        out = tutti::take(out, *found, axis);
      } else if (drops_[static_cast<std::size_t>(axis)]) {
        out = squeeze(out, axis);
      }
    }
    return out;
  }

  // `value`, as large as what take() gives, with the axes that it has not, and where it lies.
  Tensor spread(const Operand& value, const Tensor& taken) const {
    const bool adapts = !value.is_tensor() || value.tensor().state()->type.replication.literal;
    const Tensor given =
        adapts ? beside(taken, value) : broadcast_to(value.tensor(), taken.shape());
    List shape;
    for (int d = 0, from = 0; d < x_.rank(); ++d) {
      shape.push_back(drops_[static_cast<std::size_t>(d)] ? 1 : taken.shape()[from++]);
    }
    return reshape(given, shape);
  }

  // The value, as large as `taken`, on the side of x: a number lies where x does, and what is made
  // of numbers is the same on the ranks on which x is.
  static Tensor beside(const Tensor& taken, const Operand& value) {
    // (A sum with 0 would make 0 of -0.)
    if (taken.dtype() != DType::boolean) return sub(value, zeros_like(taken));
    return logical_or(zeros_like(taken), value);
  }

  // The value with what adds nothing, not even to -0, around it, as large as x; ranges that go
  // backwards turned around.
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
    const Tensor turned = backwards.empty() ? value : reverse(value, backwards);
    const bool is_bool = value.dtype() == DType::boolean;
    const Operand nothing = is_floating(value.dtype()) ? Operand(-0.F)
                            : is_bool                  ? Operand(false)
                                                       : Operand(0);
    return pad(turned, low, high, interior, nothing);
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
    const Tensor zero = detail::zero_beside(x_, DType::i64);
    std::vector<detail::StatePtr> parts;
    for (int d = 0; d < x_.rank(); ++d) {
      const auto found = index_of(d);
      const Tensor start = found ? start_of(*found, x_.shape()[d]) : add(zero, span(d).first);
      parts.push_back(reshape(start, {1}).state());
    }
    return Tensor(detail::record(ir::Op::concat, parts, {std::int64_t{0}}, {}));
  }

 private:
  [[noreturn]] static void fail(const std::string& what) { throw TypeError(what); }
  std::string type_text() const { return "a tensor of type " + x_.state()->type.text(); }

  void take_axis(std::int64_t axis, const Selector::What& what) {
    const std::int64_t size = x_.shape()[static_cast<int>(axis)];
    if (std::holds_alternative<std::monostate>(what)) return take_axis(axis, Range());
    drops_.push_back(!std::holds_alternative<Range>(what));
    if (const auto* const range = std::get_if<Range>(&what)) {
      if (range->step == 0) {
        fail("a range with a step of 0 along axis " + std::to_string(axis) + " of " + type_text());
      }
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
           " of " + type_text() + detail::elements_there(size));
    }
    ranges_.push_back({.start = index, .stop = index + 1});
  }

  // An index in i64, in which large ones of u64 would be negative.
  static Tensor start_of(const Tensor& index, std::int64_t size) {
    return cast(index.dtype() == DType::u64 ? minimum(index, size - 1) : index, DType::i64);
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
  std::vector<Range> ranges_;
  std::vector<bool> drops_;
  std::vector<std::pair<std::int64_t, Tensor>> computed_;  // by axis
};

}  // namespace

Tensor at(const Operand& x, const Selector& a, const Selector& b, const Selector& c,
          const Selector& d, const Selector& e, const Selector& f, const Selector& g,
          const Selector& h) {
  return composite("at", x.where(), [&] {
    const Tensor tensor = x.tensor();
    return Selection(tensor, {&a, &b, &c, &d, &e, &f, &g, &h}).take();
  });
}

namespace {

// Throws unless the value may stand in x.
void check_value(const Tensor& x, const Operand& value, const Tensor& taken) {
  if (!value.is_tensor()) return;
  const Tensor given = value.tensor();
  const std::string types =
      "the value is " + given.state()->type.text() + ", and x " + x.state()->type.text();
  if (given.dtype() != x.dtype()) throw TypeError(types + "; cast(value, x.dtype()) fits");
  bool fits = given.rank() <= taken.rank();
  for (int d = 1; fits && d <= given.rank(); ++d) {
    fits = given.size(-d) == 1 || given.size(-d) == taken.size(-d);
  }
  if (!fits) {
    throw TypeError(types + ", of which a part of shape " + taken.shape().text() +
                    " is chosen, to which the value does not broadcast");
  }
}

Tensor replaced(const Tensor& x, const Operand& value, const Selectors& selectors) {
  const Selection selection(x, selectors);
  const Tensor taken = selection.take();
  check_value(x, value, taken);
  if (x.rank() == 0) return Selection::beside(x, value);
  const Tensor update = selection.spread(value, taken);
  if (update.elements() == 0) return x;
  if (selection.is_block()) return dynamic_update_slice(x, update, selection.starts());
  const Tensor there = selection.padded(ones_like(cast(update, DType::u8)));
  if (!selection.is_computed()) return select(ne(there, 0), selection.padded(update), x);
  throw TypeError("ranges with a step beside an index that is computed; write two calls");
}

Tensor added_at(const Tensor& x, const Operand& value, const Selectors& selectors) {
  const Selection selection(x, selectors);
  const Tensor taken = selection.take();
  check_value(x, value, taken);
  if (selection.is_computed()) return replaced(x, add(taken, value), selectors);
  return add(x, selection.padded(selection.spread(value, taken)));
}

}  // namespace

Tensor set_at(const Operand& x, const Operand& value, const Selector& a, const Selector& b,
              const Selector& c, const Selector& d, const Selector& e, const Selector& f,
              const Selector& g, const Selector& h) {
  return composite("set_at", x.where(),
                   [&] { return replaced(x.tensor(), value, {&a, &b, &c, &d, &e, &f, &g, &h}); });
}

Tensor add_at(const Operand& x, const Operand& value, const Selector& a, const Selector& b,
              const Selector& c, const Selector& d, const Selector& e, const Selector& f,
              const Selector& g, const Selector& h) {
  return composite("add_at", x.where(),
                   [&] { return added_at(x.tensor(), value, {&a, &b, &c, &d, &e, &f, &g, &h}); });
}

Tensor Tensor::operator[](const Selector& i) const { return at(Operand(*this, i.where()), i); }
Tensor AsyncTensor::operator[](const Selector& i) const { return wait(i.where())[i]; }

}  // namespace tutti
