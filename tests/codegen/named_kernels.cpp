#include "tests/codegen/named_kernels.h"

#include <map>

#include "tests/codegen/lowered_kernels.h"

namespace tutti::codegen::kernel_testing {

namespace {

struct Program {
  const char* name;
  // R, C: extents of the matrix; E: their product.
  const char* text;
};

constexpr Program kPrograms[] = {
    {"softmax", R"(
func @f(%x: bf16[R,C]) -> (bf16[R,C]) {
  %0 = softmax(%x) {axis = 1} : bf16[R,C]
  return %0
})"},
    {"layer_norm", R"(
func @f(%x: f32[R,C], %scale: f32[C], %shift: f32[C]) -> (f32[R,C]) {
  %0 = layer_norm(%x, %scale, %shift) : f32[R,C]
  return %0
})"},
    {"cross_entropy", R"(
func @f(%x: f32[R,C], %target: f32[R,C]) -> (f32[R]) {
  %0 = log_softmax(%x) {axis = 1} : f32[R,C]
  %1 = mul(%0, %target) : f32[R,C]
  %2 = sum(%1) {axes = [1]} : f32[R]
  %3 = neg(%2) : f32[R]
  return %3
})"},
    {"bias_gelu", R"(
func @f(%x: bf16[R,C], %bias: bf16[C]) -> (bf16[R,C]) {
  %0 = add(%x, %bias) : bf16[R,C]
  %1 = gelu(%0) {approximate = "tanh"} : bf16[R,C]
  return %1
})"},
    {"gelu_erf", R"(
func @f(%x: f32[R,C]) -> (f32[R,C]) {
  %0 = gelu(%x) : f32[R,C]
  return %0
})"},
    {"column_sum", R"(
func @f(%x: f32[R,C]) -> (f32[C]) {
  %0 = sum(%x) {axes = [0]} : f32[C]
  return %0
})"},
    {"column_mean_of_halves", R"(
func @f(%x: f16[R,C], %y: f16[R,C]) -> (f16[C]) {
  %0 = mul(%x, %y) : f16[R,C]
  %1 = mean(%0) {axes = [0]} : f16[C]
  return %1
})"},
    {"full_sum", R"(
func @f(%x: f32[R,C]) -> (f32[]) {
  %0 = mul(%x, %x) : f32[R,C]
  %1 = sum(%0) {axes = [0, 1]} : f32[]
  return %1
})"},
    {"transpose", R"(
func @f(%x: f32[C,R], %y: f32[R,C]) -> (f32[R,C]) {
  %0 = transpose(%x) {permutation = [1, 0]} : f32[R,C]
  %1 = add(%0, %y) : f32[R,C]
  return %1
})"},
    {"mask", R"(
func @f(%x: bf16[R,C], %keep: bool[R,C]) -> (bf16[R,C]) {
  %0 = constant() {value = bf16[] -1000} : bf16[]
  %1 = broadcast_to(%0) {shape = [R, C]} : bf16[R,C]
  %2 = select(%keep, %x, %1) : bf16[R,C]
  return %2
})"},
    {"adamw", R"(
func @f(%x: f32[E], %g: f32[E], %m: f32[E], %v: f32[E], %rate: f32[]) -> (f32[E], f32[E], f32[E]) {
  %b1 = constant() {value = f32[] 0.9} : f32[]
  %c1 = constant() {value = f32[] 0.1} : f32[]
  %b2 = constant() {value = f32[] 0.999} : f32[]
  %c2 = constant() {value = f32[] 0.001} : f32[]
  %eps = constant() {value = f32[] 1e-08} : f32[]
  %0 = mul(%b1, %m) : f32[E]
  %1 = mul(%c1, %g) : f32[E]
  %2 = add(%0, %1) : f32[E]
  %3 = mul(%g, %g) : f32[E]
  %4 = mul(%c2, %3) : f32[E]
  %5 = mul(%b2, %v) : f32[E]
  %6 = add(%5, %4) : f32[E]
  %7 = sqrt(%6) : f32[E]
  %8 = add(%7, %eps) : f32[E]
  %9 = div(%2, %8) : f32[E]
  %10 = mul(%rate, %9) : f32[E]
  %11 = sub(%x, %10) : f32[E]
  return %11, %2, %6
})"},
};

std::string with_extents(std::string text, std::int64_t rows, std::int64_t columns) {
  const std::map<char, std::int64_t> extents = {{'R', rows}, {'C', columns}, {'E', rows * columns}};
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto found = extents.find(text[i]);
    const bool alone = i > 0 && (text[i - 1] == '[' || text[i - 1] == ',' || text[i - 1] == ' ');
    out +=
        found != extents.end() && alone ? std::to_string(found->second) : std::string(1, text[i]);
  }
  return out;
}

}  // namespace

std::vector<NamedKernel> named_kernels(Size size) {
  std::vector<NamedKernel> out;
  for (const Program& program : kPrograms) {
    const std::string text = size == Size::small ? with_extents(program.text, 70, 96)
                                                 : with_extents(program.text, 8192, 1024);
    const std::vector<Kernel> kernels = lowered(text);
    for (std::size_t i = 0; i < kernels.size(); ++i) {
      out.push_back({program.name + (i == 0 ? "" : "_" + std::to_string(i)), kernels[i]});
    }
  }
  return out;
}

}  // namespace tutti::codegen::kernel_testing
