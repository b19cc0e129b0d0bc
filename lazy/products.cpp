#include <tutti/lazy/axes.h>
#include <tutti/lazy/context.h>
#include <tutti/lazy/ops.h>

#include <string>

// The ops that stand for several products: dot_general, conv.
namespace tutti {

namespace {

using detail::record;
using detail::StatePtr;
using ir::Op;
using List = std::vector<std::int64_t>;

// A list of an operand's axes, counted from 0, in its own order.
List counted(List axes, const Tensor& x, Location where) {
  for (std::int64_t& axis : axes) {
    axis = detail::normal_axis("dot_general", axis, x, where);
  }
  return axes;
}

// One element for each spatial dimension. One alone stands for all; what fits neither way the op
// refuses.
template <class T>
std::vector<T> for_each_dimension(std::vector<T> list, const Tensor& x) {
  if (list.size() == 1 && x.rank() > 3) {
    list.resize(static_cast<std::size_t>(x.rank() - 2), list[0]);
  }
  return list;
}

}  // namespace

Tensor dot_general(const Operand& x, const Operand& y, const DotDimensions& dimensions) {
  const Tensor a = x.tensor();
  const Tensor b = y.tensor();
  return Tensor(record(
      Op::dot_general, {a.state(), b.state()},
      {counted(dimensions.contract_x, a, x.where()), counted(dimensions.contract_y, b, x.where()),
       counted(dimensions.batch_x, a, x.where()), counted(dimensions.batch_y, b, x.where())},
      x.where()));
}

Tensor conv(const Operand& x, const Operand& weight, const ConvOptions& options) {
  const Tensor a = x.tensor();
  List low;
  List high;
  for (const ConvOptions::Padding& padding : for_each_dimension(options.padding, a)) {
    low.push_back(padding.low);
    high.push_back(padding.high);
  }
  return Tensor(record(Op::conv, {a.state(), weight.tensor().state()},
                       {for_each_dimension(options.stride, a), std::move(low), std::move(high),
                        for_each_dimension(options.dilation, a), options.groups},
                       x.where()));
}

}  // namespace tutti
