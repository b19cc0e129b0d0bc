#pragma once

#include <tutti/lazy/compiled_function.h>
#include <tutti/lazy/tensor_state.h>

#include <cstdint>
#include <string>
#include <vector>

// What a call of a compiled function must share with another to run the same program.
namespace tutti::detail {

// An argument's type inside the function: whoever runs the program waits for what is in flight, and
// with one rank replication says nothing, so that it is no reason for another program.
ir::Type formal_type(const TensorState& state);

// Adds a tensor's type to a key, as it counts here.
void add_type(const TensorState& state, std::vector<std::uint64_t>& key);

// Adds to the key what tensors and numbers contribute: types, aliasing, and the numbers' values
// where they are part of the program; and the device on which the function makes tensors.
// Sizes that vary (null: none does) do not count.
void add_signature(RankContext& context, CompiledFunction::Arguments& arguments, bool scalar_values,
                   const SizeMarks* marks = nullptr);

// The same for people, a line per fact.
std::vector<std::string> signature_of(const CompiledFunction::Arguments& arguments,
                                      const CompiledFunction::Names& names, bool scalar_values,
                                      const SizeMarks* marks = nullptr);

// The first fact in which two signatures differ.
std::string difference(const std::vector<std::string>& before, const std::vector<std::string>& now);

}  // namespace tutti::detail
