#include <tutti/ir/stablehlo/share.h>
#include <tutti/ir/stablehlo/tiling.h>
#include <tutti/ir/support/error.h>

#include <algorithm>
#include <numeric>
#include <set>

namespace tutti::ir::stablehlo {

namespace {

std::uint8_t mask_of(const std::vector<int>& axes) {
  unsigned mask = 0;
  for (const int axis : axes) mask |= 1U << axis;
  return static_cast<std::uint8_t>(mask);
}

std::int64_t count_of(const Mesh& mesh, const std::vector<int>& axes) {
  std::int64_t out = 1;
  for (const int axis : axes) out *= mesh.sizes[static_cast<std::size_t>(axis)];
  return out;
}

// Calls `read()`; what it can't read is an error at that place.
template <class Read>
auto at(const Translator& translator, std::size_t offset, Read&& read) {
  try {
    return read();
  } catch (const TypeError& error) {
    translator.fail(offset, error.what());
  }
}

// Every tiling that a module has.
class Tilings {
 public:
  explicit Tilings(const Translator& translator)
      : translator_(translator), ranks_(translator.ranks()) {
    for (const TreeFunction& function : translator.module().functions) add(function.body);
  }
  const std::vector<Tiling>& all() const { return all_; }
  std::size_t last() const { return last_; }  // where the text has the last one

 private:
  void add(const Region& region) {
    for (const BlockArgument& argument : region.arguments) add(argument.attributes);
    for (const Operation& operation : region.operations) {
      if (operation.name == "stablehlo.custom_call") add(operation.attributes);
      for (const Region& nested : operation.regions) add(nested);
    }
  }
  void add(const Attribute& attributes) {
    const Attribute* const text = attributes.find("mhlo.sharding");
    if (text == nullptr || !seen_.insert(text->text).second) return;
    all_.push_back(at(translator_, text->offset, [&] { return read_tiling(text->text, ranks_); }));
    last_ = text->offset;
  }

  const Translator& translator_;
  const std::int64_t ranks_;
  std::vector<Tiling> all_;
  std::set<std::string_view> seen_;
  std::size_t last_ = 0;
};

}  // namespace

std::shared_ptr<const Mesh> mesh_of(const Translator& translator) {
  for (const TreeMesh& mesh : translator.module().meshes) {
    if (mesh.mesh.names.empty()) continue;
    const Attribute* const partitions = translator.module().attributes.find("mhlo.num_partitions");
    if (translator.ranks_are_replicas() ||
        (partitions != nullptr && partitions->integer != mesh.mesh.ranks())) {
      translator.fail(mesh.offset, "the module has other partitions and replicas than the " +
                                       std::to_string(mesh.mesh.ranks()) +
                                       " partitions of its mesh");
    }
    return std::make_shared<const Mesh>(mesh.mesh);
  }
  const std::int64_t ranks = translator.ranks();
  if (ranks == 1) return nullptr;
  const Tilings tilings(translator);
  if (tilings.all().empty()) return nullptr;
  std::optional<Mesh> mesh = mesh_for(tilings.all(), ranks);
  if (!mesh) {
    translator.fail(tilings.last(),
                    "the program's shardings are not those of one mesh of devices in order");
  }
  return std::make_shared<const Mesh>(std::move(*mesh));
}

AxesOfDimensions axes_from(const Translator& translator, const Attribute& sharding, int rank) {
  AxesOfDimensions out(static_cast<std::size_t>(rank));
  const auto refuse = [&](const std::string& why) { translator.fail(sharding.offset, why); };
  if (sharding.kind == Attribute::Kind::text) {
    return at(translator, sharding.offset, [&] {
      const Tiling tiling = read_tiling(sharding.text, translator.ranks());
      if (tiling.manual) throw TypeError("\"{manual}\" says nothing of a whole value");
      if (translator.mesh() == nullptr) return AxesOfDimensions(static_cast<std::size_t>(rank));
      return axes_of(tiling, *translator.mesh(), rank);
    });
  }
  if (sharding.kind != Attribute::Kind::container || sharding.items.size() < 2) {
    refuse("expected a sharding, as in <@mesh, [{\"x\"}, {}]>");
  }
  const Attribute* const unreduced = sharding.find("unreduced");
  if (unreduced != nullptr && !unreduced->items.empty()) {
    refuse("values that ranks have summands of (unreduced) are not supported; reduce them first");
  }
  const Mesh* const mesh = translator.mesh().get();
  for (const TreeMesh& other : translator.module().meshes) {
    if (mesh == nullptr || other.name != sharding.items[0].text) continue;
    if (other.mesh.names.empty() || other.mesh == *mesh) continue;
    translator.fail(other.offset, "a second mesh; one for the whole program is supported");
  }
  const std::vector<Attribute>& dimensions = sharding.items[1].items;
  if (static_cast<int>(dimensions.size()) != rank) {
    refuse("a sharding of " + std::to_string(dimensions.size()) +
           " dimensions for a tensor of rank " + std::to_string(rank));
  }
  std::vector<int> seen;
  for (std::size_t d = 0; d < dimensions.size(); ++d) {
    for (const Attribute& item : dimensions[d].items) {
      if (item.kind == Attribute::Kind::word) continue;  // "?": may be split further
      if (item.kind != Attribute::Kind::text || mesh == nullptr) {
        refuse("a part of a mesh axis; whole axes are supported");
      }
      const auto found = std::ranges::find(mesh->names, item.text);
      if (found == mesh->names.end()) refuse("no mesh axis \"" + item.text + "\"");
      const int axis = static_cast<int>(found - mesh->names.begin());
      if (std::ranges::find(seen, axis) != seen.end()) {
        refuse("mesh axis \"" + item.text + "\" is used twice");
      }
      seen.push_back(axis);
      out[d].push_back(axis);
    }
  }
  return out;
}

bool is_split(const AxesOfDimensions& axes) {
  return std::ranges::any_of(axes, [](const auto& list) { return !list.empty(); });
}

Sharding names_of(const Mesh& mesh, const AxesOfDimensions& axes) {
  Sharding out;
  for (const std::vector<int>& list : axes) {
    out.emplace_back();
    for (const int axis : list) out.back().push_back(mesh.names[static_cast<std::size_t>(axis)]);
  }
  return out;
}

Type part_of(const Translator& translator, Type whole, const AxesOfDimensions& axes,
             std::size_t offset) {
  const Mesh& mesh = *translator.mesh();
  std::vector<std::int64_t> sizes(whole.shape.begin(), whole.shape.end());
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    const std::int64_t count = count_of(mesh, axes[d]);
    if (sizes[d] % count != 0) {
      translator.fail(offset, std::to_string(count) + " ranks do not divide the " +
                                  std::to_string(sizes[d]) + " of dimension " + std::to_string(d));
    }
    sizes[d] /= count;
    whole.replication.dimensions &= static_cast<std::uint8_t>(~mask_of(axes[d]));
  }
  whole.shape = Shape(sizes);
  return whole;
}

