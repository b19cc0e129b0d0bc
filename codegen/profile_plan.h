#pragma once

#include <tutti/codegen/plan.h>
#include <tutti/runtime/profile/plan_profile.h>

#include <memory>

namespace tutti::codegen {

// What a profile is to say of the steps of a plan; null if there is no profile.
std::unique_ptr<runtime::PlanProfile> profile_plan(const Plan& plan,
                                                   std::shared_ptr<runtime::Profile> profile);

}  // namespace tutti::codegen
