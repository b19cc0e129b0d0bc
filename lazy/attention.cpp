#include <tutti/lazy/composite.h>
#include <tutti/lazy/context.h>
#include <tutti/lazy/create.h>
#include <tutti/lazy/device.h>
#include <tutti/lazy/ops.h>

#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

// The op sees equal leading dimensions and one mask; what else attention() takes becomes these.
namespace tutti {

namespace {

using detail::StatePtr;

class Attention {
 public:
  Attention(const Operand& q, const Operand& k, const Operand& v, std::optional<Tensor> mask,
            AttentionOptions options)
      : q_(q.tensor()),
        k_(k.tensor()),
        v_(v.tensor()),
        options_(std::move(options)),
        mask_(std::move(mask)) {}

  Tensor result() {
    if (!std::isfinite(options_.scale)) refuse("the scale of the scores is a finite number");
    if (options_.keys) count_keys();
    if (!shares_heads()) return whole(q_, k_, v_, mask_);
    if (q_.rank() < Shape::kMaxRank) return grouped();
    // Groups take a dimension more.
    std::vector<std::int64_t> sizes(q_.shape().begin(), q_.shape().end());
    sizes.back() = v_.size(-1);
    join_outermost();
    return reshape(grouped(), Shape(sizes));
  }

 private:
  [[noreturn]] static void refuse(const std::string& why) { throw TypeError(why); }
  static std::vector<std::int64_t> leading(const Tensor& x) {
    return {x.shape().begin(), x.shape().end() - 2};
  }

  Tensor whole(const Tensor& q, const Tensor& k, const Tensor& v,
               const std::optional<Tensor>& mask) const {
    std::vector<StatePtr> operands = {q.state(), k.state(), v.state()};
    if (mask) operands.push_back(mask->state());
    return Tensor(
        detail::record(ir::Op::attention, operands, {options_.causal, options_.scale}, {}));
  }

  // Positions along an axis of scores, where the keys' count lies.
  Tensor positions(const Tensor& count, std::int64_t size) const {
    return detail::placed(iota({size}, 0, count.dtype()), count);
  }

  static constexpr std::int64_t kFew = std::int64_t{1} << 30;

  // The number of keys becomes a mask.
  void count_keys() {
    Tensor count = *options_.keys;
    if (is_floating(count.dtype()) || count.dtype() == DType::boolean) {
      refuse("the number of keys is an integer, not " + std::string(name_of(count.dtype())));
    }
    if (q_.rank() < 2 || k_.rank() < 2) refuse("q, k and v have two dimensions or more");
    // Narrow numbers are compared many at a time, and more keys than there are, are all.
    if (count.dtype() == DType::u64) count = minimum(count, k_.size(-2));
    count = minimum(maximum(cast(count, DType::i64), 0), k_.size(-2));
    if (k_.size(-2) < kFew) count = cast(count, DType::i32);
    const Tensor each = expand_dims(count, {-2, -1});
    Tensor shown;
    if (options_.causal) {
      // Of each query as many less as there are queries behind it. (Positions meet the count first:
      // what is computed of a number and them alone varies between ranks.)
      const std::int64_t queries = q_.size(-2);
      const Tensor of_first = sub(each, queries - 1);
      const Tensor of_query = add(of_first, expand_dims(positions(count, queries), {-1}));
      shown = lt(positions(count, k_.size(-2)), of_query);
    } else {
      shown = lt(positions(count, k_.size(-2)), each);
    }
    mask_ = mask_ ? logical_and(*mask_, shown) : shown;
    options_.causal = false;
  }

  bool shares_heads() const {
    if (q_.rank() < 3 || k_.rank() != q_.rank() || v_.rank() != q_.rank()) return false;
    const std::int64_t heads = q_.size(-3);
    const std::int64_t groups = k_.size(-3);
    if (heads == groups) return false;
    if (groups > 0 && heads % groups == 0 && v_.size(-3) == groups) return true;
    refuse(std::to_string(heads) + " heads of queries, " + std::to_string(groups) +
           " of keys and " + std::to_string(v_.size(-3)) +
           " of values: keys and values have as many, and these divide the queries'");
  }

