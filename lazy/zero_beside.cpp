#include <tutti/lazy/ops.h>
#include <tutti/lazy/zero_beside.h>

#include <vector>

namespace tutti::detail {

Tensor zero_beside(const Tensor& x, DType dtype, Location where) {
  const auto at = [&](const Tensor& t) { return Operand(t, where); };
  const std::vector<Range> first(static_cast<std::size_t>(x.rank()), {.stop = 1});
  const Tensor one = slice(at(x), first);
  return zeros_like(at(one.dtype() == dtype ? one : cast(at(one), dtype)));
}

}  // namespace tutti::detail
