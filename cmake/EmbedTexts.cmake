# cmake -DTEXTS=<file that lists the texts, one a line> -DHEADER=<include> -DNAMESPACE=<name>
#       -DOUTPUT=<.cpp> -P EmbedTexts.cmake
# Writes the files as string constants; the header declares EmbeddedText and embedded_texts(), by
# which they are found under their names without extension.

file(STRINGS ${TEXTS} files)
set(entries "")
foreach(file IN LISTS files)
  file(READ ${file} text)
  get_filename_component(name ${file} NAME_WE)
  string(APPEND entries "    {\"${name}\", R\"tutti(${text})tutti\"},\n")
endforeach()
file(CONFIGURE OUTPUT ${OUTPUT} @ONLY CONTENT [[
// Written by cmake/EmbedTexts.cmake.
#include @HEADER@

namespace @NAMESPACE@ {

namespace {

constexpr EmbeddedText kTexts[] = {
@entries@};

}  // namespace

std::span<const EmbeddedText> embedded_texts() { return kTexts; }

}  // namespace @NAMESPACE@
]])
