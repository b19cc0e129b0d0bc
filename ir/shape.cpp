#include <tutti/ir/shape.h>
#include <tutti/ir/support/error.h>

#include <ostream>

namespace tutti {

namespace {

std::string list(std::span<const std::int64_t> sizes) {
  std::string out = "[";
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (i != 0) out += ",";
    out += std::to_string(sizes[i]);
  }
  return out + "]";
}

}  // namespace

Shape::Shape(std::span<const std::int64_t> sizes, Location where)
    : rank_(static_cast<int>(sizes.size())) {
  if (sizes.size() > kMaxRank) {
    throw TypeError("shape " + list(sizes) + " has " + std::to_string(sizes.size()) +
                        " dimensions; at most " + std::to_string(kMaxRank) + " are supported",
                    where);
  }
  bool zero = false;
  for (const std::int64_t size : sizes) zero = zero || size == 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] < 0) {
      throw TypeError(
          "shape " + list(sizes) + " has a negative size in dimension " + std::to_string(i), where);
    }
    sizes_[i] = sizes[i];
    if (sizes[i] > kMostElements || (!zero && sizes[i] > kMostElements / elements_)) {
      throw TypeError("shape " + list(sizes) + " has 2^60 elements or more", where);
    }
    if (!zero) elements_ *= sizes[i];
  }
  if (zero) elements_ = 0;
}

void Shape::refuse(Dimension dimension) const {
  const std::string there = rank_ == 0   ? ", which has none"
                            : rank_ == 1 ? "; 0 is there"
                                         : "; 0 to " + std::to_string(rank_ - 1) + " are there";
  throw TypeError("dimension " + std::to_string(dimension.number) + " of shape " + text() + there,
                  dimension.where);
}

std::array<std::int64_t, Shape::kMaxRank> Shape::strides() const {
  std::array<std::int64_t, kMaxRank> out{};
  std::int64_t stride = 1;
  for (int d = rank_ - 1; d >= 0; --d) {
    out[static_cast<std::size_t>(d)] = stride;
    // A shape without elements may have products that do not fit; nobody steps by them.
    (void)__builtin_mul_overflow(stride, sizes_[static_cast<std::size_t>(d)], &stride);
  }
  return out;
}

std::string Shape::text() const { return list(sizes()); }

std::ostream& operator<<(std::ostream& out, const Shape& shape) { return out << shape.text(); }

}  // namespace tutti
