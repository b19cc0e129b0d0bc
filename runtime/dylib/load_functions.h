#pragma once

#include <tutti/ir/support/error.h>
#include <tutti/runtime/dylib/shared_library.h>

#include <string>

namespace tutti::runtime {

// Looks up one function of a library that is open. Throws EnvironmentError if it has none of that
// name; `remedy` says what to do then.
template <class Function>
void load_function(const SharedLibrary& library, const char* name, const std::string& remedy,
                   Function*& function) {
  function = reinterpret_cast<Function*>(library.symbol(name));
  if (function != nullptr) return;
  throw EnvironmentError(library.path() + " has no function " + name + "; " + remedy);
}

}  // namespace tutti::runtime

// A row of a table of functions: fills the member of that name. Two steps, so that a name which is
// a macro is looked up as what it stands for.
#define TUTTI_LOAD_FUNCTION(library, remedy, name) TUTTI_LOAD_NAMED(library, remedy, name)
#define TUTTI_LOAD_NAMED(library, remedy, name) \
  ::tutti::runtime::load_function(library, #name, remedy, this->name);
