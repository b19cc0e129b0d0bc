#pragma once

#include <cstddef>
#include <vector>

namespace tutti::runtime {

// The cores on which the calling thread may run, in order: fewer than the machine's where
// `taskset`, a launcher or a container says so. Throws EnvironmentError where the system does not
// tell.
std::vector<std::size_t> allowed_cores();

// How many they are; the machine's where the system does not tell.
int count_of_allowed_cores();

}  // namespace tutti::runtime
