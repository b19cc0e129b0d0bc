#include "tests/fake_cuda/image.h"

#include <cstring>
#include <sstream>
#include <stdexcept>

namespace tutti::fake_cuda {

namespace {

constexpr const char* kMagic = "tutti-fake-cubin-2";

}  // namespace

// A line of words, then the library.
std::string encode(const Image& image) {
  std::ostringstream out;
  out << kMagic << " " << image.target << " " << image.library.size() << " "
      << image.kernels.size();
  for (const auto& [name, parameters] : image.kernels) out << " " << name << " " << parameters;
  out << "\n" << image.library;
  return out.str();
}

Image decode(const void* bytes) {
  const char* const text = static_cast<const char*>(bytes);
  if (std::strncmp(text, kMagic, std::strlen(kMagic)) != 0) {
    throw std::runtime_error("this is no code that the double of NVRTC made");
  }
  const char* const end = std::strchr(text, '\n');
  std::istringstream in(std::string(text, end));
  Image image;
  std::string magic;
  std::size_t size = 0;
  std::size_t count = 0;
  in >> magic >> image.target >> size >> count;
  for (std::size_t i = 0; i < count; ++i) {
    std::string name;
    std::string parameters;
    in >> name >> parameters;
    image.kernels[name] = parameters;
  }
  image.library.assign(end + 1, size);
  return image;
}

}  // namespace tutti::fake_cuda