Term gathered(Translator& translator, const Bound& bound) {
  Builder& builder = translator.builder();
  Value value = bound.value;
  const auto gather = [&](std::uint8_t mask, std::int64_t dimension) {
    value = builder.add(Op::all_gather, {value}, {dimension, translator.group_along(mask)});
    value = builder.add(Op::wait, {value});
  };
  for (std::size_t d = 0; d < bound.sharding->size(); ++d) {
    const std::vector<int>& axes = (*bound.sharding)[d];
    if (axes.empty()) continue;
    const auto dimension = static_cast<std::int64_t>(d);
    if (std::ranges::is_sorted(axes)) {
      gather(mask_of(axes), dimension);
      continue;
    }
    // The innermost first: its parts lie side by side.
    for (std::size_t i = axes.size(); i-- > 0;) gather(mask_of({axes[i]}), dimension);
  }
  return {&builder, value};
}

Value part(Translator& translator, const Bound& bound, const AxesOfDimensions& axes,
           std::size_t offset) {
  if (bound.sharding != nullptr && *bound.sharding == axes) return bound.value;
  ArgumentUse* const use = translator.use_of(bound);
  if (!is_split(axes)) return translator.whole(bound).value();
  Bound unnoticed = bound;
  if (use != nullptr) {
    if (std::ranges::find(use->shardings, axes) == use->shardings.end()) {
      use->shardings.push_back(axes);
    }
    unnoticed.argument = -1;
  }
  const Mesh& mesh = *translator.mesh();
  const Term whole = translator.whole(unnoticed);
  const Shape shape = part_of(translator, whole.type(), axes, offset).shape;
  Builder& builder = translator.builder();
  std::vector<Value> starts;
  for (std::size_t d = 0; d < axes.size(); ++d) {
    Term at(&builder, builder.scalar(DType::i64, 0));
    for (const int axis : axes[d]) {
      const Term index(&builder, builder.add(Op::rank_index, std::span<const Value>(),
                                             {translator.group_along(mask_of({axis}))}));
      const auto size = static_cast<double>(mesh.sizes[static_cast<std::size_t>(axis)]);
      at = at * size + index;
    }
    at = at * static_cast<double>(shape[static_cast<int>(d)]);
    starts.push_back(reshape(at, {1}).value());
  }
  const Value all = builder.add(Op::concat, starts, {std::int64_t{0}});
  const std::vector<std::int64_t> sizes(shape.begin(), shape.end());
  return builder.add(Op::dynamic_slice, {whole.value(), all}, {sizes});
}

GroupPtr group_of(const Translator& translator, std::vector<std::int64_t> ranks,
                  std::int64_t stride) {
  Group group;
  group.stride = stride;
  group.ranks = std::move(ranks);
  const Mesh* const mesh = translator.mesh().get();
  const std::uint8_t along = mesh == nullptr ? std::uint8_t{0} : dimensions_of(group, *mesh);
  if (along != 0) {
    group.tag = dimension_names(*mesh, along, "_");
    return std::make_shared<const Group>(std::move(group));
  }
  group.tag = "ranks";
  if (group.stride != static_cast<std::int64_t>(group.ranks.size())) {
    constexpr std::int64_t kMostNamed = 8;
    for (std::int64_t i = 0; i < std::min(group.stride, kMostNamed); ++i) {
      group.tag += "_" + std::to_string(group.ranks[static_cast<std::size_t>(i)]);
    }
  }
  return std::make_shared<const Group>(std::move(group));
}

const GroupPtr& Translator::group_along(std::uint8_t dimensions) {
  GroupPtr& out = groups_along_[dimensions];
  if (out == nullptr) out = std::make_shared<const Group>(mesh_group(*mesh_, dimensions));
  return out;
}

const GroupPtr& Translator::everyone() {
  if (everyone_ == nullptr) {
    std::vector<std::int64_t> all(static_cast<std::size_t>(ranks()));
    std::iota(all.begin(), all.end(), 0);
    const std::int64_t stride = std::ssize(all);
    everyone_ = group_of(*this, std::move(all), stride);
  }
  return everyone_;
}

}  // namespace tutti::ir::stablehlo
