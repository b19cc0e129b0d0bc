#pragma once

#include <tutti/runtime/descriptor.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

// Files and folders that nobody but this user can have written, so that what they hold may be run.
// Names are looked up in open folders and symbolic links are not followed: what was checked is what
// is used.
namespace tutti::runtime {

// Opens a folder by its path, making it (and those above it, but for `base` and those above that,
// if it names one of them) if need be. Links above it are followed. Throws EnvironmentError if it
// can't be, is a link, belongs to another user, or if its group or others may write to it.
Descriptor open_private_folder(const std::string& path, const std::string& base = "");

// The same for a folder in a folder; invalid, with errno set, where that one throws.
Descriptor open_private_folder(const Descriptor& folder, const char* name, bool make);

// What is in a folder, but for "." and "..".
std::vector<std::string> names_in(const Descriptor& folder);

struct PrivateFile {
  std::vector<std::byte> content;
  std::int64_t modified = 0;  // seconds since 1970
};

// A regular file with the same guarantees, of at most `most` bytes; nothing, with errno set, if it
// can't be read or is none.
std::optional<PrivateFile> read_private_file(const Descriptor& folder, const char* name,
                                             std::size_t most);

// Puts a file in place at once (NewFile), replacing what has the name, be it a folder. False, with
// errno set, if it can't be.
bool write_private_file(const Descriptor& folder, const char* name,
                        std::span<const std::byte> content);

// Removes a file, or a folder with all that is in it. False, with errno set, if some of it stays;
// what is not there is removed.
bool remove_private_file(const Descriptor& folder, const char* name);

}  // namespace tutti::runtime
