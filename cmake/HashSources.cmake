# cmake -DSOURCES=<file with one path a line> -DROOT=<folder> -DEXTRA=<text> -DOUTPUT=<file>
#       -P HashSources.cmake
# Writes a C++ file that defines build_id() as a hash of the sources' names and contents.

file(STRINGS ${SOURCES} sources)
set(all "${EXTRA}\n")
foreach(source IN LISTS sources)
  file(SHA256 ${source} hash)
  cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${ROOT} OUTPUT_VARIABLE name)
  string(APPEND all "${name} ${hash}\n")
endforeach()
string(SHA256 id "${all}")
file(CONFIGURE OUTPUT ${OUTPUT} @ONLY CONTENT [[
// Made by cmake/HashSources.cmake.
#include <tutti/codegen/build_id.h>

namespace tutti::codegen {

std::string_view build_id() { return "@id@"; }

}  // namespace tutti::codegen
]])
