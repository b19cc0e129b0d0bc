#include <tutti/lazy/context.h>
#include <tutti/lazy/create.h>
#include <tutti/lazy/ops.h>

namespace tutti {

using detail::RankContext;

Tensor from(const Array& array, std::source_location at) {
  return Tensor(RankContext::current().data(array, at));
}

Tensor view(void* data, const Shape& shape, DType dtype, std::function<void(void*)> release,
            std::source_location at) {
  const ir::Type type{.dtype = dtype, .shape = shape};
  if (data == nullptr && type.bytes() > 0) throw UsageError("view: the pointer is null", at);
  auto buffer =
      runtime::Buffer::wrap(data, static_cast<std::size_t>(type.bytes()), std::move(release));
  return Tensor(RankContext::current().leaf(type, std::move(buffer), at));
}

namespace {

// What numbers alone make.
Tensor made(ir::Op op, std::span<const detail::StatePtr> operands,
            std::vector<ir::Attribute> attributes, Location where) {
  RankContext& context = RankContext::current();
  return Tensor(
      context.on_default_device(detail::record(op, operands, std::move(attributes), where), where));
}

// A number gets its place here, a tensor keeps its own.
Tensor spread(const Operand& value, DType dtype, const Shape& shape) {
  const detail::StatePtr scalar = value.tensor(dtype).state();
  std::vector<ir::Attribute> sizes = {std::vector<std::int64_t>(shape.begin(), shape.end())};
  if (!value.is_tensor()) {
    return made(ir::Op::broadcast_to, std::span(&scalar, 1), std::move(sizes), value.where());
  }
  return Tensor(detail::record(ir::Op::broadcast_to, {scalar}, std::move(sizes), value.where()));
}

Tensor filled(const Shape& shape, bool one, DType dtype, std::source_location at) {
  const Operand value = dtype == DType::boolean ? Operand(one, at) : Operand(one ? 1 : 0, at);
  return full(shape, value, dtype);
}

}  // namespace

Tensor full(const Shape& shape, const Operand& value) {
  return spread(value, value.dtype(), shape);
}

Tensor full(const Shape& shape, const Operand& value, DType dtype) {
  return spread(value, dtype, shape);
}

Tensor zeros(const Shape& shape, DType dtype, std::source_location at) {
  return filled(shape, false, dtype, at);
}

Tensor ones(const Shape& shape, DType dtype, std::source_location at) {
  return filled(shape, true, dtype, at);
}

Tensor arange(std::int64_t count, DType dtype, std::source_location at) {
  return iota({count}, 0, dtype, at);
}

Tensor iota(const Shape& shape, std::int64_t axis, DType dtype, std::source_location at) {
  const std::int64_t normal = axis < 0 ? axis + shape.rank() : axis;
  return made(ir::Op::iota, {},
              {dtype, std::vector<std::int64_t>(shape.begin(), shape.end()), normal}, at);
}

Tensor abstract(const Shape& shape, DType dtype, const AbstractOptions& options,
                std::source_location at) {
  if (options.device.is_any()) throw UsageError("abstract: cpu or a GPU", at);
  detail::StatePtr state = detail::StatePtr::make();
  // Over all dimensions that a mesh may have.
  const auto dimensions = static_cast<std::uint8_t>(options.replicated ? 0xFF : 0);
  state->type = {.dtype = dtype,
                 .shape = shape,
                 .replication = {.dimensions = dimensions, .literal = false},
                 .async = false,
                 .device = options.device};
  state->where = at;
  state->abstract = true;
  return Tensor(std::move(state));
}

Tensor constant(const Tensor& tensor, std::source_location at) {
  RankContext& context = RankContext::current();
  if (!context.compiling() || tensor.state()->trace == &context.trace()) return tensor;
  detail::check_readable(*tensor.state(), at);
  const detail::StatePtr& state = tensor.state();
  context.flush(std::span(&state, 1));
  detail::Trace& trace = context.trace();
  return Tensor(
      trace.handle(trace.add_input(state, "constant" + std::to_string(trace.inputs().size())), at));
}

}  // namespace tutti
