#include <tutti/codegen/llvm/libm.h>

#include <cmath>

namespace tutti::codegen::native {

namespace {

// A function of ours around the library's: those are overloaded and may be builtins.
template <class Function>
const void* address(Function* function) {
  return reinterpret_cast<const void*>(function);
}

}  // namespace

const std::vector<LibmFunction>& libm_functions() {
  static const std::vector<LibmFunction> functions = {
#define TUTTI_UNARY(name)                                                  \
  {"tutti_" #name "_f32", address(+[](float x) { return std::name(x); })}, \
      {"tutti_" #name "_f64", address(+[](double x) { return std::name(x); })},
      // clang-format off
      TUTTI_UNARY(exp) TUTTI_UNARY(exp2) TUTTI_UNARY(expm1)
      TUTTI_UNARY(log) TUTTI_UNARY(log2) TUTTI_UNARY(log1p)
      TUTTI_UNARY(sin) TUTTI_UNARY(cos) TUTTI_UNARY(tan)
      TUTTI_UNARY(tanh) TUTTI_UNARY(erf) TUTTI_UNARY(cbrt)
#undef TUTTI_UNARY
#define TUTTI_BINARY(name, function)                                                     \
  {"tutti_" #name "_f32", address(+[](float x, float y) { return std::function(x, y); })}, \
      {"tutti_" #name "_f64", address(+[](double x, double y) { return std::function(x, y); })},
      TUTTI_BINARY(pow, pow) TUTTI_BINARY(atan2, atan2) TUTTI_BINARY(mod, fmod)
  // clang-format on
#undef TUTTI_BINARY
  };
  return functions;
}

std::string libm_name(ir::ScalarOp op, DType dtype) {
  return "tutti_" + std::string(ir::name_of(op)) + "_" + std::string(name_of(dtype));
}

}  // namespace tutti::codegen::native
