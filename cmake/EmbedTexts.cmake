# cmake -DTEXTS=<file that lists the texts, one a line> -DOUTPUT=<.cpp> -P EmbedTexts.cmake
# Writes the files as string constants; kernels/device/embedded.h declares how they are found.

file(STRINGS ${TEXTS} files)
set(entries "")
foreach(file IN LISTS files)
  file(READ ${file} text)
  get_filename_component(name ${file} NAME_WE)
  string(APPEND entries "    {\"${name}\", R\"tutti(${text})tutti\"},\n")
endforeach()
file(CONFIGURE OUTPUT ${OUTPUT} @ONLY CONTENT [[
// Written by cmake/EmbedTexts.cmake.
#include <tutti/kernels/device/embedded.h>

namespace tutti::kernels {

namespace {

constexpr EmbeddedText kTexts[] = {
@entries@};

}  // namespace

std::span<const EmbeddedText> embedded_texts() { return kTexts; }

}  // namespace tutti::kernels
]])
