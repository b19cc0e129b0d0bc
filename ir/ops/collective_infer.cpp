#include <tutti/ir/ops/collective.h>

#include <algorithm>
#include <set>

// Types of the collectives' results.
namespace tutti::ir::family::collective {

namespace {

using List = std::vector<std::int64_t>;

std::int64_t members(const Inference& in) { return in.attributes.group("group")->size(); }

void check_reduction(const Inference& in, const Type& type) {
  const std::string& op = in.attributes.text("op");
  const bool bitwise = op == "and" || op == "or" || op == "xor";
  in.require(
      bitwise || op == "sum" || op == "mean" || op == "product" || op == "min" || op == "max",
      [&] { return "op \"" + op + "\" is none of sum, mean, product, min, max, and, or, xor"; });
  const bool integral = is_integer(type.dtype) || type.dtype == DType::boolean;
  in.require(!bitwise || integral, [&] { return "\"" + op + "\" takes integers or bool"; });
  in.require(bitwise || type.dtype != DType::boolean,
             [&] { return "\"" + op + "\" takes numbers, not bool"; });
  in.require(op != "mean" || is_floating(type.dtype), "\"mean\" takes floating-point numbers");
}

void check_same_dtype(const Inference& in) {
  for (int i = 1; i < in.count(); ++i) {
    in.require(in.operand(i).dtype == in.operand(0).dtype,
               "the tensors of one collective must share a dtype");
  }
}

void check_position(const Inference& in, std::string_view name, std::int64_t position) {
  in.require(position >= 0 && position < members(in), [&] {
    return std::string(name) + " " + std::to_string(position) + " is not in 0.." +
           std::to_string(members(in) - 1) + " of the group";
  });
}

// Whether a list of the members' sizes is given; it must have one for each member.
bool check_sizes(const Inference& in, std::string_view name) {
  const List& sizes = in.attributes.integers(name);
  if (sizes.empty()) return false;
  in.require(std::ssize(sizes) == members(in), [&] {
    return std::string(name) + " " + list_text(sizes) + " must have one size for each of the " +
           std::to_string(members(in)) + " members";
  });
  in.require(std::ranges::all_of(sizes, [](std::int64_t size) { return size >= 0; }),
             [&] { return std::string(name) + " " + list_text(sizes) + " must not be negative"; });
  return true;
}

std::int64_t total(const Inference& in, const List& sizes) {
  std::int64_t sum = 0;
  for (const std::int64_t size : sizes) {
    in.require(!__builtin_add_overflow(sum, size, &sum), "the result is too large");
  }
  return sum;
}

void check_total(const Inference& in, std::string_view name, std::int64_t size) {
  const List& sizes = in.attributes.integers(name);
  in.require(total(in, sizes) == size, [&] {
    return std::string(name) + " " + list_text(sizes) + " must add up to the " +
           std::to_string(size) + " of axis " + std::to_string(in.attributes.integer("axis"));
  });
}

// `sizes` must hold the size that one rank says is its own.
void check_own(const Inference& in, std::int64_t own, const std::string& whose) {
  const List& sizes = in.attributes.integers("sizes");
  in.require(std::ranges::find(sizes, own) != sizes.end(), [&] {
    return whose + ", " + std::to_string(own) + ", is not among sizes " + list_text(sizes);
  });
}

Shape with_size(const Shape& shape, std::int64_t axis, std::int64_t size) {
  List sizes(shape.begin(), shape.end());
  sizes[static_cast<std::size_t>(axis)] = size;
  return Shape(sizes);
}

// Adds a result of a collective over the group: replicated over it (as well) or varying.
void result(Inference& in, const Type& operand, const Shape& shape, bool replicated = false) {
  // The mesh dimensions the group spans; a group that is no product of them says nothing about
  // replication.
  const std::uint8_t group =
      in.mesh == nullptr ? std::uint8_t{0} : dimensions_of(in.attributes.group("group"), *in.mesh);
  const bool adds = group != 0 && !operand.replication.literal;
  Replication replication = adds ? operand.replication : Replication{};
  if (replicated) replication.dimensions |= group;
  in.result({.dtype = operand.dtype,
             .shape = shape,
             .replication = replication,
             .async = true,
             .device = operand.device});
}

void results_like_operands(Inference& in, bool replicated = false) {
  check_same_dtype(in);
  for (int i = 0; i < in.count(); ++i) {
    result(in, in.operand(i), in.operand(i).shape, replicated);
  }
}

void results_gathered(Inference& in, bool replicated) {
  check_same_dtype(in);
  const std::int64_t axis = in.attributes.integer("axis");
  const bool uneven = check_sizes(in, "sizes");
  for (int i = 0; i < in.count(); ++i) {
    const Shape& shape = in.operand(i).shape;
    check_axis(in, axis, shape.rank());
    std::int64_t size = shape[static_cast<int>(axis)];
    if (uneven) {
      check_own(in, size, "the operand's own size of axis " + std::to_string(axis));
      size = total(in, in.attributes.integers("sizes"));
    } else {
      in.require(!__builtin_mul_overflow(size, members(in), &size), "the result is too large");
    }
    result(in, in.operand(i), with_size(shape, axis, size), replicated);
  }
}

std::int64_t equal_part(const Inference& in, std::int64_t size) {
  in.require(size % members(in) == 0, [&] {
    return "the group's " + std::to_string(members(in)) + " ranks do not divide the " +
           std::to_string(size) + " of axis " + std::to_string(in.attributes.integer("axis")) +
           "; parts of different sizes are given with sizes";
  });
  return size / members(in);
}

void results_scattered(Inference& in) {
  check_same_dtype(in);
  const std::int64_t axis = in.attributes.integer("axis");
  const std::int64_t part = in.attributes.integer("part");
  const bool uneven = check_sizes(in, "sizes");
  in.require(uneven || part == -1,
             [&] { return "part = " + std::to_string(part) + " goes with sizes only"; });
  if (uneven) check_own(in, part, "this rank's part");
  for (int i = 0; i < in.count(); ++i) {
    const Shape& shape = in.operand(i).shape;
    check_axis(in, axis, shape.rank());
    const std::int64_t size = shape[static_cast<int>(axis)];
    if (uneven) check_total(in, "sizes", size);
    result(in, in.operand(i), with_size(shape, axis, uneven ? part : equal_part(in, size)));
  }
}

}  // namespace

void infer_all_reduce(Inference& in) {
  for (int i = 0; i < in.count(); ++i) check_reduction(in, in.operand(i));
  results_like_operands(in, true);
}

void infer_reduce(Inference& in) {
  check_position(in, "root", in.attributes.integer("root"));
  for (int i = 0; i < in.count(); ++i) check_reduction(in, in.operand(i));
  results_like_operands(in);
}

void infer_scan_ranks(Inference& in) {
  for (int i = 0; i < in.count(); ++i) check_reduction(in, in.operand(i));
  in.require(in.attributes.text("op") != "mean", "\"mean\" is of all ranks; divide a sum");
  results_like_operands(in);
}

void infer_all_gather(Inference& in) { results_gathered(in, true); }

void infer_gather(Inference& in) {
  check_position(in, "root", in.attributes.integer("root"));
  results_gathered(in, false);
}

void infer_reduce_scatter(Inference& in) {
  for (int i = 0; i < in.count(); ++i) check_reduction(in, in.operand(i));
  results_scattered(in);
}

void infer_scatter(Inference& in) {
  check_position(in, "root", in.attributes.integer("root"));
  results_scattered(in);
}

void infer_broadcast(Inference& in) {
  check_position(in, "root", in.attributes.integer("root"));
  results_like_operands(in, true);
}

void infer_all_to_all(Inference& in) {
  check_same_dtype(in);
  const std::int64_t axis = in.attributes.integer("axis");
  const bool uneven = check_sizes(in, "send_sizes");
  in.require(check_sizes(in, "receive_sizes") == uneven,
             "send_sizes and receive_sizes go together");
  for (int i = 0; i < in.count(); ++i) {
    const Shape& shape = in.operand(i).shape;
    check_axis(in, axis, shape.rank());
    std::int64_t size = shape[static_cast<int>(axis)];
    if (uneven) {
      check_total(in, "send_sizes", size);
      size = total(in, in.attributes.integers("receive_sizes"));
    } else {
      equal_part(in, size);
    }
    result(in, in.operand(i), with_size(shape, axis, size));
  }
}

void infer_collective_permute(Inference& in) {
  const List& pairs = in.attributes.integers("pairs");
  in.require(pairs.size() % 2 == 0, [&] {
    return "pairs " + list_text(pairs) + " must be source, target, source, target, ...";
  });
  std::set<std::int64_t> seen[2];
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const std::string role = i % 2 == 0 ? "source" : "target";
    check_position(in, role, pairs[i]);
    in.require(seen[i % 2].insert(pairs[i]).second, [&] {
      return "position " + std::to_string(pairs[i]) + " is a " + role + " twice in pairs " +
             list_text(pairs);
    });
  }
  results_like_operands(in);
}

