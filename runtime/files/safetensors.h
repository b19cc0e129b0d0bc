#pragma once

#include <tutti/ir/type.h>
#include <tutti/runtime/files/input_file.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

// Files of named tensors as Hugging Face's safetensors has them: eight bytes with the length of a
// header in JSON, the header, and the tensors' elements, row-major and little endian.
// https://github.com/huggingface/safetensors#format
namespace tutti::runtime {

struct SafetensorsFile {
  struct Entry {
    ir::Type type;
    std::int64_t begin = 0;  // where its elements lie, from the start of the file
  };
  std::map<std::string, Entry> tensors;
  std::map<std::string, std::string> metadata;
};

// Reads the header. Throws ParseError, naming the file and the tensor, for what the format does not
// allow: of a header that is no JSON or beyond 100 MB, names that are there twice, elements that
// overlap, leave gaps or do not fill the file, and of dtypes and ranks that Tutti does not have.
// EnvironmentError in builds without the JSON package.
SafetensorsFile read_safetensors(const InputFile& file);

struct NamedType {
  std::string name;
  ir::Type type;
};
struct SafetensorsHead {
  std::string bytes;               // before the first element
  std::vector<std::size_t> order;  // of the tensors' elements behind it
};
// What stands before the elements: they begin at a multiple of 64 bytes, those of large dtypes
// first, so that all lie at a multiple of their own size. Throws UsageError for a name that is
// there twice, is "__metadata__" or is no UTF-8, and where it would be longer than readers take.
SafetensorsHead safetensors_head(const std::vector<NamedType>& tensors,
                                 const std::map<std::string, std::string>& metadata);

// By tensor the file that has it, relative to the folder, as a "model.safetensors.index.json" says.
// Throws as read_safetensors() does.
std::map<std::string, std::string> read_safetensors_index(const InputFile& file);

}  // namespace tutti::runtime
