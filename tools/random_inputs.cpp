#include "tools/random_inputs.h"

#include <tutti/ir/names.h>
#include <tutti/ir/philox.h>
#include <tutti/ir/support/error.h>
#include <tutti/ir/symbolic_sizes.h>

#include <algorithm>
#include <charconv>
#include <new>
#include <string_view>
#include <system_error>

namespace tutti::tools {

namespace {

constexpr std::int64_t kIntegers = 8;  // 0 to 7

// For each parameter, how many integers it may hold: it may be an index of what stands beside it.
std::vector<std::int64_t> integer_limits(const ir::Graph& function) {
  std::vector<std::int64_t> of_value(function.value_count(), kIntegers);
  for (ir::NodeId id = 0; id < function.node_count(); ++id) {
    const auto operands = function.operands(id);
    for (const ir::Value index : operands) {
      if (!is_integer(function.type(index).dtype)) continue;
      for (const ir::Value other : operands) {
        if (other == index) continue;
        for (const std::int64_t size : function.type(other).shape) {
          if (size > 0) of_value[index.id] = std::min(of_value[index.id], size);
        }
      }
    }
  }
  std::vector<std::int64_t> out;
  for (const ir::Parameter& parameter : function.parameters()) {
    out.push_back(of_value[parameter.value.id]);
  }
  return out;
}

// The same for ranks that differ only in dimensions along which the value is replicated.
std::uint64_t place_of(const ir::Mesh* mesh, const ir::Replication& replication,
                       std::int64_t rank) {
  if (replication.literal) return 0;
  if (mesh == nullptr) return static_cast<std::uint64_t>(rank);
  std::int64_t place = rank;
  std::int64_t stride = 1;  // of dimension d
  for (std::size_t d = mesh->sizes.size(); d-- > 0; stride *= mesh->sizes[d]) {
    if ((replication.dimensions >> d & 1) == 0) continue;
    place -= rank / stride % mesh->sizes[d] * stride;
  }
  return static_cast<std::uint64_t>(place);
}

ir::Array random_array(const ir::Type& type, std::uint64_t key, std::int64_t integers) {
  ir::Array out(type.dtype, type.shape);
  visit_dtype(type.dtype, [&]<class T>(std::type_identity<T>) {
    std::uint64_t i = 0;
    for (T& element : out.data<T>()) {
      if constexpr (std::is_same_v<T, bool>) {
        element = ir::random_bits(key, i) % 2 == 1;
      } else if constexpr (std::is_integral_v<T>) {
        element = static_cast<T>(ir::random_bits(key, i) % static_cast<std::uint32_t>(integers));
      } else if constexpr (std::is_same_v<T, double>) {
        element = ir::random_normal(key, i);
      } else {
        element = static_cast<T>(static_cast<float>(ir::random_normal(key, i)));
      }
      ++i;
    }
  });
  return out;
}

}  // namespace

ir::Graph with_sizes(const ir::Graph& function, const std::vector<std::string>& sizes) {
  std::vector<ir::SizeSymbol> symbols;
  if (function.sizes != nullptr) symbols = function.sizes->symbols;
  std::vector<std::string_view> names;
  std::vector<std::int64_t> values;
  for (const ir::SizeSymbol& symbol : symbols) {
    names.push_back(symbol.name);
    values.push_back(symbol.most);
  }
  for (const std::string& size : sizes) {
    const std::size_t sign = size.find('=');
    const std::string name = size.substr(0, sign);
    const auto found = std::ranges::find(symbols, name, &ir::SizeSymbol::name);
    if (found == symbols.end()) {
      throw UsageError("--size " + size + ": @" + function.name + " has no size " + name +
                       " that varies" + ir::suggestion(name, names));
    }
    std::int64_t value = -1;
    const char* const end = size.data() + size.size();
    const char* const begin = sign == std::string::npos ? end : size.data() + sign + 1;
    const auto read = std::from_chars(begin, end, value);
    if (read.ec != std::errc() || read.ptr != end || value < found->least || value > found->most) {
      throw UsageError("--size " + size + ": " + name + " is a number from " +
                       std::to_string(found->least) + " to " + std::to_string(found->most) +
                       ", as in " + name + "=" + std::to_string(found->most));
    }
    values[static_cast<std::size_t>(found - symbols.begin())] = value;
  }
  return ir::instance(function, values);
}

std::vector<ir::Array> random_inputs(const ir::Graph& function, std::uint64_t seed,
                                     std::int64_t rank) {
  const std::vector<std::int64_t> limits = integer_limits(function);
  std::vector<ir::Array> out;
  for (std::size_t i = 0; i < function.parameters().size(); ++i) {
    const ir::Type& type = function.type(function.parameters()[i].value);
    const std::uint64_t place = place_of(function.mesh.get(), type.replication, rank);
    try {
      out.push_back(random_array(type, ir::fold_in(ir::fold_in(seed, i), place), limits[i]));
    } catch (const std::bad_alloc&) {
      throw OutOfMemoryError("%" + function.parameters()[i].name + ", " + type.text() + ", takes " +
                             std::to_string(type.bytes()) +
                             " bytes, more than this machine gives to a program");
    }
  }
  return out;
}

}  // namespace tutti::tools
