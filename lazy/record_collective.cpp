#include <tutti/ir/collective.h>
#include <tutti/kernels/host/collective_kinds.h>
#include <tutti/lazy/record_collective.h>

namespace tutti::detail {

std::string reduce_name(Reduce reduce, Location where) {
  static_assert(static_cast<int>(Reduce::bit_xor) == static_cast<int>(kernels::Reduction::bit_xor));
  if (reduce > Reduce::bit_xor) {
    throw TypeError(
        "there is no reduction of the number " + std::to_string(static_cast<int>(reduce)), where);
  }
  return std::string(name_of(static_cast<kernels::Reduction>(reduce)));
}

void check_collective(ir::Op op, const std::vector<ir::Type>& operands,
                      const std::vector<ir::Attribute>& attributes, Location where) {
  RankContext& context = RankContext::current();
  const ir::Attributes named(ir::definition(op).attributes, attributes);
  const std::int64_t rank = context.runtime().rank();
  // A rank outside of the group is told so by record().
  if (named.group("group")->position_of(rank) < 0) return;
  try {
    ir::infer_types(op, operands, attributes, context.mesh().get());
  } catch (const TypeError& error) {
    throw TypeError(error.what(), where);
  }
  ir::check_on_rank(op, operands, named, rank, where);
}

std::vector<StatePtr> record_collective(ir::Op op, const std::vector<StatePtr>& operands,
                                        std::vector<ir::Attribute> attributes, Location where) {
  ir::complete_attributes(ir::definition(op), attributes);
  std::vector<ir::Type> types;
  for (const StatePtr& operand : operands) types.push_back(operand->type);
  check_collective(op, types, attributes, where);
  return RankContext::current().record(op, operands, std::move(attributes), where);
}

}  // namespace tutti::detail
