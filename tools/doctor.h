#pragma once

namespace tutti::tools {

// Prints what of the things that Tutti uses is there, with versions, and for what is missing why,
// what does not work without it and what to do. `json`: as an array of objects with the members
// name, works, says and, where it does not work, without.
void doctor(bool json);

}  // namespace tutti::tools
