#include <tutti/ir/ops/family.h>

#include <algorithm>
#include <cstring>

namespace tutti::ir {

std::span<const Definition> definitions() {
  // Never destroyed: a World that is a static variable may need it at the end of the program.
  static const auto& table = *new std::vector<Definition>([] {
    std::vector<Definition> out;
    out.reserve(kOpCount);
    const auto add = [&](void (*family)(std::vector<Definition>&), std::string_view name) {
      const std::size_t first = out.size();
      family(out);
      for (std::size_t i = first; i < out.size(); ++i) out[i].documentation.family = name;
    };
    add(family::add_elementwise, "Elementwise");
    add(family::add_convert, "Conversion");
    add(family::add_shape, "Shapes");
    add(family::add_make, "Making");
    add(family::add_reduce, "Reductions");
    add(family::add_cumulative, "Running reductions");
    add(family::add_order, "Order");
    add(family::add_linear_algebra, "Linear algebra");
    add(family::add_index, "Indexing");
    add(family::add_random, "Random numbers");
    add(family::add_composite, "Composites");
    add(family::add_products, "Products");
    add(family::add_attention, "Attention");
    add(family::add_collective, "Collectives");
    add(family::add_ranks, "Ranks");
    add(family::add_device, "Devices");
    add(family::add_control, "Loops and branches");
    add(family::add_custom, "Gradients of one's own");
    add(family::add_observe, "Looking at values");
    for (std::size_t i = 0; i < out.size(); ++i) {
      if (static_cast<std::size_t>(out[i].op) != i) {
        throw InternalError("op table out of order at " + std::string(out[i].name));
      }
    }
    return out;
  }());
  return table;
}

const Definition& definition(Op op) {
  static const Definition* const table = definitions().data();
  return table[static_cast<std::size_t>(op)];
}

std::string_view name_of(Op op) { return definition(op).name; }

std::optional<Op> op_from_name(std::string_view name) {
  static const auto& names = *new std::map<std::string_view, Op>([] {
    std::map<std::string_view, Op> out;
    for (const Definition& entry : definitions()) out[entry.name] = entry.op;
    return out;
  }());
  const auto found = names.find(name);
  if (found == names.end()) return std::nullopt;
  return found->second;
}

void Inference::fail(const std::string& message) const { throw TypeError(complaint(message)); }

std::string Inference::complaint(const std::string& message) const {
  std::string what = std::string(definition_.name) + ": " + message;
  if (!operands_.empty()) {
    what += operands_.size() == 1 ? "; the operand is " : "; the operands are ";
    for (std::size_t i = 0; i < operands_.size(); ++i) {
      if (i != 0) what += i + 1 == operands_.size() ? " and " : ", ";
      what += operands_[i].text();
    }
  }
  return what;
}

namespace family {

Term widened(Term x) { return cast(x, compute_dtype(x.dtype())); }

std::string list_text(std::span<const std::int64_t> values) {
  std::string out = "[";
  for (std::size_t i = 0; i < values.size(); ++i) {
    out += (i == 0 ? "" : ", ") + std::to_string(values[i]);
  }
  return out + "]";
}

Device device_attribute(const Inference& in, std::string_view name) {
  const std::string& text = in.attributes.text(name);
  const std::optional<Device> device = Device::from_text(text);
  in.require(device.has_value(), [&] {
    return std::string(name) + " \"" + text + "\" is none; write cpu, cuda or cuda:0";
  });
  return *device;
}

Shape broadcast_shapes(const Inference& in, const Shape& a, const Shape& b) {
  if (b.rank() == 0 || a == b) return a;
  if (a.rank() == 0) return b;
  const int rank = std::max(a.rank(), b.rank());
  std::array<std::int64_t, Shape::kMaxRank> sizes{};
  for (int d = 0; d < rank; ++d) {
    const std::int64_t left = d < rank - a.rank() ? 1 : a[d - (rank - a.rank())];
    const std::int64_t right = d < rank - b.rank() ? 1 : b[d - (rank - b.rank())];
    in.require(left == right || left == 1 || right == 1, [&] {
      return "shapes " + a.text() + " and " + b.text() + " do not broadcast: dimension " +
             std::to_string(d) + " is " + std::to_string(left) + " and " + std::to_string(right);
    });
    sizes[static_cast<std::size_t>(d)] = left == 1 ? right : left;
  }
  return Shape(std::span<const std::int64_t>(sizes.data(), static_cast<std::size_t>(rank)));
}

void check_axis(const Inference& in, std::int64_t axis, int rank) {
  in.require(axis >= 0 && axis < rank, [&] {
    return "axis " + std::to_string(axis) + " is not in 0.." + std::to_string(rank - 1) +
           " of a rank-" + std::to_string(rank) + " operand";
  });
}

void check_axes(const Inference& in, std::span<const std::int64_t> axes, int rank) {
  for (std::size_t i = 0; i < axes.size(); ++i) {
    check_axis(in, axes[i], rank);
    in.require(i == 0 || axes[i] > axes[i - 1], [&] {
      return "axes " + list_text(axes) + " must be increasing, without repetition";
    });
  }
}

Shape reduced_shape(const Shape& shape, std::span<const std::int64_t> axes, bool keepdims) {
  std::vector<std::int64_t> sizes;
  for (int d = 0; d < shape.rank(); ++d) {
    const bool reduced = std::find(axes.begin(), axes.end(), d) != axes.end();
    if (!reduced) sizes.push_back(shape[d]);
    if (reduced && keepdims) sizes.push_back(1);
  }
  return Shape(sizes);
}

void copy_element(const Array& source, std::int64_t from, Array& target, std::int64_t to) {
  const std::int64_t size = size_of(source.dtype());
  std::memcpy(target.bytes().data() + to * size, source.bytes().data() + from * size,
              static_cast<std::size_t>(size));
}

Cell load_wide(const Array& x, std::int64_t at, DType wide) {
  const DType dtype = x.dtype();
  const Cell element = load_cell(dtype, x.bytes().data() + at * size_of(dtype));
  return wide == dtype ? element : evaluate(ScalarOp::cast, compute_dtype(dtype), {element}, wide);
}
void store_wide(Cell cell, DType wide, Array& out, std::int64_t at) {
  const DType dtype = out.dtype();
  if (wide != dtype) cell = evaluate(ScalarOp::cast, wide, {cell}, compute_dtype(dtype));
  store_cell(dtype, cell, out.bytes().data() + at * size_of(dtype));
}

}  // namespace family

}  // namespace tutti::ir
