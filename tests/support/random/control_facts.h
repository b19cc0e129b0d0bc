#pragma once

#include "tests/support/random/facts.h"

namespace tutti::test {

// The same as facts_of() for a node that runs functions: its steps are gone through one after
// another, so that it is as exact as they are.
std::vector<Facts> facts_of_control(ir::Op op, std::span<const ir::Attribute> attributes,
                                    std::span<const Facts* const> operands, std::size_t ranks);

// What is known of place i along the first axis.
Facts place_of(const Facts& facts, std::int64_t i);

}  // namespace tutti::test
