#include <tutti/ir/ops/family.h>

#include <algorithm>

namespace tutti::ir::family {

namespace {

void infer_wait(Inference& in) {
  in.require(in.operand(0).async, "only an async value is waited for");
  Type type = in.operand(0);
  type.async = false;
  in.result(type);
}

void infer_vary(Inference& in) {
  in.require(in.mesh != nullptr, "the program has no mesh");
  Type type = in.operand(0);
  const std::string& names = in.attributes.text("dimensions");
  // A literal adapts to anything.
  if (type.replication.literal) {
    type.replication = {.dimensions = all_dimensions(*in.mesh), .literal = false};
    if (names.empty()) return in.result(type);
  }
  for (std::size_t begin = 0; begin <= names.size();) {
    const std::size_t end = std::min(names.find(',', begin), names.size());
    const std::string name = names.substr(begin, end - begin);
    const auto found = std::find(in.mesh->names.begin(), in.mesh->names.end(), name);
    in.require(found != in.mesh->names.end(),
               [&] { return "the mesh has no dimension \"" + name + "\""; });
    const auto bit = 1U << (found - in.mesh->names.begin());
    type.replication.dimensions = static_cast<std::uint8_t>(type.replication.dimensions & ~bit);
    begin = end + 1;
  }
  in.result(type);
}

void infer_rank_index(Inference& in) {
  const std::uint8_t group =
      in.mesh == nullptr ? std::uint8_t{0} : dimensions_of(in.attributes.group("group"), *in.mesh);
  Replication replication;
  if (group != 0)
    replication.dimensions = static_cast<std::uint8_t>(all_dimensions(*in.mesh) & ~group);
  in.result({.dtype = DType::i64, .shape = {}, .replication = replication, .async = false});
}

void gradient_wait(Gradient& gradient) { gradient.operand_cotangent(0, gradient.cotangent()); }

void gradient_vary(Gradient& gradient) {
  const Mesh& mesh = *gradient.builder()->graph().mesh;
  const Type& operand = gradient.builder()->type(gradient.value(0));
  // A literal was nobody's in common.
  if (operand.replication.literal) return gradient.operand_cotangent(0, gradient.cotangent());
  const std::uint8_t before = operand.replication.dimensions;
  const std::uint8_t after = gradient.result().type().replication.dimensions;
  const Group group = mesh_group(mesh, static_cast<std::uint8_t>(before & ~after));
  const Term total = gradient.cotangent().apply(
      Op::all_reduce, {std::string("sum"), std::make_shared<const Group>(group)});
  gradient.operand_cotangent(0, total.apply(Op::wait));
}

constexpr void (*gradient_rank_index)(Gradient&) = nullptr;

void interpret_same(Interpretation& in) { in.result(in.operand(0)); }
constexpr auto interpret_wait = interpret_same;
constexpr auto interpret_vary = interpret_same;

void interpret_rank_index(Interpretation& in) {
  const std::int64_t position = in.attributes.group("group")->position_of(in.rank);
  if (position < 0) {
    throw TypeError("rank_index: rank " + std::to_string(in.rank) + " is in no group of \"" +
                    in.attributes.group("group")->tag + "\"");
  }
  in.result(Array::scalar(position));
}

}  // namespace

void add_ranks(std::vector<Definition>& out) {
#define TUTTI_STRUCTURED(id, kind_, least, most, docs, ...) \
  out.push_back({.op = Op::id,                              \
                 .name = #id,                               \
                 .kind = OpClass::kind_,                    \
                 .least_operands = least,                   \
                 .most_operands = most,                     \
                 .attributes = __VA_ARGS__,                 \
                 .infer = infer_##id,                       \
                 .gradient = gradient_##id,                 \
                 .interpret = interpret_##id,               \
                 .documentation = docs});
#include <tutti/ir/table/ranks.def>
#undef TUTTI_STRUCTURED
}

}  // namespace tutti::ir::family
