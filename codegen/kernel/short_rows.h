#pragma once

#include <tutti/codegen/kernel/kernel.h>

#include <cstdint>

namespace tutti::codegen {

// Rows too short to fill vectors of their own (softmax over eight experts) are worked on side by
// side: the kernel's vectors lie along an outer axis, each lane has a row of its own, and the loop
// goes along the rows. Elements of a vector are then a row apart. On the host kLanes rows are read
// at once, as they lie, and turned in registers.
inline constexpr std::int64_t kLongestShortRow = 32;

// Whether an access in a loop is to such rows: a row's elements lie side by side in memory, and the
// rows of neighbouring lanes behind each other.
bool is_of_short_rows(const Kernel& kernel, const Affine& address);

// Whether a kernel has such accesses.
bool has_short_rows(const Kernel& kernel);

// Lays the vectors of a kernel that goes along rows across them, where they are short and many, and
// all of them are read without bounds.
void turn_short_rows(Kernel& kernel);

}  // namespace tutti::codegen
