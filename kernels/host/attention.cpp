#include <tutti/ir/arithmetic.h>
#include <tutti/ir/support/error.h>
#include <tutti/kernels/host/attention_tile.h>
#include <tutti/kernels/host/per_thread.h>
#include <tutti/kernels/host/scratch.h>

namespace tutti::kernels {

namespace attention {

namespace {

std::int64_t from_end(const Shape& shape, int dimension) { return shape[shape.rank() - dimension]; }

bool has_shape(const StridedView& view, const Shape& like, std::int64_t rows,
               std::int64_t columns) {
  if (view.shape.rank() != like.rank() || like.rank() < 2) return false;
  for (int d = 0; d < like.rank() - 2; ++d) {
    if (view.shape[d] != like[d]) return false;
  }
  return from_end(view.shape, 2) == rows && from_end(view.shape, 1) == columns;
}

}  // namespace

Sizes::Sizes(const Attention& spec) {
  const Shape& shape = spec.q.shape;
  bool fits = is_floating(spec.dtype) && shape.rank() >= 2 && spec.k.shape.rank() == shape.rank() &&
              spec.v.shape.rank() == shape.rank();
  if (fits) {
    for (int d = 0; d < shape.rank() - 2; ++d) matrices *= shape[d];
    queries = from_end(shape, 2);
    depth = from_end(shape, 1);
    keys = from_end(spec.k.shape, 2);
    width = from_end(spec.v.shape, 1);
    fits = has_shape(spec.k, shape, keys, depth) && has_shape(spec.v, shape, keys, width) &&
           (!spec.mask || has_shape(*spec.mask, shape, queries, keys)) &&
           std::min({matrices, queries, keys, depth, width}) > 0;
  }
  if (!fits) {
    throw InternalError("malformed attention of " + std::string(name_of(spec.dtype)) + ": " +
                        shape.text() + ", " + spec.k.shape.text() + " and " + spec.v.shape.text());
  }
}

Place place_of(const StridedView& view, std::int64_t matrix) {
  const auto rank = static_cast<std::size_t>(view.shape.rank());
  Place out = {view.offset, view.strides[rank - 2], view.strides[rank - 1]};
  for (std::size_t d = rank - 2; d-- > 0;) {
    const std::int64_t size = view.shape[static_cast<int>(d)];
    out.offset += matrix % size * view.strides[d];
    matrix /= size;
  }
  return out;
}

namespace {

constexpr std::int64_t kQueries = 64;  // of a tile
constexpr std::int64_t kKeys = 512;    // at a time, at most
constexpr std::int64_t kKeyStep = 64;  // fewer where a mask hides the rest: multiples of this

// The tiles of one call.
template <class T>
class Forward {
  using C = Wide<T>;

 public:
  Forward(const Attention& spec, const Sizes& sizes, const KnownProducts& products, const T* q,
          const T* k, const T* v, const bool* mask, T* result)
      : spec_(spec),
        sizes_(sizes),
        q_(q),
        k_(k),
        v_(v),
        mask_(mask),
        result_(result),
        memory_(take_memory(sizes_)),
        products_(products) {
    C* next = memory_.get();
    const std::int64_t queries = queries_at_once(sizes_);
    const std::int64_t keys = keys_at_once(sizes_);
    const auto take = [&](std::int64_t count) {
      C* const out = next;
      next += padded_scores(count);
      return out;
    };
    q_copy_ = take(queries * sizes_.depth);
    sums_ = take(queries * sizes_.width);
    scores_ = take(queries * keys);
    k_copy_ = take(keys * sizes_.depth);
    v_copy_ = take(keys * sizes_.width);
  }

  void run(std::int64_t tile) {
    const std::int64_t blocks = divide_up(sizes_.queries, kQueries);
    const std::int64_t matrix = tile / blocks;
    const std::int64_t query = tile % blocks * kQueries;
    const std::int64_t rows = std::min(kQueries, sizes_.queries - query);
    copy_rows(q_, place_of(spec_.q, matrix), query, rows, sizes_.depth, q_copy_);
    for (std::int64_t i = 0; i < rows * sizes_.depth; ++i)
      q_copy_[i] *= static_cast<C>(spec_.scale);
    std::fill(running_, running_ + rows, RunningRow<C>{-std::numeric_limits<C>::infinity(), 0, 0});
    const std::int64_t seen = keys_seen(spec_, sizes_, query + rows);
    bool first = true;
    for (std::int64_t key = 0; key < seen; key += kKeys) {
      const std::int64_t count = std::min(kKeys, seen - key);
      const std::int64_t shown = keys_shown(spec_, mask_, matrix, query, rows, key, count);
      if (shown == 0) continue;
      // A product of another width is another product: few widths will do.
      const std::int64_t wide = (shown + kKeyStep - 1) / kKeyStep * kKeyStep;
      add_keys(matrix, query, rows, key, std::min(wide, count), first);
      first = false;
    }
    if (first) std::fill(sums_, sums_ + rows * sizes_.width, C{0});
    T* const to = result_ + (matrix * sizes_.queries + query) * sizes_.width;
    for (std::int64_t i = 0; i < rows; ++i) {
      const C sum = running_[i].sum;
      // Not `> 0`: a sum that is NaN makes its row NaN.
      scale_row(i, sum == 0 ? C{1} : 1 / sum);
      convert_back(sums_ + i * sizes_.width, to + i * sizes_.width, sizes_.width);
    }
  }

