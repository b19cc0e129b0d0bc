#include "tools/random_inputs.h"

#include <tutti/ir/scalar.h>

#include <algorithm>
#include <random>

namespace tutti::tools {

namespace {

// The coordinates of a rank along the dimensions over which the parameter is not replicated, in one
// number.
std::int64_t share_of(const ir::Graph& function, const ir::Type& type, std::int64_t rank) {
  if (type.replication.literal) return 0;
  if (function.mesh == nullptr) return rank;
  std::int64_t out = 0;
  std::int64_t rest = rank;
  for (std::size_t d = function.mesh->sizes.size(); d-- > 0;) {
    const std::int64_t size = function.mesh->sizes[d];
    const bool varies = (type.replication.dimensions >> d & 1) == 0;
    out = out * size + (varies ? rest % size : 0);
    rest /= size;
  }
  return out;
}

}  // namespace

std::vector<ir::Array> random_inputs(const ir::Graph& function, std::uint64_t seed,
                                     std::int64_t rank) {
  std::vector<ir::Array> out;
  for (std::size_t i = 0; i < function.parameters().size(); ++i) {
    const ir::Type& type = function.type(function.parameters()[i].value);
    const auto share = static_cast<std::uint64_t>(share_of(function, type, rank));
    std::seed_seq seeds{seed & 0xFFFFFFFFU, seed >> 32, std::uint64_t{i}, share};
    std::mt19937_64 generator(seeds);
    ir::Array& array = out.emplace_back(type.dtype, type.shape);
    const std::int64_t size = size_of(type.dtype);
    for (std::int64_t n = 0; n < array.elements(); ++n) {
      const double uniform = static_cast<double>(generator() >> 11) * 0x1p-53;
      const ir::Array element =
          ir::Array::scalar_of(type.dtype, is_floating(type.dtype) ? 2 * uniform - 1
                                           : uniform < 0.5         ? 0
                                                                   : 1);
      std::ranges::copy(element.bytes(), array.bytes().begin() + n * size);
    }
  }
  return out;
}

}  // namespace tutti::tools