void infer_send(Inference& in) { check_position(in, "to", in.attributes.integer("to")); }

void infer_recv(Inference& in) {
  check_position(in, "from", in.attributes.integer("from"));
  const Type type{.dtype = in.attributes.dtype("dtype"),
                  .shape = Shape(in.attributes.integers("shape")),
                  .device = device_attribute(in, "device")};
  result(in, type, type.shape);
}

void infer_batch_send_recv(Inference& in) {
  const List& to = in.attributes.integers("to");
  const List& from = in.attributes.integers("from");
  const std::vector<Type>& receives = in.attributes.types("receives");
  in.require(std::ssize(to) == in.count(), [&] {
    return "to " + list_text(to) + " must have one position for each of the " +
           std::to_string(in.count()) + " operands";
  });
  in.require(from.size() == receives.size(), [&] {
    return "from " + list_text(from) + " must have one position for each of the " +
           std::to_string(receives.size()) + " types of receives";
  });
  for (const std::int64_t position : to) check_position(in, "to", position);
  for (const std::int64_t position : from) check_position(in, "from", position);
  const Device device = device_attribute(in, "device");
  for (Type type : receives) {
    type.device = device;
    result(in, type, type.shape);
  }
}

void infer_barrier(Inference&) {}

}  // namespace tutti::ir::family::collective
