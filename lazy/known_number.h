#pragma once

#include <tutti/lazy/operand.h>

#include <optional>
#include <string>

namespace tutti::detail {

// What a C++ number says; nothing for a tensor, or a float that stands for an argument of the
// function that is being compiled.
std::optional<double> known_number(const Operand& x);
// "0.25": without zeros at the end.
std::string number_text(double number);

}  // namespace tutti::detail
