#include <tutti/ir/control.h>
#include <tutti/ir/derive/gradient.h>
#include <tutti/ir/ops/control_draft.h>
#include <tutti/ir/passes/passes.h>
#include <tutti/ir/support/error.h>

namespace tutti::ir::family::control {

Draft::Draft(const Graph& like, const std::string& name, bool communicates)
    : graph_(name), builder_(graph_), communicates_(communicates) {
  graph_.mesh = like.mesh;
  graph_.default_device = like.default_device;
  if (!like.parameters().empty()) place_ = like.type(like.parameters()[0].value);
}

Value Draft::parameter(const std::string& name, const Type& like) {
  const Replication replication =
      communicates_ && !like.replication.literal ? like.replication : place_.replication;
  return graph_.add_parameter(name, {.dtype = like.dtype,
                                     .shape = like.shape,
                                     .replication = replication,
                                     .device = place_.device});
}

Graph Draft::take(Values results) {
  graph_.set_results(std::move(results));
  return std::move(graph_);
}

Graph Draft::finish(Values results) {
  Graph out = take(std::move(results));
  dce(out);
  return out;
}

Values pull_back(Draft& draft, Values results, const Values& cotangents, const Values& wrt) {
  if (wrt.empty()) return {};
  Builder& builder = draft.builder();
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (!cotangents[i].valid()) continue;
    const Replication own = builder.type(results[i]).replication;
    const Replication outside = builder.type(cotangents[i]).replication;
    if (own.literal || outside.literal) continue;
    results[i] =
        builder.vary(results[i], static_cast<std::uint8_t>(own.dimensions & ~outside.dimensions));
  }
  return vjp(builder, results, cotangents, wrt);
}

void refuse_gradient(const Gradient& gradient, const std::string& what) {
  throw UsageError(what + " has no gradient yet; write the steps out in a C++ for loop",
                   gradient.builder()->location());
}

void require_alike(const Gradient& gradient) {
  const Replication common = place_of_functions(gradient.attributes).replication;
  for (const Attribute& attribute : gradient.attributes.values()) {
    for (const FunctionPtr& function : functions_of(attribute)) {
      for (const Type& type : function->parameter_types()) {
        if (type.replication == common) continue;
        refuse_gradient(gradient,
                        "a loop or branch whose parameters are the same on different ranks");
      }
    }
  }
}

}  // namespace tutti::ir::family::control
