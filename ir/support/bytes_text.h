#pragma once

#include <cstdint>
#include <string>

namespace tutti {

// For people: "512 B", "2.5 KiB", "93 MiB"; three digits at most.
std::string bytes_text(std::int64_t bytes);

}  // namespace tutti
