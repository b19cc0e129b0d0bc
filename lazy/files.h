#pragma once

#include <tutti/lazy/tensor_map.h>

#include <filesystem>
#include <map>
#include <source_location>
#include <string>

// Trees of tensors in .safetensors files, as Hugging Face's packages read and write them.
//
// A tensor's name in the file is its path in the tree, "blocks.3.qkv.weight". Numbers, enums and
// strings of the tree are kept as well, in the file's metadata, so that a training's state (model,
// optimiser, key, step) is one tree and its checkpoint one call:
//   save(training, "step_1000.safetensors");
//   training = load(training, "step_1000.safetensors");
// What is loaded continues as if nothing had happened, bit for bit.
//
// Errors name the caller's line: EnvironmentError for what the system refuses, ParseError for what
// is no such file, UsageError where file and tree do not fit.
namespace tutti {

struct SaveOptions {
  // Texts for readers of the file. Names that begin with "tutti." are those of the tree's own.
  std::map<std::string, std::string> metadata = {};
};

struct LoadOptions {
  // Tensors are the file itself, mapped: nothing is read before it is needed, and processes that
  // map one file share its memory. It is never written. Whoever makes the file shorter while it is
  // in use ends this process (SIGBUS); replacing it under its name, as save() does, is harmless. A
  // tensor that does not lie at a multiple of its element's size is copied, with a warning; one for
  // a GPU always is.
  bool mmap = false;
  // A leaf's dtype may be another one than the file's: the tensor is converted.
  bool cast = false;
};

namespace detail {

void save_tree(TreeRef tree, const std::filesystem::path& path, const SaveOptions& options,
               Location where);
void load_tree(TreeRef tree, const std::filesystem::path& path, const LoadOptions& options,
               Location where);

}  // namespace detail

// Computes the tensors of a tree and writes them, whole or not at all: under another name first,
// and on the disk before the file takes its name. Each rank that calls it writes; ranks that have
// the same tensors let one of them, and those that have others save under other names.
template <class T>
void save(const T& tree, const std::filesystem::path& path, const SaveOptions& options = {},
          std::source_location at = std::source_location::current()) {
  detail::save_tree(detail::tree_ref(tree), path, options, at);
}

// A tree like `like` with the tensors of a file, on the rank's default device, and the numbers and
// strings that save() kept, where the file has them. Of `like`, only names and types are looked at:
// tensors that are recorded are not computed, abstract() ones will do, and one without a value
// takes what the file has. What is known to be the same on several ranks in `like` (by replicated()
// or a collective, in a DistributedTensor by Replicate) those ranks load together: it is compared
// as replicated() does, and known to be the same again; the rest varies. So all of them call it,
// and of files that hold the same: one that calls it alone waits for the others until the time-out,
// and other contents are an error. One rank alone, or each with its own, loads into a tree of
// abstract() tensors, which knows nothing of other ranks. A DistributedTensor must be placed as the
// saved one was. `path` may also be the "model.safetensors.index.json" of several files. Throws one
// UsageError that names all tensors that are missing, left over or of another type.
template <class T>
T load(T like, const std::filesystem::path& path, const LoadOptions& options = {},
       std::source_location at = std::source_location::current()) {
  detail::load_tree(detail::tree_ref(like), path, options, at);
  return like;
}

// All tensors of a file, or of those of an index, by name. See renamed() and with_tensors().
TensorMap load_tensors(const std::filesystem::path& path, const LoadOptions& options = {},
                       std::source_location at = std::source_location::current());

// The texts that a file has beside its tensors.
std::map<std::string, std::string> load_metadata(
    const std::filesystem::path& path, std::source_location at = std::source_location::current());

}  // namespace tutti
