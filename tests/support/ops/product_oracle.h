#pragma once

#include "tests/support/ops/oracle.h"

// The oracles of what stands for several products.
namespace tutti::test {

Plain dot_general_oracle(const Plains& x, const Attributes& attributes);
Plain conv_oracle(const Plains& x, const Attributes& attributes);
Plain attention_oracle(const Plains& x, const Attributes& attributes);
// The three results one after another, flat.
Plain attention_gradient_oracle(const Plains& x, const Attributes& attributes);

}  // namespace tutti::test
