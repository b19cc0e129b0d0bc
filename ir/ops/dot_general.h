#pragma once

#include <tutti/ir/ops/family.h>

namespace tutti::ir::family {

// Fails unless the operands are numbers of one dtype, as factors are.
void check_factors(const Inference& in);

void infer_dot_general(Inference& in);
// A product of matrices; or a sum of products, where one side has no axes of its own and the other
// would have to be copied to be matrices.
void decompose_dot_general(Decomposition& in);

}  // namespace tutti::ir::family
