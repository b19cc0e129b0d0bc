#pragma once

#include <tutti/lazy/collectives.h>
#include <tutti/lazy/context.h>

#include <string>
#include <vector>

namespace tutti::detail {

// As the attribute says it: "sum".
// Throws TypeError for a number that is no reduction.
std::string reduce_name(Reduce reduce, Location where);

// Throws TypeError if the current rank can't make this call.
void check_collective(ir::Op op, const std::vector<ir::Type>& operands,
                      const std::vector<ir::Attribute>& attributes, Location where);

// Records a collective on the current rank and gives handles to its results. Throws TypeError,
// before anything is recorded, also for what only this rank's own part makes wrong.
std::vector<StatePtr> record_collective(ir::Op op, const std::vector<StatePtr>& operands,
                                        std::vector<ir::Attribute> attributes, Location where);

}  // namespace tutti::detail
