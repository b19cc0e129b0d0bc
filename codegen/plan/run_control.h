#pragma once

#include <tutti/codegen/plan/binding.h>
#include <tutti/codegen/plan/control.h>

namespace tutti::codegen {

// Runs a loop or branch, walking the steps of its regions. Throws what one of them throws.
void run_control(const Control& control, Binding& binding);

}  // namespace tutti::codegen
