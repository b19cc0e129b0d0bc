#pragma once

#include <tutti/lazy/tensor_map.h>

#include <filesystem>
#include <source_location>

// NumPy's files: .npy holds an array, .npz some by name. Elements are little endian and in C order;
// there are no bf16 and no floats of 8 bits. Errors name the caller's line: EnvironmentError for
// what the system refuses, ParseError for what is no such file, TypeError for a dtype that NumPy
// does not have.
namespace tutti {

// The array, on the rank's default device.
Tensor load_npy(const std::filesystem::path& path,
                std::source_location at = std::source_location::current());
// Computes the tensor and writes it, whole or not at all.
void save_npy(const Tensor& tensor, const std::filesystem::path& path,
              std::source_location at = std::source_location::current());

// All arrays, stored or compressed. EnvironmentError where Tutti was built without libzip.
TensorMap load_npz(const std::filesystem::path& path,
                   std::source_location at = std::source_location::current());

namespace detail {
void save_npz_tree(TreeRef tree, const std::filesystem::path& path, Location where);
}  // namespace detail

// Computes the tensors of a tree and writes them under their paths in it, stored, whole or not at
// all. Other members are left out.
template <class T>
void save_npz(const T& tree, const std::filesystem::path& path,
              std::source_location at = std::source_location::current()) {
  detail::save_npz_tree(detail::tree_ref(tree), path, at);
}

}  // namespace tutti
