#pragma once

#include <tutti/ir/stablehlo/translate.h>

#include <functional>
#include <vector>

namespace tutti::ir::stablehlo {

// What a scan's steps make of the carries, of a row of each sequence, and of the invariants: the
// next carries, and what is stacked.
using ScanStep =
    std::function<std::vector<Term>(const std::vector<Term>& carries, const std::vector<Term>& rows,
                                    const std::vector<Term>& invariants)>;

// A scan over the rows of sequences, of which there is one at least.
std::vector<Term> scan_over(Step& step, const std::vector<Term>& carries,
                            const std::vector<Term>& sequences, const std::vector<Term>& invariants,
                            const ScanStep& body);

}  // namespace tutti::ir::stablehlo
