#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

#include <sys/types.h>

namespace tutti::runtime {

// Writes a file, all of it or nothing: under another name first, in the same folder. What is there
// already and is no file, such as a terminal, /dev/null or a link, is written to as it is. Throws
// EnvironmentError where it cannot be written.
void write_file(const std::filesystem::path& path, std::string_view text);

// What a path stands for that is to be written whole: a link stays one, and what it names is meant,
// which need not be there. Throws EnvironmentError if something is there that is no file.
std::filesystem::path file_to_write(std::filesystem::path path);
// The permissions of the file that a new one replaces, if there is one.
std::optional<mode_t> mode_to_write(const std::filesystem::path& path);

}  // namespace tutti::runtime
