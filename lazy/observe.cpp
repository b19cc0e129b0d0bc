#include <tutti/ir/observation.h>
#include <tutti/lazy/context.h>
#include <tutti/lazy/device.h>
#include <tutti/lazy/observe.h>

namespace tutti {

namespace {

// Observations are the host's.
Tensor observed(ir::Observation what, std::string_view text, const Operand& x) {
  const Tensor tensor = x.tensor();
  const Device device =
      tensor.device().is_any() ? default_device() : tensor.device();  // of numbers
  const Tensor host = device.is_cpu() ? tensor : to({tensor, x.where()}, Device::cpu());
  const Tensor shown(detail::record(ir::Op::observe, {host.state(x.where())},
                                    {std::string(ir::name_of(what)), std::string(text)},
                                    x.where()));
  return device.is_cpu() ? shown : to({shown, x.where()}, device);
}

}  // namespace

Tensor debug_print(std::string_view text, const Operand& x) {
  return observed(ir::Observation::print, text, x);
}

Tensor check_finite(const Operand& x, std::string_view name) {
  return observed(ir::Observation::finite, name, x);
}

}  // namespace tutti
