#pragma once

#include <tutti/ir/array.h>

#include <ostream>
#include <string>
#include <vector>

namespace tutti::tools {

inline constexpr double kStandardTolerance = 1e-5;

// Compares results, [rank][result], with those in a folder or .npz file, laid out as write_arrays()
// does or the same for all ranks, and writes a line for each with its largest difference. Floats
// agree if they differ by no more than `tolerance`, times the expected one's magnitude where that
// is above 1; NaN agrees with NaN. Everything else has to be equal. Gives whether all agree, and no
// more results or ranks are expected. Throws UsageError where a result is missing.
bool compare_results(const std::vector<std::vector<ir::Array>>& results,
                     const std::string& expected, double tolerance, std::ostream& out);

}  // namespace tutti::tools
