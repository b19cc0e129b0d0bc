#pragma once

namespace tutti::tools {

// The disk cache of compiled code, as TUTTI_CACHE_DIR and its like name it. All throw
// EnvironmentError, with the reason, when there is none.

// Prints the entries, last used first.
void list_cache();

// Reads all entries, prints a line for each that is damaged, and removes those if asked to. Returns
// whether there is none (any more).
bool verify_cache(bool remove);

// Removes all entries. Throws EnvironmentError if some stay.
void clear_cache();

}  // namespace tutti::tools
