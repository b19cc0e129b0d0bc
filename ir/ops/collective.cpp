#include <tutti/ir/ops/family.h>

#include <algorithm>

namespace tutti::ir::family {

namespace {

// The mesh dimensions the node's group spans; 0 when it carries no replication.
std::uint8_t spanned(const Inference& in) {
  return in.mesh == nullptr ? 0 : dimensions_of(in.attributes.group("group"), *in.mesh);
}

void check_reduction(const Inference& in, const Type& type) {
  const std::string& op = in.attributes.text("op");
  const bool bitwise = op == "and" || op == "or" || op == "xor";
  in.require(
      bitwise || op == "sum" || op == "mean" || op == "product" || op == "min" || op == "max",
      "op \"" + op + "\" is none of sum, mean, product, min, max, and, or, xor");
  const bool integral = is_integer(type.dtype) || type.dtype == DType::boolean;
  in.require(!bitwise || integral, "\"" + op + "\" takes integers or bool");
  in.require(bitwise || type.dtype != DType::boolean, "\"" + op + "\" takes numbers, not bool");
  in.require(op != "mean" || is_floating(type.dtype), "\"mean\" takes floating-point numbers");
}

// Adds a result of a collective over the group: replicated over it (as well) or varying.
void result(Inference& in, const Type& operand, const Shape& shape, bool replicated) {
  in.require(!operand.async, "waits first: the operand is async");
  const std::uint8_t group = spanned(in);
  // A group that is no product of mesh dimensions says nothing about replication.
  Replication replication = group == 0 ? Replication{} : operand.replication;
  replication.literal = false;
  if (operand.replication.literal) replication.dimensions = 0;
  if (replicated) replication.dimensions |= group;
  in.result({.dtype = operand.dtype, .shape = shape, .replication = replication, .async = true});
}

void check_same_dtype(const Inference& in) {
  for (int i = 1; i < in.count(); ++i) {
    in.require(in.operand(i).dtype == in.operand(0).dtype,
               "the tensors of one collective must share a dtype");
  }
}

void infer_all_reduce(Inference& in) {
  check_same_dtype(in);
  for (int i = 0; i < in.count(); ++i) {
    check_reduction(in, in.operand(i));
    result(in, in.operand(i), in.operand(i).shape, true);
  }
}

void infer_all_gather(Inference& in) {
  check_same_dtype(in);
  const std::int64_t axis = in.attributes.integer("axis");
  for (int i = 0; i < in.count(); ++i) {
    check_axis(in, axis, in.operand(i).shape.rank());
    std::vector<std::int64_t> sizes(in.operand(i).shape.begin(), in.operand(i).shape.end());
    std::int64_t& size = sizes[static_cast<std::size_t>(axis)];
    const bool overflows =
        __builtin_mul_overflow(size, in.attributes.group("group")->size(), &size);
    in.require(!overflows, "the result is too large");
    result(in, in.operand(i), Shape(sizes), true);
  }
}

void infer_reduce_scatter(Inference& in) {
  check_same_dtype(in);
  const std::int64_t axis = in.attributes.integer("axis");
  const std::int64_t members = in.attributes.group("group")->size();
  for (int i = 0; i < in.count(); ++i) {
    check_reduction(in, in.operand(i));
    check_axis(in, axis, in.operand(i).shape.rank());
    std::vector<std::int64_t> sizes(in.operand(i).shape.begin(), in.operand(i).shape.end());
    std::int64_t& size = sizes[static_cast<std::size_t>(axis)];
    in.require(size % members == 0, "the group's " + std::to_string(members) +
                                        " ranks do not divide the " + std::to_string(size) +
                                        " of axis " + std::to_string(axis));
    size /= members;
    result(in, in.operand(i), Shape(sizes), false);
  }
}

void infer_broadcast(Inference& in) {
  const std::int64_t root = in.attributes.integer("root");
  const std::int64_t members = in.attributes.group("group")->size();
  in.require(root >= 0 && root < members, "root " + std::to_string(root) + " is not in 0.." +
                                              std::to_string(members - 1) + " of the group");
  check_same_dtype(in);
  for (int i = 0; i < in.count(); ++i) result(in, in.operand(i), in.operand(i).shape, true);
}

void infer_barrier(Inference&) {}

void infer_wait(Inference& in) {
  in.require(in.operand(0).async, "only an async value is waited for");
  Type type = in.operand(0);
  type.async = false;
  in.result(type);
}

void infer_vary(Inference& in) {
  in.require(in.mesh != nullptr, "the program has no mesh");
  Type type = in.operand(0);
  type.replication.literal = false;
  const std::string& names = in.attributes.text("dimensions");
  for (std::size_t begin = 0; begin <= names.size();) {
    const std::size_t end = std::min(names.find(',', begin), names.size());
    const std::string name = names.substr(begin, end - begin);
    const auto found = std::find(in.mesh->names.begin(), in.mesh->names.end(), name);
    in.require(found != in.mesh->names.end(), "the mesh has no dimension \"" + name + "\"");
    const auto bit = 1U << (found - in.mesh->names.begin());
    type.replication.dimensions = static_cast<std::uint8_t>(type.replication.dimensions & ~bit);
    begin = end + 1;
  }
  in.result(type);
}

void infer_rank_index(Inference& in) {
  in.result({.dtype = DType::i64, .shape = {}, .replication = {}, .async = false});
}

Term wait(Term async) { return async.apply(Op::wait); }

// The cotangents of the operands of one collective, for those that are wanted and depended on.
template <class F>
void each_operand(Gradient& gradient, F&& rule) {
  for (int i = 0; i < gradient.count(); ++i) {
    if (gradient.wants(i) && gradient.cotangent(i).valid()) {
      gradient.operand_cotangent(i, rule(i, gradient.cotangent(i)));
    }
  }
}

bool carries_replication(const Gradient& gradient) {
  const auto& mesh = gradient.builder()->graph().mesh;
  return mesh != nullptr && dimensions_of(gradient.attributes.group("group"), *mesh) != 0;
}

void gradient_all_reduce(Gradient& gradient) {
  const std::string op = gradient.attributes.text("op");
  const GroupPtr group = gradient.attributes.group("group");
  // Over a group that carries no replication each rank's result is its own, as in PyTorch.
  const auto total = [&](Term g) {
    if (carries_replication(gradient)) return g;
    return wait(g.apply(Op::all_reduce, {std::string("sum"), group}));
  };
  const auto members = static_cast<double>(group->size());
  if (op == "sum" || op == "mean") {
    each_operand(gradient,
                 [&](int, Term g) { return op == "mean" ? total(g) / members : total(g); });
  } else if (op == "max" || op == "min") {
    // The holders of the extreme share evenly.
    each_operand(gradient, [&](int i, Term g) {
      const Term x = gradient.operand(i);
      const Term holds = cast(x == wait(gradient.result(i)), x.dtype());
      const Term holders = wait(holds.apply(Op::all_reduce, {std::string("sum"), group}));
      return holds * (total(g) / holders);
    });
  } else {
    throw TypeError("all_reduce: \"" + op + "\" has no gradient; sum, mean, max and min have",
                    gradient.builder()->location());
  }
}

// The part of `x` along `axis` that belongs to this rank.
Term own_part(Term x, std::int64_t axis, const GroupPtr& group) {
  // A one-hot contraction over the members keeps this a local op without dynamic slices.
  const std::int64_t members = group->size();
  std::vector<std::int64_t> split(x.shape().begin(), x.shape().end());
  split[static_cast<std::size_t>(axis)] /= members;
  const Shape part(split);
  split.insert(split.begin() + axis, members);
  const Term parts = reshape(x, Shape(split));
  const Term position = iota_like(x, Shape(split), axis, DType::i64);
  Builder* builder = x.builder();
  const Term own = {builder, builder->add(Op::rank_index, std::span<const Value>(), {group})};
  return reshape(sum(select(position == own, parts, 0), {axis}), part);
}

void gradient_all_gather(Gradient& gradient) {
  const std::int64_t axis = gradient.attributes.integer("axis");
  const GroupPtr group = gradient.attributes.group("group");
  each_operand(gradient, [&](int, Term g) {
    if (carries_replication(gradient)) return own_part(g, axis, group);
    return wait(g.apply(Op::reduce_scatter, {std::string("sum"), axis, group}));
  });
}

void gradient_reduce_scatter(Gradient& gradient) {
  const std::string op = gradient.attributes.text("op");
  const std::int64_t axis = gradient.attributes.integer("axis");
  const GroupPtr group = gradient.attributes.group("group");
  if (op != "sum" && op != "mean") {
    throw TypeError("reduce_scatter: \"" + op + "\" has no gradient; sum and mean have",
                    gradient.builder()->location());
  }
  each_operand(gradient, [&](int, Term g) {
    const Term all = wait(g.apply(Op::all_gather, {axis, group}));
    return op == "mean" ? all / static_cast<double>(group->size()) : all;
  });
}

void gradient_broadcast(Gradient& gradient) {
  const std::int64_t root = gradient.attributes.integer("root");
  const GroupPtr group = gradient.attributes.group("group");
  each_operand(gradient, [&](int, Term g) {
    Builder* builder = g.builder();
    const Term own = {builder, builder->add(Op::rank_index, std::span<const Value>(), {group})};
    if (!carries_replication(gradient)) {
      g = wait(g.apply(Op::all_reduce, {std::string("sum"), group}));
    }
    return select(own == static_cast<double>(root), g, 0);
  });
}

constexpr void (*gradient_barrier)(Gradient&) = nullptr;
void gradient_wait(Gradient& gradient) { gradient.operand_cotangent(0, gradient.cotangent()); }

void gradient_vary(Gradient& gradient) {
  const Mesh& mesh = *gradient.builder()->graph().mesh;
  const std::uint8_t before = gradient.operand(0).type().replication.dimensions;
  const std::uint8_t after = gradient.result().type().replication.dimensions;
  const Group group = mesh_group(mesh, static_cast<std::uint8_t>(before & ~after));
  gradient.operand_cotangent(
      0, wait(gradient.cotangent().apply(
             Op::all_reduce, {std::string("sum"), std::make_shared<const Group>(group)})));
}
constexpr void (*gradient_rank_index)(Gradient&) = nullptr;

// Combines the members' elements in rank order; f16 and bf16 in f32, rounded once.
Array combine(const CollectiveInterpretation& in, int i) {
  const std::string& op = in.attributes.text("op");
  const Array& first = in.operand(0, i);
  const DType dtype = first.dtype();
  const DType compute = compute_dtype(dtype);
  ScalarOp primitive = ScalarOp::add;
  if (op == "product") primitive = ScalarOp::mul;
  if (op == "min") primitive = ScalarOp::minimum;
  if (op == "max") primitive = ScalarOp::maximum;
  if (op == "and") primitive = ScalarOp::bit_and;
  if (op == "or") primitive = ScalarOp::bit_or;
  if (op == "xor") primitive = ScalarOp::bit_xor;
  Array out(dtype, first.shape());
  for (std::int64_t n = 0; n < out.elements(); ++n) {
    const std::int64_t at = n * size_of(dtype);
    Cell total = load_cell(dtype, first.bytes().data() + at);
    for (int member = 1; member < in.members(); ++member) {
      const Cell next = load_cell(dtype, in.operand(member, i).bytes().data() + at);
      total = evaluate(primitive, compute, {total, next});
    }
    if (op == "mean")
      total = evaluate(ScalarOp::div, compute, {total, cell_of(compute, in.members())});
    store_cell(dtype, total, out.bytes().data() + at);
  }
  return out;
}

void interpret_all_reduce(CollectiveInterpretation& in) {
  for (int i = 0; i < in.count(); ++i) {
    const Array total = combine(in, i);
    for (auto& results : in.results) results.push_back(total);
  }
}

void interpret_all_gather(CollectiveInterpretation& in) {
  const std::int64_t axis = in.attributes.integer("axis");
  for (int i = 0; i < in.count(); ++i) {
    Array out(in.result_type(i).dtype, in.result_type(i).shape);
    const std::int64_t inner = out.shape().strides()[static_cast<std::size_t>(axis)];
    const std::int64_t size = in.operand(0, i).shape()[static_cast<int>(axis)];
    for (std::int64_t to = 0; to < out.elements(); ++to) {
      const std::int64_t position = to / inner % (size * in.members());
      const std::int64_t outer = to / inner / (size * in.members());
      copy_element(in.operand(static_cast<int>(position / size), i),
                   (outer * size + position % size) * inner + to % inner, out, to);
    }
    for (auto& results : in.results) results.push_back(out);
  }
}

void interpret_reduce_scatter(CollectiveInterpretation& in) {
  const std::int64_t axis = in.attributes.integer("axis");
  for (int i = 0; i < in.count(); ++i) {
    const Array total = combine(in, i);
    const std::int64_t inner = total.shape().strides()[static_cast<std::size_t>(axis)];
    const std::int64_t part = in.result_type(i).shape[static_cast<int>(axis)];
    for (int member = 0; member < in.members(); ++member) {
      Array out(in.result_type(i).dtype, in.result_type(i).shape);
      for (std::int64_t to = 0; to < out.elements(); ++to) {
        const std::int64_t outer = to / inner / part;
        const std::int64_t position = to / inner % part + member * part;
        copy_element(total, (outer * part * in.members() + position) * inner + to % inner, out, to);
      }
      in.results[static_cast<std::size_t>(member)].push_back(std::move(out));
    }
  }
}

void interpret_broadcast(CollectiveInterpretation& in) {
  const auto root = static_cast<int>(in.attributes.integer("root"));
  for (int i = 0; i < in.count(); ++i) {
    for (auto& results : in.results) results.push_back(in.operand(root, i));
  }
}

void interpret_barrier(CollectiveInterpretation&) {}

void interpret_same(Interpretation& in) { in.result(in.operand(0)); }
void interpret_rank_index(Interpretation& in) {
  const std::int64_t position = in.attributes.group("group")->position_of(in.rank);
  if (position < 0) {
    throw TypeError("rank_index: rank " + std::to_string(in.rank) + " is in no group of \"" +
                    in.attributes.group("group")->tag + "\"");
  }
  in.result(Array::scalar(position));
}

// Which of the two kinds of reference meaning a row has follows from the function's type.
void set_meaning(Definition& entry, void (*interpret)(Interpretation&)) {
  entry.interpret = interpret;
}
void set_meaning(Definition& entry, void (*interpret)(CollectiveInterpretation&)) {
  entry.interpret_collective = interpret;
}
constexpr auto interpret_wait = interpret_same;
constexpr auto interpret_vary = interpret_same;

}  // namespace

void add_collective(std::vector<Definition>& out) {
#define TUTTI_STRUCTURED(id, kind_, least, most, ...) \
  out.push_back({.op = Op::id,                        \
                 .name = #id,                         \
                 .kind = OpClass::kind_,              \
                 .least_operands = least,             \
                 .most_operands = most,               \
                 .attributes = __VA_ARGS__,           \
                 .infer = infer_##id,                 \
                 .gradient = gradient_##id});         \
  set_meaning(out.back(), interpret_##id);
#include <tutti/ir/ops/collective.def>
#undef TUTTI_STRUCTURED
}

}  // namespace tutti::ir::family
