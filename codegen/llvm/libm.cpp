#include <tutti/codegen/llvm/libm.h>

#include <cmath>

namespace tutti::codegen::native {

namespace {

#define TUTTI_LIBM_UNARY(X) \
  X(exp) X(exp2) X(expm1) X(log) X(log2) X(log1p) X(cbrt) X(sin) X(cos) X(tan) X(tanh) X(erf)
#define TUTTI_LIBM_BINARY(X) X(pow, pow) X(atan2, atan2) X(mod, fmod)

// The addresses of overloaded and builtin functions differ between libraries; those of these don't.
#define TUTTI_DEFINE(name)                                   \
  extern "C" float tutti_##name##_f32(float x);              \
  extern "C" double tutti_##name##_f64(double x);            \
  float tutti_##name##_f32(float x) { return std::name(x); } \
  double tutti_##name##_f64(double x) { return std::name(x); }
TUTTI_LIBM_UNARY(TUTTI_DEFINE)
#undef TUTTI_DEFINE

#define TUTTI_DEFINE(name, function)                                         \
  extern "C" float tutti_##name##_f32(float x, float y);                     \
  extern "C" double tutti_##name##_f64(double x, double y);                  \
  float tutti_##name##_f32(float x, float y) { return std::function(x, y); } \
  double tutti_##name##_f64(double x, double y) { return std::function(x, y); }
TUTTI_LIBM_BINARY(TUTTI_DEFINE)
#undef TUTTI_DEFINE

}  // namespace

const std::vector<LibmFunction>& libm_functions() {
  static const std::vector<LibmFunction> functions = {
#define TUTTI_ENTRY(name, ...)                                                 \
  {"tutti_" #name "_f32", reinterpret_cast<const void*>(&tutti_##name##_f32)}, \
      {"tutti_" #name "_f64", reinterpret_cast<const void*>(&tutti_##name##_f64)},
      TUTTI_LIBM_UNARY(TUTTI_ENTRY) TUTTI_LIBM_BINARY(TUTTI_ENTRY)
#undef TUTTI_ENTRY
  };
  return functions;
}

std::string libm_name(ir::ScalarOp op, DType dtype) {
  return "tutti_" + std::string(ir::name_of(op)) + "_" + std::string(name_of(dtype));
}

}  // namespace tutti::codegen::native
