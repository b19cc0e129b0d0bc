#pragma once

#include <tutti/lazy/operand.h>

#include <optional>
#include <string>
#include <string_view>

namespace tutti::detail {

// What a C++ number says; nothing for a tensor, or a float that stands for an argument of the
// function that is being compiled.
std::optional<double> known_number(const Operand& x);
// Throws TypeError, with the name of the call, unless it is a number of 0 and above.
void check_epsilon(std::string_view call, double epsilon, Location where);
// "0.25": without zeros at the end.
std::string number_text(double number);

}  // namespace tutti::detail
