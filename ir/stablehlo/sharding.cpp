#include <tutti/ir/stablehlo/linear_algebra.h>
#include <tutti/ir/stablehlo/rules.h>
#include <tutti/ir/stablehlo/share.h>
#include <tutti/ir/stablehlo/tiling.h>

#include <algorithm>

// Shardy's operations, and custom calls that say the same in the older notation. What is not inside
// a manual computation is computed on every rank, of whole values.
namespace tutti::ir::stablehlo {

namespace {

// A result of which every rank has a part.
void result_of_parts(Step& step, Term part, AxesOfDimensions axes, std::size_t offset) {
  const Type whole{.dtype = part.dtype(), .shape = step.shape(step.results.size())};
  if (whole.shape.rank() != part.shape().rank() ||
      (is_split(axes) ? part_of(step.translator, whole, axes, offset) : whole).shape !=
          part.shape()) {
    step.translator.fail(offset, "parts of " + part.shape().text() + " do not make up the " +
                                     whole.shape.text() + " that is written");
  }
  step.result(Bound{.value = part.value(),
                    .sharding = std::make_shared<const AxesOfDimensions>(std::move(axes))});
}

void manual_computation(Step& step) {
  Translator& translator = step.translator;
  const Operation& operation = step.operation;
  if (translator.mesh() == nullptr) step.fail("needs a mesh");
  for (const TreeMesh& mesh : translator.module().meshes) {
    if (!mesh.in_order) translator.fail(mesh.offset, "devices in another order than 0, 1, 2, ...");
    if (!mesh.mesh.names.empty() && mesh.mesh != *translator.mesh()) {
      translator.fail(mesh.offset, "a second mesh; one for the whole program is supported");
    }
  }
  // Along axes that are not manual, ranks do the same.
  const Attribute& manual = step.get("manual_axes");
  const auto of_manual_axes = [&](const Attribute& sharding, int rank) {
    AxesOfDimensions out = axes_from(translator, sharding, rank);
    for (std::vector<int>& axes : out) {
      std::erase_if(axes, [&](int axis) {
        const std::string& name = translator.mesh()->names[static_cast<std::size_t>(axis)];
        return std::ranges::find(manual.items, name, &Attribute::text) == manual.items.end();
      });
    }
    return out;
  };
  const Attribute& in = step.get("in_shardings");
  const Attribute& out = step.get("out_shardings");
  if (operation.regions.size() != 1 || in.items.size() != operation.operands.size() ||
      out.items.size() != operation.result_types.size()) {
    step.fail("needs a region and a sharding for each operand and result");
  }
  const Region& region = operation.regions[0];
  std::vector<Bound> arguments;
  for (std::size_t i = 0; i < operation.operands.size(); ++i) {
    const Bound& operand = translator.lookup(operation.operands[i]);
    if (!operand.value.valid()) step.fail("an operand that is no tensor");
    const int rank = translator.builder().type(operand.value).shape.rank();
    const AxesOfDimensions wanted = of_manual_axes(in.items[i], rank);
    const Value local = part(translator, operand, wanted, operation.offset);
    if (i < region.arguments.size() &&
        region.arguments[i].type.shape != translator.builder().type(local).shape) {
      translator.fail(region.arguments[i].offset,
                      "this rank's part has shape " +
                          translator.builder().type(local).shape.text() + ", but " +
                          region.arguments[i].type.shape.text() + " is written");
    }
    arguments.push_back({.value = local});
  }
  const std::vector<Bound> results = translator.region(region, arguments);
  for (std::size_t i = 0; i < results.size() && i < out.items.size(); ++i) {
    const Term local = translator.whole(results[i]);
    result_of_parts(step, local, of_manual_axes(out.items[i], local.shape().rank()),
                    out.items[i].offset);
  }
}

// What is the same whole value, however ranks should share it.
void as_it_is(Step& step) {
  const Bound& bound = step.translator.lookup(step.reference(0));
  step.result(bound);
}

// The older notation: @Sharding says how a value is to be split, @SPMDFullToShardShape takes this
// rank's part of it, and @SPMDShardToFullShape makes a whole of parts.
const Attribute& tiling(Step& step) {
  const Attribute& out = step.get("mhlo.sharding");
  if (out.kind != Attribute::Kind::text) step.fail("expected mhlo.sharding = \"...\"");
  return out;
}

void ask_for(Step& step) {
  Bound bound = step.translator.lookup(step.reference(0));
  if (!bound.value.valid()) step.fail("an operand that is no tensor");
  const Attribute& text = tiling(step);
  if (!read_tiling(text.text, step.translator.ranks()).manual) {
    bound.asked = std::make_shared<const AxesOfDimensions>(
        axes_from(step.translator, text, step.builder().type(bound.value).shape.rank()));
  }
  step.result(std::move(bound));
}

void full_to_shard(Step& step) {
  const Bound& bound = step.translator.lookup(step.reference(0));
  if (bound.asked == nullptr) {
    step.fail("@SPMDFullToShardShape: expected a value of @Sharding, which says how it is split");
  }
  if (step.translator.mesh() == nullptr) {
    step.result(step.operand(0));
    return;
  }
  step.result(Bound{.value = part(step.translator, bound, *bound.asked, step.operation.offset)});
}

void shard_to_full(Step& step) {
  const Term part = step.operand(0);
  const Attribute& text = tiling(step);
  result_of_parts(step, part, axes_from(step.translator, text, part.shape().rank()), text.offset);
}

void custom_call(Step& step) {
  std::string target;
  if (const Attribute* const generic = step.find("call_target_name")) target = generic->text;
  for (const Attribute& item : step.operation.attributes.items) {
    if (target.empty() && item.kind == Attribute::Kind::symbol) target = item.text;
  }
  constexpr std::pair<std::string_view, void (*)(Step&)> kTargets[] = {
      {"LayoutConstraint", as_it_is},          {"SPMDFullToShardShape", full_to_shard},
      {"SPMDShardToFullShape", shard_to_full}, {"Sharding", ask_for},
      {"annotate_device_placement", as_it_is}, {"xla.sdy.FuncResultSharding", as_it_is},
  };
  for (const auto& [name, translate] : kTargets) {
    if (name != target) continue;
    translate(step);
    return;
  }
  // mhlo.erf and the like are CHLO's operations in another dress.
  const bool approximate = target == "ApproxTopK";
  if (approximate || target.starts_with("mhlo.") || target.starts_with("chlo.")) {
    const std::string name = approximate ? "chlo.approximate_top_k" : "chlo." + target.substr(5);
    Operation plain = step.operation;
    plain.name = name == "chlo.topk" ? "chlo.top_k" : name;
    if (const Attribute* const more = step.find("mhlo.attributes")) {
      for (std::size_t i = 0; i < more->items.size(); ++i) {
        plain.attributes.add(more->names[i], more->items[i]);
      }
    }
    step.results = step.translator.results_of(plain);
    return;
  }
  if (call_lapack(step, target)) return;
  std::string advice;
  if (target.starts_with("lapack_") || target.starts_with("cusolver")) {
    advice =
        "; of LAPACK's, potrf, getrf, geqrf, orgqr and trsm are (Cholesky, LU, QR, triangular "
        "systems)";
  } else if (target.find("callback") != target.npos) {
    advice = "; it calls Python. Leave pure_callback and jax.debug.print out";
  }
  step.fail("@" + target.substr(0, 60) + " is not supported" + advice);
}

constexpr Rule kShardingRules[] = {
    {"sdy.manual_computation", manual_computation},
    {"sdy.propagation_barrier", as_it_is},
    {"sdy.reshard", as_it_is},
    {"sdy.sharding_constraint", as_it_is, true},
    {"stablehlo.custom_call", custom_call},
};

}  // namespace

std::span<const Rule> sharding_rules() { return kShardingRules; }

}  // namespace tutti::ir::stablehlo