  // Makes one of the two outermost dimensions.
  void join_outermost() {
    const std::int64_t first = q_.size(0);
    const std::int64_t second = q_.size(1);
    for (const Tensor* const x : {&k_, &v_}) {
      if (x->size(0) == first && x->size(1) == second) continue;
      refuse("the leading dimensions of q, k and v must be equal");
    }
    if (mask_ && mask_->rank() >= q_.rank() - 1) {
      std::vector<std::int64_t> sizes(mask_->shape().end() - (q_.rank() - 2), mask_->shape().end());
      sizes.insert(sizes.begin(), {first, second});
      mask_ = joined(broadcast_to(*mask_, Shape(sizes)));
    }
    q_ = joined(q_);
    k_ = joined(k_);
    v_ = joined(v_);
  }
  static Tensor joined(const Tensor& x) {
    std::vector<std::int64_t> sizes(x.shape().begin() + 1, x.shape().end());
    sizes[0] *= x.size(0);
    return reshape(x, Shape(sizes));
  }

  // [..., heads, a, b] -> [..., groups, sharers, a, b]
  Tensor split_heads(const Tensor& x, std::int64_t groups) const {
    std::vector<std::int64_t> sizes(x.shape().begin(), x.shape().end());
    const auto heads = sizes.end() - 3;
    const std::int64_t sharers = *heads / groups;
    *heads = groups;
    sizes.insert(heads + 1, sharers);
    return reshape(x, Shape(sizes));
  }

  Tensor grouped() const {
    const std::int64_t groups = k_.size(-3);
    const std::int64_t sharers = q_.size(-3) / groups;
    const std::int64_t queries = q_.size(-2);
    std::optional<Tensor> mask = mask_;
    if (mask && mask->rank() >= 3) {
      if (mask->size(-3) != 1 && mask->size(-3) != q_.size(-3)) {
        refuse("a mask for " + std::to_string(mask->size(-3)) + " of " +
               std::to_string(q_.size(-3)) + " heads");
      }
      mask = mask->size(-3) == q_.size(-3) ? split_heads(*mask, groups) : expand_dims(*mask, {-3});
    }
    const Tensor q = split_heads(q_, groups);
    std::vector<std::int64_t> result(q_.shape().begin(), q_.shape().end());
    result.back() = v_.size(-1);
    if (queries != 1 || options_.causal) {
      // Each group's keys once more for each of its heads, where they lie.
      return reshape(whole(q, for_each_head(k_, sharers), for_each_head(v_, sharers), mask),
                     Shape(result));
    }
    // The heads of a group are rows of one product, which reads its keys once.
    std::vector<std::int64_t> rows = leading(q_);
    rows.back() = groups;
    rows.insert(rows.end(), {sharers, q_.size(-1)});
    if (mask && mask->rank() >= 4) {
      // [..., sharers or 1, 1, s]: a row is a head.
      mask = squeeze(*mask, {-2});
    }
    return reshape(whole(reshape(q_, Shape(rows)), k_, v_, mask), Shape(result));
  }

  // [..., groups, s, d] -> [..., groups, sharers, s, d]
  Tensor for_each_head(const Tensor& x, std::int64_t sharers) const {
    const Tensor apart = expand_dims(x, {-3});
    std::vector<std::int64_t> sizes(apart.shape().begin(), apart.shape().end());
    *(sizes.end() - 3) = sharers;
    return broadcast_to(apart, Shape(sizes));
  }

  Tensor q_;
  Tensor k_;
  Tensor v_;
  AttentionOptions options_;
  std::optional<Tensor> mask_;
};

}  // namespace

Tensor attention(const Operand& q, const Operand& k, const Operand& v,
                 const AttentionOptions& options) {
  return detail::composite("attention", q.where(),
                           [&] { return Attention(q, k, v, std::nullopt, options).result(); });
}
Tensor attention(const Operand& q, const Operand& k, const Operand& v, const AttentionMask& mask,
                 const AttentionOptions& options) {
  return detail::composite("attention", q.where(),
                           [&] { return Attention(q, k, v, mask.tensor, options).result(); });
}

}  // namespace tutti
