#pragma once

#include <tutti/ir/stablehlo/translate.h>

#include <cstdint>
#include <functional>
#include <vector>

namespace tutti::ir::stablehlo {

// A scan whose steps get the carries, their number (i32[]) and the invariants, and give the next
// carries and what is stacked.
std::vector<Term> numbered_loop(
    Step& step, const std::vector<Term>& carries, const std::vector<Term>& invariants,
    std::int64_t length,
    const std::function<std::vector<Term>(const std::vector<Term>& carries, Term number,
                                          const std::vector<Term>& invariants)>& body);

}  // namespace tutti::ir::stablehlo
