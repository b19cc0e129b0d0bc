#include "tools/sharded_arrays.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <string>
#include <vector>

namespace tutti::tools {

namespace {

struct Slots {
  std::vector<std::int64_t> counts;  // parts along each dimension
  std::vector<std::int64_t> at;      // the rank's own
};

std::size_t dimension_of(const ir::Mesh& mesh, const std::string& name) {
  const auto found = std::ranges::find(mesh.names, name);
  if (found == mesh.names.end()) throw TypeError("the mesh has no dimension '" + name + "'");
  return static_cast<std::size_t>(found - mesh.names.begin());
}

Slots slots_of(const ir::Sharding& sharding, const ir::Mesh& mesh, std::int64_t rank) {
  std::vector<std::int64_t> coordinates(mesh.sizes.size());
  for (std::size_t d = mesh.sizes.size(); d-- > 0; rank /= mesh.sizes[d]) {
    coordinates[d] = rank % mesh.sizes[d];
  }
  Slots out;
  for (const std::vector<std::string>& names : sharding) {
    std::int64_t count = 1;
    std::int64_t at = 0;
    for (const std::string& name : names) {
      const std::size_t d = dimension_of(mesh, name);
      count *= mesh.sizes[d];
      at = at * mesh.sizes[d] + coordinates[d];
    }
    out.counts.push_back(count);
    out.at.push_back(at);
  }
  return out;
}

// Calls f(place in the whole, place in the part) for each element of a rank's part.
template <class F>
void for_each_of_part(const Shape& whole, const Shape& part, const Slots& slots, F&& f) {
  const auto strides = whole.strides();
  std::int64_t first = 0;
  for (int d = 0; d < part.rank(); ++d) {
    const auto i = static_cast<std::size_t>(d);
    first += slots.at[i] * part[d] * strides[i];
  }
  std::int64_t place = 0;
  for_each_index(part, [&](std::span<const std::int64_t> index) {
    std::int64_t at = first;
    for (std::size_t d = 0; d < index.size(); ++d) at += index[d] * strides[d];
    f(static_cast<std::size_t>(at), static_cast<std::size_t>(place++));
  });
}

}  // namespace

Shape whole_shape(const Shape& part, const ir::Sharding& sharding, const ir::Mesh& mesh) {
  const Slots slots = slots_of(sharding, mesh, 0);
  std::vector<std::int64_t> sizes(part.begin(), part.end());
  for (std::size_t d = 0; d < sizes.size() && d < slots.counts.size(); ++d) {
    sizes[d] *= slots.counts[d];
  }
  return Shape(sizes);
}

ir::Array part_of(const ir::Array& whole, const ir::Sharding& sharding, const ir::Mesh& mesh,
                  std::int64_t rank) {
  const Slots slots = slots_of(sharding, mesh, rank);
  std::vector<std::int64_t> sizes(whole.shape().begin(), whole.shape().end());
  if (sizes.size() != slots.counts.size()) {
    throw TypeError("a sharding of " + std::to_string(slots.counts.size()) +
                    " dimensions for an array of shape " + whole.shape().text());
  }
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] % slots.counts[d] != 0) {
      throw TypeError(std::to_string(slots.counts[d]) + " ranks do not divide the " +
                      std::to_string(sizes[d]) + " of dimension " + std::to_string(d) + " of " +
                      whole.shape().text());
    }
    sizes[d] /= slots.counts[d];
  }
  ir::Array out(whole.dtype(), Shape(sizes));
  const auto size = static_cast<std::size_t>(size_of(whole.dtype()));
  for_each_of_part(whole.shape(), out.shape(), slots, [&](std::size_t from, std::size_t to) {
    std::memcpy(out.bytes().data() + to * size, whole.bytes().data() + from * size, size);
  });
  return out;
}

ir::Array put_together(std::span<const ir::Array* const> parts, const ir::Sharding& sharding,
                       const ir::Mesh& mesh) {
  const ir::Array& first = *parts[0];
  for (std::size_t rank = 1; rank < parts.size(); ++rank) {
    if (parts[rank]->shape() == first.shape()) continue;
    throw TypeError("the ranks' parts differ: rank 0 has one of shape " + first.shape().text() +
                    ", rank " + std::to_string(rank) + " one of " + parts[rank]->shape().text() +
                    "; parts of a whole have one shape");
  }
  ir::Array out(first.dtype(), whole_shape(first.shape(), sharding, mesh));
  const auto size = static_cast<std::size_t>(size_of(out.dtype()));
  for (std::size_t rank = parts.size(); rank-- > 0;) {
    const Slots slots = slots_of(sharding, mesh, static_cast<std::int64_t>(rank));
    for_each_of_part(out.shape(), first.shape(), slots, [&](std::size_t to, std::size_t from) {
      std::memcpy(out.bytes().data() + to * size, parts[rank]->bytes().data() + from * size, size);
    });
  }
  return out;
}

bool is_of_wholes(const ir::Graph& function) {
  bool out = false;
  for (const ir::Parameter& parameter : function.parameters()) {
    out = out || !parameter.sharding.empty();
  }
  for (std::size_t i = 0; i < function.results().size(); ++i) {
    out = out || !function.result_sharding(i).empty();
  }
  return out;
}

std::vector<ir::Array> whole_results(const ir::Graph& function,
                                     std::span<const std::vector<ir::Array>> results) {
  std::vector<ir::Array> out;
  for (std::size_t i = 0; i < function.results().size(); ++i) {
    const ir::Sharding& sharding = function.result_sharding(i);
    std::vector<const ir::Array*> parts;
    for (const std::vector<ir::Array>& rank : results) parts.push_back(&rank[i]);
    out.push_back(sharding.empty() ? results[0][i] : put_together(parts, sharding, *function.mesh));
  }
  return out;
}

std::vector<std::string> differing_copies(const ir::Graph& function,
                                          std::span<const std::vector<ir::Array>> results) {
  const ir::Mesh mesh = function.mesh == nullptr ? ir::Mesh{} : *function.mesh;
  std::vector<std::string> out;
  for (std::size_t i = 0; i < function.results().size(); ++i) {
    const ir::Sharding& sharding = function.result_sharding(i);
    std::map<std::vector<std::int64_t>, std::size_t> first_with;  // the slot of a part
    for (std::size_t rank = 0; rank < results.size(); ++rank) {
      const Slots slots = slots_of(sharding, mesh, static_cast<std::int64_t>(rank));
      const std::size_t first = first_with.try_emplace(slots.at, rank).first->second;
      if (first == rank || results[first][i] == results[rank][i]) continue;
      out.push_back("result " + std::to_string(i) + " of @" + function.name +
                    (sharding.empty()
                         ? " has no sharding, which says that all ranks have the whole"
                         : " has a sharding that says that some ranks have the same part") +
                    ", but what rank " + std::to_string(rank) + " has differs from what rank " +
                    std::to_string(first) + " has, which is taken");
      break;
    }
  }
  return out;
}

}  // namespace tutti::tools
