#include <tutti/ir/ops/family.h>
#include <tutti/ir/philox.h>

namespace tutti::ir::family {

namespace {

void check_key(const Inference& in) {
  in.require(in.operand(0).dtype == DType::u64 && in.operand(0).shape.rank() == 0,
             "the key must be a u64[]");
}

void infer_fold_in(Inference& in) {
  check_key(in);
  in.require(in.operand(1).dtype == DType::u64, "the number must be u64; cast it");
  in.result(DType::u64, in.operand(1).shape);
}
void infer_random_bits(Inference& in) {
  check_key(in);
  in.result(DType::u32, Shape(in.attributes.integers("shape")));
}
void infer_uniform(Inference& in) {
  check_key(in);
  in.require(is_floating(in.attributes.dtype("dtype")), "makes floating-point numbers");
  in.result(in.attributes.dtype("dtype"), Shape(in.attributes.integers("shape")));
}
constexpr auto infer_normal = infer_uniform;

std::uint64_t key_of(const Interpretation& in) { return in.operand(0).data<std::uint64_t>()[0]; }

void interpret_fold_in(Interpretation& in) {
  Array out(DType::u64, in.result_type().shape);
  for (std::size_t i = 0; i < out.data<std::uint64_t>().size(); ++i) {
    out.data<std::uint64_t>()[i] = fold_in(key_of(in), in.operand(1).data<std::uint64_t>()[i]);
  }
  in.result(std::move(out));
}
void interpret_random_bits(Interpretation& in) {
  Array out(DType::u32, in.result_type().shape);
  std::uint64_t i = 0;
  for (std::uint32_t& bits : out.data<std::uint32_t>()) bits = random_bits(key_of(in), i++);
  in.result(std::move(out));
}

// Calls make(std::type_identity<T>(), i) for every element of a floating-point result.
template <class F>
void fill_floating(Interpretation& in, F&& make) {
  Array out(in.result_type().dtype, in.result_type().shape);
  visit_dtype(out.dtype(), [&]<class T>(std::type_identity<T> tag) {
    if constexpr (!std::is_integral_v<T>) {
      std::uint64_t i = 0;
      for (T& element : out.data<T>()) element = make(tag, i++);
    }
  });
  in.result(std::move(out));
}
void interpret_uniform(Interpretation& in) {
  fill_floating(in, [&]<class T>(std::type_identity<T>, std::uint64_t i) {
    return random_uniform<T>(key_of(in), i);
  });
}
void interpret_normal(Interpretation& in) {
  fill_floating(in, [&]<class T>(std::type_identity<T>, std::uint64_t i) {
    if constexpr (std::is_same_v<T, double>) {
      return random_normal(key_of(in), i);
    } else {
      return T(static_cast<float>(random_normal(key_of(in), i)));
    }
  });
}

}  // namespace

void add_random(std::vector<Definition>& out) {
#define TUTTI_STRUCTURED(id, kind_, least, most, docs, ...) \
  out.push_back({.op = Op::id,                              \
                 .name = #id,                               \
                 .kind = OpClass::kind_,                    \
                 .least_operands = least,                   \
                 .most_operands = most,                     \
                 .attributes = __VA_ARGS__,                 \
                 .infer = infer_##id,                       \
                 .gradient = nullptr,                       \
                 .interpret = interpret_##id,               \
                 .documentation = docs});
#include <tutti/ir/table/random.def>
#undef TUTTI_STRUCTURED
}

}  // namespace tutti::ir::family
