#pragma once

#include <tutti/codegen/plan/launch.h>
#include <tutti/runtime/profile/plan_profile.h>

#include <span>

namespace tutti::codegen {

// What a profile shows of parts that are launched together.
runtime::PlanProfile::LaunchSources launch_sources(const Plan& plan,
                                                   std::span<const LaunchPart> parts,
                                                   runtime::Profile& profile);

}  // namespace tutti::codegen
