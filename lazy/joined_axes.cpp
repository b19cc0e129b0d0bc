#include <tutti/lazy/context.h>
#include <tutti/lazy/joined_axes.h>

#include <algorithm>
#include <vector>

namespace tutti::detail {

JoinedAxes::JoinedAxes(const Tensor& x, std::initializer_list<std::int64_t> apart, Location where) {
  const auto stands_apart = [&](std::int64_t axis) {
    return std::ranges::find(apart, axis) != apart.end();
  };
  while (stands_apart(joined) || stands_apart(joined + 1)) ++joined;
  std::vector<std::int64_t> sizes(x.shape().begin(), x.shape().end());
  const auto second = sizes.begin() + joined + 1;
  *(second - 1) *= *second;
  sizes.erase(second);
  tensor = Tensor(record(ir::Op::reshape, {x.state()}, {sizes}, where));
}

}  // namespace tutti::detail
