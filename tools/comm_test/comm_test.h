#pragma once

#include "tools/comm_test/options.h"

namespace tutti::tools {

// Tests and measures collectives between ranks that are processes of this host: those that a
// launcher has started, of which this is one, or else ranks that it starts itself. Gives the exit
// code: 1 if a result was wrong, that of the first rank that failed if one did.
int comm_test(const CommTestOptions& options);

}  // namespace tutti::tools
