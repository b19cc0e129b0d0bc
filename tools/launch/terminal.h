#pragma once

namespace tutti::tools {

// Whether what is written to a descriptor (1 or 2) may have colours: it is a terminal that has
// them, and NO_COLOR is not set.
bool has_colours(int descriptor);

}  // namespace tutti::tools
