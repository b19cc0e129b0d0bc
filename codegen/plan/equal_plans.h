#pragma once

#include <tutti/codegen/plan/plan.h>

#include <string>

namespace tutti::codegen {

// What two plans differ in first, as their texts call it: "buffer b3", "step 4". Empty if they are
// structurally_equal.
std::string first_difference(const Plan& a, const Plan& b);

}  // namespace tutti::codegen
