#include <tutti/kernels/host/attention_tile.h>
#include <tutti/kernels/host/per_thread.h>
#include <tutti/kernels/host/scratch.h>

namespace tutti::kernels {

namespace attention {

namespace {

// Scores of one block of queries: as many as stay in a second-level cache beside their cotangents,
// but not so few queries that keys are read over and over.
constexpr std::int64_t kMostScores = std::int64_t{1} << 17;
constexpr std::int64_t kMostQueries = 64;
constexpr std::int64_t kLeastQueries = 16;

std::int64_t queries_at_once(const Sizes& sizes) {
  const std::int64_t fitting = kMostScores / sizes.keys / kLeastQueries * kLeastQueries;
  return std::min(std::clamp(fitting, kLeastQueries, kMostQueries), sizes.queries);
}

// The tiles of one call: matrices, so that what keys and values get is added up in one order.
template <class T>
class Backward {
  using C = Wide<T>;
  static constexpr bool kDirect = std::is_same_v<T, C>;

 public:
  Backward(const AttentionGradient& spec, const Sizes& sizes, const KnownProducts& products,
           const T* q, const T* k, const T* v, const bool* mask, const T* cotangent, T* dq, T* dk,
           T* dv)
      : spec_(spec.forward),
        cotangent_view_(spec.cotangent),
        sizes_(sizes),
        at_once_(queries_at_once(sizes_)),
        q_(q),
        k_(k),
        v_(v),
        mask_(mask),
        g_(cotangent),
        dq_(dq),
        dk_(dk),
        dv_(dv),
        memory_(take_memory(sizes_, at_once_)),
        products_(products) {
    C* next = memory_.get();
    const std::int64_t keys = padded_scores(sizes_.keys);
    const std::int64_t depth = sizes_.depth;
    const std::int64_t width = sizes_.width;
    const auto take = [&](std::int64_t count) {
      C* const out = next;
      next += padded_scores(count);
      return out;
    };
    q_copy_ = take(at_once_ * depth);
    q_sums_ = take(at_once_ * depth);
    g_copy_ = take(at_once_ * width);
    weights_ = take(at_once_ * keys);
    of_scores_ = take(at_once_ * keys);
    k_copy_ = take(keys * depth);
    v_copy_ = take(keys * width);
    if (kDirect) return;
    k_sums_ = take(keys * depth);
    v_sums_ = take(keys * width);
  }

  void run(std::int64_t matrix) {
    const std::int64_t keys = sizes_.keys;
    k_rows_ = rows_of(k_, place_of(spec_.k, matrix), 0, keys, sizes_.depth, k_copy_);
    v_rows_ = rows_of(v_, place_of(spec_.v, matrix), 0, keys, sizes_.width, v_copy_);
    T* const dk = dk_ + matrix * keys * sizes_.depth;
    T* const dv = dv_ + matrix * keys * sizes_.width;
    if constexpr (kDirect) {
      k_sums_ = dk;
      v_sums_ = dv;
    }
    std::fill(k_sums_, k_sums_ + keys * sizes_.depth, C{0});
    std::fill(v_sums_, v_sums_ + keys * sizes_.width, C{0});
    for (std::int64_t query = 0; query < sizes_.queries; query += at_once_) {
      add_queries(matrix, query, std::min(at_once_, sizes_.queries - query));
    }
    if constexpr (!kDirect) {
      convert_back(k_sums_, dk, keys * sizes_.depth);
      convert_back(v_sums_, dv, keys * sizes_.width);
    }
  }

 private:
  static Scratch::Use<C> take_memory(const Sizes& sizes, std::int64_t at_once) {
    constinit thread_local PerThread<Scratch> scratch;
    const std::int64_t keys = padded_scores(sizes.keys);
    // Each begins at a whole cache line, `keys` being a whole number of them.
    return scratch.get().use<C>(2 * padded_scores(at_once * sizes.depth) +
                                padded_scores(at_once * sizes.width) + 2 * at_once * keys +
                                (kDirect ? 1 : 2) * keys * (sizes.depth + sizes.width));
  }

