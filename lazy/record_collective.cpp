#include <tutti/ir/collective.h>
#include <tutti/lazy/record_collective.h>

namespace tutti::detail {

std::vector<StatePtr> record_collective(ir::Op op, const std::vector<StatePtr>& operands,
                                        std::vector<ir::Attribute> attributes, Location where) {
  RankContext& context = RankContext::current();
  const ir::Definition& entry = ir::definition(op);
  ir::complete_attributes(entry, attributes);
  const ir::Attributes named(entry.attributes, attributes);
  const std::int64_t rank = context.runtime().rank();
  // A rank outside of the group is told so by record().
  if (named.group("group")->position_of(rank) >= 0) {
    std::vector<ir::Type> types;
    for (const StatePtr& operand : operands) types.push_back(operand->type);
    try {
      ir::infer_types(op, types, attributes, context.mesh().get());
    } catch (const TypeError& error) {
      throw TypeError(error.what(), where);
    }
    ir::check_on_rank(op, types, named, rank, where);
  }
  return context.record(op, operands, std::move(attributes), where);
}

}  // namespace tutti::detail
