#pragma once

#include <tutti/ir/support/error.h>

// What the calls that read and write files have in common.
namespace tutti::detail {

// Throws UsageError in a function that is being compiled.
void refuse_compiling(const char* function, Location where);

// Calls f; what it throws of files says the caller's line, which they know nothing of.
template <class F>
decltype(auto) at_line(Location where, F&& f) {
  const auto refuse = [&](const auto& error) {
    if (error.where().known()) throw;
    throw std::decay_t<decltype(error)>(error.message(), where);
  };
  try {
    return f();
  } catch (const ParseError& error) {
    refuse(error);
  } catch (const EnvironmentError& error) {
    refuse(error);
  } catch (const UsageError& error) {
    refuse(error);
  } catch (const TypeError& error) {
    refuse(error);
  }
  __builtin_unreachable();
}

}  // namespace tutti::detail
