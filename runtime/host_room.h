#pragma once

#include <tutti/runtime/memory_use.h>

#include <cstddef>
#include <optional>
#include <string>

namespace tutti::runtime {

// How much memory this host has, and how much of it programs can still get: of the machine, or of
// the control group (a container's, say) that allows least. Nothing where /proc is not there.
std::optional<MemoryRoom> host_room();
// The same in words, with the process's own limits (ulimit -v, ulimit -d).
std::string host_room_text();

}  // namespace tutti::runtime