 private:
  static std::int64_t queries_at_once(const Sizes& sizes) {
    return std::min(kQueries, sizes.queries);
  }
  static std::int64_t keys_at_once(const Sizes& sizes) {
    return padded_scores(std::min(kKeys, sizes.keys));
  }

  static Scratch::Use<C> take_memory(const Sizes& sizes) {
    constinit thread_local PerThread<Scratch> scratch;
    const std::int64_t queries = queries_at_once(sizes);
    const std::int64_t keys = keys_at_once(sizes);
    // Each begins at a whole cache line.
    return scratch.get().use<C>(padded_scores(queries * sizes.depth) +
                                padded_scores(queries * sizes.width) + queries * keys +
                                keys * (sizes.depth + sizes.width));
  }

  void add_keys(std::int64_t matrix, std::int64_t query, std::int64_t rows, std::int64_t key,
                std::int64_t count, bool first) {
    const Rows<C> k = rows_of(k_, place_of(spec_.k, matrix), key, count, sizes_.depth, k_copy_);
    const Rows<C> v = rows_of(v_, place_of(spec_.v, matrix), key, count, sizes_.width, v_copy_);
    const std::int64_t padded = padded_scores(count);
    products_.multiply(rows, count, sizes_.depth, as_is(Rows<C>{q_copy_, sizes_.depth}),
                       transposed(k), scores_, padded, false);
    hide(spec_, mask_, matrix, query, rows, key, count, scores_);
    exponentiate(scores_, rows, padded, running_);
    for (std::int64_t i = 0; !first && i < rows; ++i) {
      if (running_[i].factor != 1) scale_row(i, running_[i].factor);
    }
    products_.multiply(rows, sizes_.width, count, as_is(Rows<C>{scores_, padded}), as_is(v), sums_,
                       sizes_.width, !first);
  }

  void scale_row(std::int64_t row, C factor) {
    C* const sums = sums_ + row * sizes_.width;
    for (std::int64_t j = 0; j < sizes_.width; ++j) sums[j] *= factor;
  }

  const Attention& spec_;
  const Sizes& sizes_;
  const T* const q_;
  const T* const k_;
  const T* const v_;
  const bool* const mask_;
  T* const result_;
  const Scratch::Use<C> memory_;
  Products<C> products_;
  RunningRow<C> running_[kQueries];
  C* q_copy_;  // times the scale
  C* sums_;    // of values, by exp(score - top)
  C* scores_;
  C* k_copy_;
  C* v_copy_;
};

}  // namespace

}  // namespace attention

struct PreparedAttention::Plan {
  Attention spec;
  attention::Sizes sizes;
  KnownProducts products;

  explicit Plan(const Attention& given) : spec(given), sizes(given) {}
};

PreparedAttention::PreparedAttention(const Attention& spec)
    : plan_(std::make_shared<const Plan>(spec)) {}

std::int64_t tiles(const PreparedAttention& prepared) {
  const attention::Sizes& sizes = prepared.plan_->sizes;
  return sizes.matrices * divide_up(sizes.queries, attention::kQueries);
}

void run(const PreparedAttention& prepared, const void* q, const void* k, const void* v,
         const bool* mask, void* result, std::int64_t begin, std::int64_t end) {
  const PreparedAttention::Plan& plan = *prepared.plan_;
  attention::visit_floating(plan.spec.dtype, [&]<class T>(std::type_identity<T>) {
    attention::Forward<T> forward(plan.spec, plan.sizes, plan.products, static_cast<const T*>(q),
                                  static_cast<const T*>(k), static_cast<const T*>(v), mask,
                                  static_cast<T*>(result));
    for (std::int64_t tile = begin; tile < end; ++tile) forward.run(tile);
  });
}

}  // namespace tutti::kernels
