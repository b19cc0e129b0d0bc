#pragma once

#include <tutti/lazy/operand.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tutti::detail {

// What a C++ number says; nothing for a tensor, or a float that stands for an argument of the
// function that is being compiled.
std::optional<double> known_number(const Operand& x);
// Throws TypeError, with the name of the call, unless it is a number of 0 and above.
void check_epsilon(std::string_view call, double epsilon, Location where);
// Throws TypeError for a tensor that is no scalar.
void check_scalar(const char* what, const Operand& given);
// Throws UsageError for a number that is known and not finite.
void check_finite_number(const char* what, const Operand& given);
// Whether an integer dtype has the number; false for all others.
bool holds(DType dtype, std::int64_t number);
// Whether what a floating-point dtype stores of a number is that or one beside it: no infinity or
// NaN that it was not.
bool is_kept(double number, double stored);
// "0.25": without zeros at the end.
std::string number_text(double number);

}  // namespace tutti::detail
