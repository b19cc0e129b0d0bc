#include <tutti/ir/support/error.h>
#include <tutti/lazy/context.h>
#include <tutti/lazy/device.h>

namespace tutti {

using detail::RankContext;

Device default_device() { return RankContext::current().default_device(); }

void set_default_device(Device device, std::source_location at) {
  RankContext::current().set_default_device(device, at);
}

Tensor to(const Operand& x, Device device) {
  if (device.is_any()) throw UsageError("to: the device is cpu or a GPU", x.where());
  const Tensor tensor = x.tensor();
  if (x.is_tensor() && tensor.device() == device) return tensor;
  return Tensor(detail::record(ir::Op::to_device, {tensor.state()}, {device.text()}, x.where()));
}

Tensor detail::placed(const Tensor& y, const Tensor& x) {
  return y.device() == x.device() ? y : to(y, x.device());
}

void synchronize() { RankContext::current().runtime().synchronize(); }

}  // namespace tutti
