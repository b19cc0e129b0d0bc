#pragma once

#include <tutti/codegen/kernel/kernel.h>

#include <cstdint>

namespace tutti::codegen {

// Rows too short to fill vectors of their own (softmax over eight experts) are worked on side by
// side: the kernel's vectors lie along an outer axis, each lane has a row of its own, and the loop
// goes along the rows. Elements of a vector are then a row apart. On the host kLanes rows are read
// at once, as they lie, and turned in registers.
inline constexpr std::int64_t kLongestShortRow = 32;

// Whether an access of a loop is to such rows, and goes by tiles: a row's elements lie side by side
// in memory, the rows of neighbouring lanes behind each other, and a load has no bounds and no
// terms.
bool is_of_short_rows(const Kernel& kernel, const Segment& segment, const Instruction& load);
bool is_of_short_rows(const Kernel& kernel, const Segment& segment, const Store& store);

// Whether a kernel has such accesses.
bool has_short_rows(const Kernel& kernel);

// Lays the vectors of a kernel that goes along rows across them, where they are short and many:
// where it has such accesses then, or some to elements of which those of neighbouring rows lie side
// by side. Bounds are checked lane by lane there, which only very short rows are worth.
void turn_short_rows(Kernel& kernel);

}  // namespace tutti::codegen
