#include <tutti/ir/support/error.h>
#include <tutti/lazy/coalesced_calls.h>
#include <tutti/lazy/create.h>
#include <tutti/lazy/device.h>
#include <tutti/lazy/in_place.h>
#include <tutti/lazy/ops.h>
#include <tutti/lazy/record_collective.h>

#include <algorithm>
#include <utility>

namespace tutti {

namespace {

using detail::InPlaceCall;
using detail::reduce_name;
using ir::Op;

// This rank's place in the group, and what it calls for.
struct Caller {
  const char* name;
  const Group& group;
  Location where;

  std::int64_t members() const { return group.size(); }
  std::int64_t position() const { return group.position(); }  // -1: record_collective() complains
  [[noreturn]] void refuse(const std::string& why) const {
    throw TypeError(std::string(name) + ": " + why, where);
  }

  void check_output(const Tensor& output, const ir::Type& type) const {
    if (!output.defined()) return;
    if (output.dtype() == type.dtype && output.shape() == type.shape) return;
    refuse("the output is " + output.state()->type.text() + ", but the result is " + type.text());
  }
  // As many as members, of one dtype.
  void check_list(const std::vector<Tensor>& tensors, const char* what) const {
    if (std::ssize(tensors) != members()) {
      refuse(std::to_string(tensors.size()) + " " + what + " for " + std::to_string(members()) +
             " members");
    }
    for (const Tensor& tensor : tensors) {
      if (tensor.defined() && tensors[0].defined() && tensor.dtype() != tensors[0].dtype()) {
        refuse(std::string(what) + " of " + std::string(name_of(tensors[0].dtype())) + " and " +
               std::string(name_of(tensor.dtype())));
      }
    }
  }
  // The same, all of which have values.
  void check_inputs(const std::vector<Tensor>& inputs) const {
    check_list(inputs, "inputs");
    for (const Tensor& input : inputs) input.state(where);  // throws if there is no value
  }
};

ir::Type type_like(const Tensor& x) {
  return {.dtype = x.dtype(),
          .shape = x.shape(),
          .replication = {},
          .async = false,
          .device = x.device()};
}

ir::Type type_like(const Tensor& x, Shape shape) {
  ir::Type type = type_like(x);
  type.shape = shape;
  return type;
}

std::vector<std::int64_t> sizes_of(const Shape& shape) { return {shape.begin(), shape.end()}; }

bool all_alike(const std::vector<Tensor>& tensors) {
  return std::ranges::all_of(
      tensors, [&](const Tensor& tensor) { return tensor.shape() == tensors[0].shape(); });
}

Tensor flat(const Tensor& x, Location where) {
  detail::launch_before(x, where);
  return reshape(Operand(x, where), {x.elements()});
}

// One after another, as elements.
Tensor flat(const std::vector<Tensor>& tensors, std::source_location at) {
  std::vector<Tensor> parts;
  for (const Tensor& tensor : tensors) parts.push_back(flat(tensor, at));
  return concat(parts, 0, at);
}

// Element counts of shapes.
Sizes counts_of(const std::vector<Shape>& shapes) {
  Sizes out;
  for (const Shape& shape : shapes) out.push_back(shape.elements());
  return out;
}

// The parts of a flat tensor, in their shapes.
auto unflatten(std::vector<Shape> shapes, Location where) {
  return [=](const Tensor& result) {
    std::vector<Tensor> out;
    std::int64_t start = 0;
    for (const Shape& shape : shapes) {
      const std::int64_t stop = start + shape.elements();
      const Tensor part = slice(Operand(result, where), {{.start = start, .stop = stop}});
      out.push_back(reshape(Operand(part, where), sizes_of(shape)));
      start = stop;
    }
    return out;
  };
}

// Calls, and gives the tensors to the outputs.
void fill(InPlaceCall call, std::vector<Tensor>& outputs) {
  outputs = detail::call_in_place(std::move(call));
}
void fill(InPlaceCall call, Tensor& output) { output = detail::call_in_place(std::move(call))[0]; }

// What comes to each place: the outputs' shapes, or without outputs all like x.
std::vector<Shape> shapes_of(const Caller& caller, const std::vector<Tensor>& outputs,
                             const Tensor& x) {
  if (!outputs.empty()) caller.check_list(outputs, "outputs");
  std::vector<Shape> shapes;
  for (std::int64_t i = 0; i < caller.members(); ++i) {
    const bool given = !outputs.empty() && outputs[static_cast<std::size_t>(i)].defined();
    if (given && outputs[static_cast<std::size_t>(i)].dtype() != x.dtype()) {
      caller.check_output(outputs[static_cast<std::size_t>(i)], type_like(x));
    }
    shapes.push_back(given ? outputs[static_cast<std::size_t>(i)].shape() : x.shape());
  }
  return shapes;
}

InPlaceCall gathering(const Caller& caller, Op op, const std::vector<Tensor>& outputs,
                      const Tensor& x, std::int64_t root) {
  const std::vector<Shape> shapes = shapes_of(caller, outputs, x);
  const std::int64_t own = caller.position();
  if (own >= 0 && shapes[static_cast<std::size_t>(own)] != x.shape()) {
    caller.refuse("this rank gives " + x.state()->type.text() + ", but its output is " +
                  type_like(x, shapes[static_cast<std::size_t>(own)]).text());
  }
  Sizes sizes = counts_of(shapes);
  const bool even = std::ranges::adjacent_find(sizes, std::not_equal_to<>()) == sizes.end();
  if (even) sizes.clear();
  if (!even && op == Op::gather) {
    caller.refuse(
        "outputs of different shapes, which the other members know nothing of; gather() "
        "takes everybody's sizes");
  }
  InPlaceCall call{.op = op,
                   .operand = flat(x, caller.where),
                   .attributes = {std::int64_t{0}, caller.group.data(), sizes},
                   .types = {},
                   .finish = unflatten(shapes, caller.where),
                   .where = caller.where};
  if (op == Op::gather) call.attributes.insert(call.attributes.begin() + 1, root);
  for (const Shape& shape : shapes) call.types.push_back(type_like(x, shape));
  return call;
}

}  // namespace

void all_reduce_(Tensor& x, const Group& group, Reduce reduce, std::source_location at) {
  x.state(at);  // throws if there is no value
  fill({.op = Op::all_reduce,
        .operand = x,
        .attributes = {reduce_name(reduce, at), group.data()},
        .types = {type_like(x)},
        .finish = nullptr,
        .where = at},
       x);
}

void broadcast_(Tensor& x, const Group& group, std::int64_t root, std::source_location at) {
  x.state(at);  // throws if there is no value
  fill({.op = Op::broadcast,
        .operand = x,
        .attributes = {root, group.data()},
        .types = {type_like(x)},
        .finish = nullptr,
        .where = at},
       x);
}

void reduce_(Tensor& x, const Group& group, std::int64_t root, Reduce reduce,
             std::source_location at) {
  x.state(at);  // throws if there is no value
  fill({.op = Op::reduce,
        .operand = x,
        .attributes = {reduce_name(reduce, at), root, group.data()},
        .types = {type_like(x)},
        .finish = nullptr,
        .where = at},
       x);
}

void all_gather_into_(Tensor& output, const Tensor& x, const Group& group,
                      std::source_location at) {
  x.state(at);  // throws if there is no value
  const Caller caller{.name = "all_gather_into_", .group = group, .where = at};
  std::vector<std::int64_t> sizes = sizes_of(x.shape());
  if (sizes.empty()) sizes.push_back(1);
  const Tensor operand = x.rank() == 0 ? flat(x, at) : x;
  sizes[0] *= caller.members();
  const ir::Type type = type_like(x, Shape(sizes));
  caller.check_output(output, type);
  fill({.op = Op::all_gather,
        .operand = operand,
        .attributes = {std::int64_t{0}, group.data()},
        .types = {type},
        .finish = nullptr,
        .where = at},
       output);
}

void all_gather_(std::vector<Tensor>& outputs, const Tensor& x, const Group& group,
                 std::source_location at) {
  x.state(at);  // throws if there is no value
  const Caller caller{.name = "all_gather_", .group = group, .where = at};
  fill(gathering(caller, Op::all_gather, outputs, x, 0), outputs);
}

void gather_(std::vector<Tensor>& outputs, const Tensor& x, const Group& group, std::int64_t root,
             std::source_location at) {
  x.state(at);  // throws if there is no value
  const Caller caller{.name = "gather_", .group = group, .where = at};
  if (caller.position() == root) {
    fill(gathering(caller, Op::gather, outputs, x, root), outputs);
  } else {
    std::vector<Tensor> zeros;
    fill(gathering(caller, Op::gather, {}, x, root), zeros);
  }
}

void reduce_scatter_into_(Tensor& output, const Tensor& x, const Group& group, Reduce reduce,
                          std::source_location at) {
  x.state(at);  // throws if there is no value
  const Caller caller{.name = "reduce_scatter_into_", .group = group, .where = at};
  std::vector<std::int64_t> sizes = sizes_of(x.shape());
  if (sizes.empty() || sizes[0] % caller.members() != 0) {
    caller.refuse("the first dimension of " + x.state(at)->type.text() + " does not divide among " +
                  std::to_string(caller.members()) + " members");
  }
  sizes[0] /= caller.members();
  const ir::Type type = type_like(x, Shape(sizes));
  caller.check_output(output, type);
  fill({.op = Op::reduce_scatter,
        .operand = x,
        .attributes = {reduce_name(reduce, at), std::int64_t{0}, group.data()},
        .types = {type},
        .finish = nullptr,
        .where = at},
       output);
}

void reduce_scatter_(Tensor& output, const std::vector<Tensor>& inputs, const Group& group,
                     Reduce reduce, std::source_location at) {
  const Caller caller{.name = "reduce_scatter_", .group = group, .where = at};
  caller.check_inputs(inputs);
  const auto own = static_cast<std::size_t>(std::max<std::int64_t>(caller.position(), 0));
  caller.check_output(output, type_like(inputs[own]));
  std::vector<Shape> shapes;
  for (const Tensor& input : inputs) shapes.push_back(input.shape());
  Sizes sizes = all_alike(inputs) ? Sizes() : counts_of(shapes);
  const std::int64_t part = sizes.empty() ? -1 : sizes[own];
  fill({.op = Op::reduce_scatter,
        .operand = flat(inputs, at),
        .attributes = {reduce_name(reduce, at), std::int64_t{0}, group.data(), std::move(sizes),
                       part},
        .types = {type_like(inputs[own])},
        .finish = unflatten({shapes[own]}, at),
        .where = at},
       output);
}

void scatter_(Tensor& output, const std::vector<Tensor>& inputs, const Group& group,
              std::int64_t root, std::source_location at) {
  const Caller caller{.name = "scatter_", .group = group, .where = at};
  Tensor operand;
  if (caller.position() == root) {
    caller.check_inputs(inputs);
    if (!all_alike(inputs)) caller.refuse("inputs of different shapes");
    caller.check_output(output, type_like(inputs[0]));
    operand = flat(inputs, at);
  } else {
    if (!inputs.empty()) {
      caller.refuse("the root, position " + std::to_string(root) + ", gives the inputs alone");
    }
    if (!output.defined()) caller.refuse("the output must have the shape and dtype that come");
    operand = zeros({output.elements() * caller.members()}, output.dtype(), at);
    // What comes lies where the operand does.
    if (!output.device().is_any()) operand = to(Operand(operand, at), output.device());
  }
  const Shape shape = caller.position() == root ? inputs[0].shape() : output.shape();
  const ir::Type type = type_like(operand, shape);
  fill({.op = Op::scatter,
        .operand = operand,
        .attributes = {std::int64_t{0}, root, group.data()},
        .types = {type},
        .finish = unflatten({shape}, at),
        .where = at},
       output);
}

void all_to_all_(std::vector<Tensor>& outputs, const std::vector<Tensor>& inputs,
                 const Group& group, std::source_location at) {
  const Caller caller{.name = "all_to_all_", .group = group, .where = at};
  caller.check_inputs(inputs);
  const bool alike = all_alike(inputs);
  const bool known = std::ranges::all_of(outputs, [](const Tensor& t) { return t.defined(); });
  if (!alike && (outputs.empty() || !known)) {
    caller.refuse("inputs of different shapes; say with the outputs which shapes come");
  }
  const std::vector<Shape> received = shapes_of(caller, outputs, inputs[0]);
  std::vector<Shape> sent;
  for (const Tensor& input : inputs) sent.push_back(input.shape());
  InPlaceCall call{
      .op = Op::all_to_all,
      .operand = flat(inputs, at),
      .attributes = {std::int64_t{0}, group.data(), counts_of(sent), counts_of(received)},
      .types = {},
      .finish = unflatten(received, at),
      .where = at};
  for (const Shape& shape : received) call.types.push_back(type_like(inputs[0], shape));
  fill(std::move(call), outputs);
}

void all_to_all_into_(Tensor& output, const Tensor& x, const Group& group,
                      const Sizes& receive_sizes, const Sizes& send_sizes,
                      std::source_location at) {
  x.state(at);  // throws if there is no value
  const Caller caller{.name = "all_to_all_into_", .group = group, .where = at};
  std::vector<std::int64_t> sizes = sizes_of(x.shape());
  if (!receive_sizes.empty() && !sizes.empty()) {
    sizes[0] = 0;
    for (const std::int64_t size : receive_sizes) sizes[0] += size;
  }
  const ir::Type type = type_like(x, Shape(sizes));
  caller.check_output(output, type);
  fill({.op = Op::all_to_all,
        .operand = x,
        .attributes = {std::int64_t{0}, group.data(), send_sizes, receive_sizes},
        .types = {type},
        .finish = nullptr,
        .where = at},
       output);
}

}  // namespace tutti
