#include <tutti/lazy/random.h>
#include <tutti/lazy/trace.h>

namespace tutti {

namespace {

using detail::RankContext;
using ir::Op;

// A u64 that is passed at run time: another seed is no new program.
Tensor runtime_number(std::uint64_t number, Location where) {
  detail::Trace& trace = RankContext::current().trace();
  trace.builder().at(where);
  return Tensor(trace.handle(trace.runtime_scalar(Array::scalar(number)), where));
}

std::vector<std::int64_t> list(const Shape& shape) { return {shape.begin(), shape.end()}; }

}  // namespace

Key::Key(std::uint64_t seed, std::source_location at) : value(runtime_number(seed, at)) {}

Key fold_in(const Key& key, const Operand& number) {
  // A C++ number is passed at run time: a loop over it is one program.
  Tensor folded;
  if (const auto* natural = std::get_if<std::uint64_t>(&number.value())) {
    folded = runtime_number(*natural, number.where());
  } else if (const auto* integer = std::get_if<std::int64_t>(&number.value());
             integer != nullptr && *integer >= 0) {
    folded = runtime_number(static_cast<std::uint64_t>(*integer), number.where());
  } else {
    folded = number.tensor(DType::u64);
  }
  if (folded.dtype() != DType::u64) {
    folded = Tensor(detail::record(Op::cast, {folded.state()}, {DType::u64}, number.where()));
  }
  return Key(
      Tensor(detail::record(Op::fold_in, {key.value.state(), folded.state()}, {}, number.where())));
}

Key split_part(const Key& key, std::uint64_t part, std::source_location at) {
  // The top bit keeps the parts of a split apart from what loops fold in.
  const Tensor number = runtime_number(part | std::uint64_t{1} << 63, at);
  return Key(Tensor(detail::record(Op::fold_in, {key.value.state(), number.state()}, {}, at)));
}

Tensor random_bits(const Shape& shape, const Key& key, std::source_location at) {
  return Tensor(detail::record(Op::random_bits, {key.value.state()}, {list(shape)}, at));
}

Tensor uniform(const Shape& shape, const Key& key, DType dtype, std::source_location at) {
  return Tensor(detail::record(Op::uniform, {key.value.state()}, {dtype, list(shape)}, at));
}

Tensor normal(const Shape& shape, const Key& key, DType dtype, std::source_location at) {
  return Tensor(detail::record(Op::normal, {key.value.state()}, {dtype, list(shape)}, at));
}

}  // namespace tutti
