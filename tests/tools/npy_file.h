#pragma once

#include <cstring>
#include <string>
#include <vector>

// .npy files as tests write and compare them, byte by byte.
namespace tutti::test {

// A file of format 1.0 with this header text, padded as NumPy does.
inline std::string npy_file(std::string header, const std::string& data) {
  while ((10 + header.size() + 1) % 64 != 0) header += ' ';
  header += '\n';
  std::string out("\x93NUMPY\x01\x00", 8);
  out += static_cast<char>(header.size() & 0xFF);
  out += static_cast<char>(header.size() >> 8);
  return out + header + data;
}

// The same for an array: npy_array<float>("<f4", "(2, 3)", {...}).
template <class T>
std::string npy_array(const std::string& descr, const std::string& shape,
                      const std::vector<T>& values) {
  std::string data(values.size() * sizeof(T), '\0');
  if (!values.empty()) std::memcpy(data.data(), values.data(), data.size());
  return npy_file("{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape + ", }",
                  data);
}

}  // namespace tutti::test
