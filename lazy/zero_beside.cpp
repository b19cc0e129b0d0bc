#include <tutti/lazy/ops.h>
#include <tutti/lazy/zero_beside.h>

#include <vector>

namespace tutti::detail {

Tensor zero_beside(const Tensor& x, DType dtype) {
  const std::vector<Range> first(static_cast<std::size_t>(x.rank()), {.stop = 1});
  const Tensor one = slice(x, first);
  return zeros_like(one.dtype() == dtype ? one : cast(one, dtype));
}

}  // namespace tutti::detail
