#pragma once

#include <tutti/ir/dtype.h>
#include <tutti/ir/shape.h>
#include <tutti/ir/support/location.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace tutti::ir {

// What an `observe` does with the values that it passes on, by the names in its attribute.
enum class Observation : std::uint8_t {
  print,   // writes them to stdout
  finite,  // throws where one is infinite or NaN
  no_nan,  // throws where one is NaN
};
std::string_view name_of(Observation observation);
std::optional<Observation> observation_from_name(std::string_view name);

// One observation of a program's.
struct Observer {
  Observation what = Observation::print;
  // print: "{}" stands for the values; without it they follow behind a colon. finite and no_nan:
  // what has the values, for the error: "h", "log".
  std::string text = {};
  DType dtype = DType::f32;
  Shape shape = {};
  Location location = {};

  // Looks at the values, in order. `prefix` stands before what is printed. Throws NumericError.
  void look(const std::byte* values, std::string_view prefix) const;
};

}  // namespace tutti::ir
