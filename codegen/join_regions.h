#pragma once

#include <tutti/codegen/plan/plan.h>

#include <vector>

namespace tutti::codegen {

// Makes one plan of a program's and those of the functions that it runs, which become its regions:
// `functions[n]` is region n for those behind it, and for the program. Their memory is planned;
// what a region has of the arena goes behind all that those have that enter it.
Plan join_regions(std::vector<Plan> functions, Plan program);

}  // namespace tutti::codegen
