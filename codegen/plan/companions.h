#pragma once

#include <tutti/codegen/plan/plan.h>
#include <tutti/runtime/run/plan_frame.h>

#include <memory>

namespace tutti::codegen {

// The kernels that go with a collective (CollectiveStart::leader, follower).

// Their texts, each of which stands on a line of its own behind the start's:
//      first launch mul k0 (b0, b1) -> b3 on cuda:0 {tiles = 1}
//      then launch relu k1 (b4) -> b5 on cuda:0 {tiles = 1}
void parse_companions(StepParser& parser, CollectiveStart& start, CollectiveWait& wait);
void print_companions(const CollectiveStart& start, StepPrinter& printer);

// What a bound collective has of them; null where there is none.
void bind_companions(const CollectiveStart& start, Binding& binding,
                     runtime::BoundCollective& collective);

}  // namespace tutti::codegen
