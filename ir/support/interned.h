#pragma once

#include <string_view>

namespace tutti {

// The text, at an address that is the same for equal texts and stays for the whole process.
// Thread-safe.
const char* interned(std::string_view text);

}  // namespace tutti
