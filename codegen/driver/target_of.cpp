#include <tutti/codegen/cuda/target.h>
#include <tutti/codegen/driver/target_of.h>
#include <tutti/codegen/host_target.h>

namespace tutti::codegen {

std::array<const Target*, 2> targets() { return {&host_target(), &cuda::target()}; }

const Target& target_of(Device device) { return device.is_cpu() ? host_target() : cuda::target(); }

}  // namespace tutti::codegen
