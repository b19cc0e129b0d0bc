#pragma once

#include <tutti/ir/term.h>

// The gamma function's family, for f32 and f64.
namespace tutti::ir::stablehlo {

// log(|gamma(x)|) and its derivative.
Term lgamma(Term x);
Term digamma(Term x);
// The sum of (q + n)^-x over n >= 0, for x > 1.
Term zeta(Term x, Term q);
// The n-th derivative of digamma.
Term polygamma(Term n, Term x);

}  // namespace tutti::ir::stablehlo
