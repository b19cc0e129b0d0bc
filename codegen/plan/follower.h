#pragma once

#include <tutti/codegen/plan/plan.h>
#include <tutti/runtime/run/plan_frame.h>

#include <memory>

namespace tutti::codegen {

// The kernel that follows a collective (CollectiveStart::follower).

// Its text, which stands on a line of its own behind the start's:
//      then launch relu k1 (b4) -> b5 on cuda:0 {tiles = 1}
void parse_follower(StepParser& parser, CollectiveStart& start, CollectiveWait& wait);
void print_follower(const CollectiveStart& start, StepPrinter& printer);

std::shared_ptr<const runtime::BoundFollower> bind_follower(const CollectiveStart& start,
                                                            Binding& binding);

}  // namespace tutti::codegen
