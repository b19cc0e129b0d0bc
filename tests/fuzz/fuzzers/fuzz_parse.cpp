#include <cstddef>
#include <cstdint>
#include <string_view>

#include "tests/fuzz/properties.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  tutti::fuzz::ir_text({reinterpret_cast<const char*>(data), size});
  return 0;
}
