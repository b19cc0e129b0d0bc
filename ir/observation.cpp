#include <tutti/ir/array.h>
#include <tutti/ir/observation.h>
#include <tutti/ir/support/error.h>
#include <tutti/ir/tensor_text.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <type_traits>
#include <utility>

namespace tutti::ir {

namespace {

constexpr std::array<std::pair<Observation, std::string_view>, 3> kObservationNames = {
    {{Observation::print, "print"},
     {Observation::finite, "finite"},
     {Observation::no_nan, "no_nan"}}};

// A line of its own, whoever else prints.
void print_values(const Observer& observer, const std::byte* values, std::string_view prefix) {
  Array array(observer.dtype, observer.shape);
  if (!array.bytes().empty()) std::memcpy(array.bytes().data(), values, array.bytes().size());
  std::string line(prefix);
  const std::size_t place = observer.text.find("{}");
  line += observer.text.substr(0, place);
  if (place == std::string::npos) line += ": ";
  line += tensor_text(array);
  if (place != std::string::npos) line += observer.text.substr(place + 2);
  line += '\n';
  std::fwrite(line.data(), 1, line.size(), stdout);
  std::fflush(stdout);
}

// [1, 0, 2]: where the element of that number is.
std::string place_text(const Shape& shape, std::int64_t element) {
  std::string out;
  for (int d = shape.rank(); d-- > 0;) {
    out = std::to_string(element % shape[d]) + (out.empty() ? "" : ", ") + out;
    element /= shape[d];
  }
  return "[" + out + "]";
}

struct Found {
  std::int64_t count = 0;
  std::int64_t first = 0;
  double value = 0;
};

template <class T>
Found find(const Observer& observer, const std::byte* values) {
  Found found;
  const auto* const elements = reinterpret_cast<const T*>(values);
  const std::int64_t count = observer.shape.elements();
  for (std::int64_t i = 0; i < count; ++i) {
    const auto value = static_cast<double>(elements[i]);
    const bool is_right =
        observer.what == Observation::finite ? std::isfinite(value) : !std::isnan(value);
    if (is_right) [[likely]]
      continue;
    if (found.count++ == 0) {
      found.first = i;
      found.value = value;
    }
  }
  return found;
}

void check_values(const Observer& observer, const std::byte* values) {
  visit_dtype(observer.dtype, [&]<class T>(std::type_identity<T>) {
    if constexpr (!std::is_integral_v<T>) {
      const Found found = find<T>(observer, values);
      if (found.count == 0) return;
      const std::string number = std::isnan(found.value) ? "nan" : found.value > 0 ? "inf" : "-inf";
      const std::string of = std::to_string(found.count) + " of " +
                             std::to_string(observer.shape.elements()) + " elements " +
                             (found.count == 1 ? "is " : "are ");
      const std::string first = place_text(observer.shape, found.first);
      if (observer.what == Observation::finite) {
        throw NumericError("check_finite: " + observer.text + ": " + of +
                               "not finite, the first is " + number + " at " + first,
                           observer.location);
      }
      throw NumericError("nan=error: " + observer.text + ": " + of + "NaN, the first at " + first,
                         observer.location);
    }
  });
}

}  // namespace

std::string_view name_of(Observation observation) {
  for (const auto& [known, name] : kObservationNames) {
    if (known == observation) return name;
  }
  throw InternalError("no observation");
}

std::optional<Observation> observation_from_name(std::string_view name) {
  for (const auto& [known, of] : kObservationNames) {
    if (of == name) return known;
  }
  return std::nullopt;
}

void Observer::look(const std::byte* values, std::string_view prefix) const {
  what == Observation::print ? print_values(*this, values, prefix) : check_values(*this, values);
}

}  // namespace tutti::ir
