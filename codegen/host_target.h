#pragma once

#include <tutti/codegen/target.h>

namespace tutti::codegen {

// Threads of this machine, which divide the tiles of launches: hand-written kernels (library.h) and
// generated ones.
const Target& host_target();

}  // namespace tutti::codegen
