#include <tutti/codegen/driver/varying_sizes.h>
#include <tutti/ir/array_part.h>
#include <tutti/ir/op.h>
#include <tutti/ir/support/hash.h>

#include <algorithm>
#include <cstring>

namespace tutti::codegen {

namespace {

using runtime::Buffer;
using BufferPtr = std::shared_ptr<Buffer>;

constexpr std::size_t kMostRemembered = 10'000;

// The elements of a tensor of one shape, at the front of a new buffer for another shape.
BufferPtr moved(runtime::Context& context, Device device, const Buffer& from,
                const Shape& from_shape, const Shape& to_shape, const Shape& box, DType dtype) {
  const runtime::MemoryLabel label = from.label();
  const std::int64_t size = size_of(dtype);
  const auto bytes_of = [&](const Shape& shape) {
    return static_cast<std::size_t>(shape.elements() * size);
  };
  if (device.is_cpu()) {
    auto out = context.allocator.allocate(bytes_of(to_shape), label);
    ir::copy_front(from.data(), from_shape, out->data(), to_shape, box, size);
    return out;
  }
  // By way of the host.
  runtime::Accelerator& accelerator = context.accelerator(device);
  const auto before = context.allocator.allocate(bytes_of(from_shape), label);
  const auto after = context.allocator.allocate(bytes_of(to_shape), label);
  std::memset(after->data(), 0, after->bytes());
  accelerator.copy_out(before->data(), from.data(), before->bytes());
  ir::copy_front(before->data(), from_shape, after->data(), to_shape, box, size);
  auto out = accelerator.memory().allocate(bytes_of(to_shape), label);
  accelerator.copy_in(out->data(), after->data(), after->bytes());
  return out;
}

// What goes in, or for who gives nothing, what comes out.
std::vector<ir::Value> communicated(const ir::Graph& graph, ir::NodeId node) {
  const std::span<const ir::Value> operands = graph.operands(node);
  if (!operands.empty()) return {operands.begin(), operands.end()};
  std::vector<ir::Value> out;
  for (std::uint32_t i = 0; i < graph.node(node).result_count; ++i) {
    out.push_back(graph.result(node, i));
  }
  return out;
}

// What a program says of its sizes was found for a few of them: whether it holds for these.
void check_sizes(const ir::Graph& program, const ir::Graph& made,
                 std::span<const std::int64_t> values) {
  for (std::uint32_t id = 0; id < program.value_count(); ++id) {
    const ir::Value value{id};
    const Shape& shape = made.type(value).shape;
    if (ir::shape_at(program, value, values) == shape) continue;
    throw TypeError(
        "for " + ir::values_text(program.sizes->symbols, values) + " a tensor of shape " +
            ir::symbolic_shape_text(program, value) + " is " + shape.text() +
            ": its size is no sum of products of the symbols; make it another way, or leave it to "
            "one size at a time",
        program.node(program.producer(value)).location);
  }
}

}  // namespace

VaryingSizes::VaryingSizes(const ir::Graph& traced)
    : traced_(traced), collectives_(traced.call_count(), ir::kNoNode) {
  for (ir::NodeId id = 0; id < traced.node_count(); ++id) {
    for (const ir::CallId call : traced.calls(id)) collectives_[call] = id;
    if (traced.calls(id).empty()) continue;
    for (const ir::Value value : communicated(traced, id)) {
      some_vary_ = some_vary_ || ir::size_varies(traced, value);
    }
  }
}

std::vector<std::int64_t> VaryingSizes::solve(std::span<const Shape> arguments) {
  std::vector<std::int64_t> values = ir::solve_sizes(traced_, arguments);
  if (exist_.contains(values)) return values;
  // What holds at the bounds may still fail between them: a slice of one size out of another.
  check_sizes(traced_, ir::instance(traced_, values), values);
  if (exist_.size() == kMostRemembered) exist_.clear();
  exist_.insert(values);
  return values;
}

void VaryingSizes::enlarge(runtime::Context& context, std::span<const std::int64_t> values,
                           std::span<const Device> devices,
                           std::vector<BufferPtr>& arguments) const {
  for (std::size_t i = 0; i < traced_.parameters().size(); ++i) {
    const ir::Value value = traced_.parameters()[i].value;
    if (!ir::size_varies(traced_, value)) continue;
    const ir::Type& type = traced_.type(value);
    const Shape shape = ir::shape_at(traced_, value, values);
    if (shape == type.shape) continue;
    arguments[i] = moved(context, devices[i], *arguments[i], shape, type.shape, shape, type.dtype);
  }
  for (const std::int64_t value : values) {
    arguments.push_back(
        context.allocator.allocate(sizeof(value), {.what = "size that varies", .where = {}}));
    std::memcpy(arguments.back()->data(), &value, sizeof(value));
  }
}

std::vector<runtime::Agreement> VaryingSizes::agreements(
    std::span<const std::int64_t> values, std::span<const runtime::Agreement> others) const {
  std::vector<runtime::Agreement> out(others.begin(), others.end());
  if (!some_vary_) return out;
  out.resize(collectives_.size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (collectives_[i] == ir::kNoNode) continue;
    // Only what varies: members may have uneven parts along other dimensions.
    Hasher hasher;
    bool varies = false;
    for (const ir::Value value : communicated(traced_, collectives_[i])) {
      const Shape shape = ir::shape_at(traced_, value, values);
      for (int d = 0; d < shape.rank(); ++d) {
        if (!ir::size_varies(traced_, value, d)) continue;
        hasher.add(shape[d]);
        varies = true;
      }
    }
    if (!varies) continue;
    const bool alone = out[i].structure == 0;
    if (!alone) hasher.add(out[i].values);
    out[i].values = static_cast<std::uint32_t>(hasher.finish().low);
    if (!alone) continue;
    out[i].structure = runtime::Agreement::kSizes;
    out[i].where = traced_.node(collectives_[i]).location;
  }
  return out;
}

void VaryingSizes::cut(runtime::Context& context, std::span<const std::int64_t> values,
                       std::span<const Device> devices,
                       std::vector<Executable::Result>& results) const {
  for (std::size_t i = 0; i < results.size(); ++i) {
    const ir::Value value = traced_.results()[i];
    if (!ir::size_varies(traced_, value)) continue;
    Executable::Result& result = results[i];
    const Shape most = result.type.shape;
    const Shape shape = ir::shape_at(traced_, value, values);
    if (shape == most) continue;
    BufferPtr buffer = result.wait();
    result.buffer = moved(context, devices[i], *buffer, most, shape, shape, result.type.dtype);
    result.work = nullptr;
    result.type.shape = shape;
    result.type.async = false;
  }
}

std::string VaryingSizes::bounds() const {
  std::string out;
  for (const ir::SizeSymbol& symbol : traced_.sizes->symbols) {
    out += out.empty() ? "" : ", ";
    out +=
        std::to_string(symbol.least) + " <= " + symbol.name + " <= " + std::to_string(symbol.most);
  }
  return out;
}

std::vector<Device> devices_of_inputs(const Plan& plan) {
  std::vector<Device> out(plan.inputs.size(), Device::cpu());
  for (const PlanBuffer& buffer : plan.buffers) {
    if (buffer.kind == PlanBuffer::Kind::input) {
      out[static_cast<std::size_t>(buffer.index)] = buffer.device;
    }
  }
  return out;
}

std::vector<Device> devices_of_results(const Plan& plan) {
  std::vector<Device> out;
  for (const PlanResult& result : plan.results) {
    out.push_back(plan.buffers[static_cast<std::size_t>(result.buffer)].device);
  }
  return out;
}

}  // namespace tutti::codegen