  void add_queries(std::int64_t matrix, std::int64_t query, std::int64_t rows) {
    const std::int64_t depth = sizes_.depth;
    const std::int64_t width = sizes_.width;
    const auto scale = static_cast<C>(spec_.scale);
    copy_rows(q_, place_of(spec_.q, matrix), query, rows, depth, q_copy_);
    for (std::int64_t i = 0; i < rows * depth; ++i) q_copy_[i] *= scale;
    const Rows<C> q = {q_copy_, depth};
    const Rows<C> g = rows_of(g_, place_of(cotangent_view_, matrix), query, rows, width, g_copy_);
    // A product of another width is another product: few widths will do.
    const std::int64_t step = std::max<std::int64_t>(64, sizes_.keys / 16);
    const std::int64_t last = std::max<std::int64_t>(
        1,
        keys_shown(spec_, mask_, matrix, query, rows, 0, keys_seen(spec_, sizes_, query + rows)));
    const std::int64_t seen = std::min(sizes_.keys, (last + step - 1) / step * step);
    const std::int64_t padded = padded_scores(seen);
    const Rows<C> weights = {weights_, padded};
    const Rows<C> of_scores = {of_scores_, padded};

    products_.multiply(rows, seen, depth, as_is(q), transposed(k_rows_), weights_, padded, false);
    hide(spec_, mask_, matrix, query, rows, 0, seen, weights_);
    std::fill(running_, running_ + rows, RunningRow<C>{-std::numeric_limits<C>::infinity(), 0, 0});
    exponentiate(weights_, rows, padded, running_);
    products_.multiply(rows, seen, width, as_is(g), transposed(v_rows_), of_scores_, padded, false);
    for (std::int64_t i = 0; i < rows; ++i) {
      std::fill(of_scores_ + i * padded + last, of_scores_ + (i + 1) * padded, C{0});
    }
    differentiate(weights_, of_scores_, rows, padded, running_);

    products_.multiply(seen, width, rows, transposed(weights), as_is(g), v_sums_, width, true);
    // The queries are times the scale already.
    products_.multiply(seen, depth, rows, transposed(of_scores), as_is(q), k_sums_, depth, true);
    products_.multiply(rows, depth, seen, as_is(of_scores), as_is(k_rows_), q_sums_, depth, false);
    for (std::int64_t i = 0; i < rows * depth; ++i) q_sums_[i] *= scale;
    convert_back(q_sums_, dq_ + (matrix * sizes_.queries + query) * depth, rows * depth);
  }

  const Attention& spec_;
  const StridedView& cotangent_view_;
  const Sizes& sizes_;
  const std::int64_t at_once_;
  const T* const q_;
  const T* const k_;
  const T* const v_;
  const bool* const mask_;
  const T* const g_;
  T* const dq_;
  T* const dk_;
  T* const dv_;
  const Scratch::Use<C> memory_;
  Products<C> products_;
  RunningRow<C> running_[kMostQueries];
  Rows<C> k_rows_ = {};
  Rows<C> v_rows_ = {};
  C* q_copy_;  // times the scale
  C* g_copy_;
  C* k_copy_;
  C* v_copy_;
  C* weights_;
  C* of_scores_;  // the cotangents of the scores
  C* q_sums_;
  C* k_sums_ = nullptr;
  C* v_sums_ = nullptr;
};

}  // namespace

}  // namespace attention

struct PreparedAttentionGradient::Plan {
  AttentionGradient spec;
  attention::Sizes sizes;
  KnownProducts products;

  explicit Plan(const AttentionGradient& given) : spec(given), sizes(given.forward) {}
};

PreparedAttentionGradient::PreparedAttentionGradient(const AttentionGradient& spec)
    : plan_(std::make_shared<const Plan>(spec)) {}

std::int64_t tiles(const PreparedAttentionGradient& prepared) {
  return prepared.plan_->sizes.matrices;
}

void run(const PreparedAttentionGradient& prepared, const void* q, const void* k, const void* v,
         const bool* mask, const void* cotangent, void* q_cotangent, void* k_cotangent,
         void* v_cotangent, std::int64_t begin, std::int64_t end) {
  const PreparedAttentionGradient::Plan& plan = *prepared.plan_;
  attention::visit_floating(plan.spec.forward.dtype, [&]<class T>(std::type_identity<T>) {
    attention::Backward<T> backward(plan.spec, plan.sizes, plan.products, static_cast<const T*>(q),
                                    static_cast<const T*>(k), static_cast<const T*>(v), mask,
                                    static_cast<const T*>(cotangent), static_cast<T*>(q_cotangent),
                                    static_cast<T*>(k_cotangent), static_cast<T*>(v_cotangent));
    for (std::int64_t matrix = begin; matrix < end; ++matrix) backward.run(matrix);
  });
}

}  // namespace tutti::kernels
