#pragma once

#include <tutti/codegen/kernel/kernel.h>
#include <tutti/codegen/plan/launch.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace tutti::codegen {

// A host kernel with its spec; `call(spec, buffers, begin, end)` picks the buffers.
template <class Spec, class Call>
class HostKernel final : public KernelCode {
 public:
  HostKernel(Spec spec, Call call) : spec_(std::move(spec)), call_(std::move(call)) {}
  void run(void* const* buffers, std::int64_t begin, std::int64_t end) const override {
    call_(spec_, buffers, begin, end);
  }

 private:
  Spec spec_;
  Call call_;
};

// The launch of one, without buffers.
template <class Spec, class Call>
LaunchPart host_call(std::string_view name, std::string detail, Spec spec, Call call) {
  const std::int64_t count = tiles(spec);
  return {.name = std::string(name),
          .detail = std::move(detail),
          .code = std::make_shared<const HostKernel<Spec, Call>>(std::move(spec), std::move(call)),
          .tiles = count};
}

}  // namespace tutti::codegen
