#include "tests/support/collective_reference_calls.h"

#include <map>
#include <stdexcept>
#include <string>

namespace tutti::test {

namespace {

tutti::Reduce reduction_named(const std::string& name) {
  static const std::map<std::string, tutti::Reduce> kNames = {
      {"sum", tutti::Reduce::sum},         {"mean", tutti::Reduce::mean},
      {"product", tutti::Reduce::product}, {"min", tutti::Reduce::min},
      {"max", tutti::Reduce::max},         {"bit_and", tutti::Reduce::bit_and},
      {"bit_or", tutti::Reduce::bit_or},   {"bit_xor", tutti::Reduce::bit_xor},
  };
  return kNames.at(name);
}

}  // namespace

Group group_of(const CollectiveReference& use, const World& world) {
  if (use.form == "world") return world;
  if (use.form == "rows" || use.form == "columns") {
    const DeviceMesh mesh({{"down", 2}, {"across", world.size() / 2}});
    return {mesh, use.form == "rows" ? "across" : "down"};
  }
  return use.groups.size() == 1 ? Group(use.groups[0]) : Group(use.groups);
}

Tensor call_reference(const CollectiveReference& use, const Group& group, const Tensor& x,
                      int rank) {
  if (use.op == "all_reduce") return all_reduce(x, group, reduction_named(use.reduce));
  if (use.op == "reduce") {
    return tutti::reduce(x, group, reduction_named(use.reduce), use.root);
  }
  if (use.op == "reduce_scatter") {
    return reduce_scatter(x, group, reduction_named(use.reduce), use.axis, use.sizes);
  }
  if (use.op == "broadcast") return broadcast(x, group, use.root);
  if (use.op == "all_gather") return all_gather(x, group, use.axis, use.sizes);
  if (use.op == "gather") return gather(x, group, use.root, use.axis, use.sizes);
  if (use.op == "scatter") return scatter(x, group, use.root, use.axis, use.sizes);
  if (use.op == "all_to_all") {
    if (use.sizes.empty()) return all_to_all(x, group, use.axis, use.concat_axis);
    return all_to_all(x, group, use.send_sizes(rank), use.receive_sizes(rank), use.axis);
  }
  if (use.op == "collective_permute") return collective_permute(x, group, use.pairs);
  throw std::invalid_argument("there is no collective " + use.op);
}

}  // namespace tutti::test
