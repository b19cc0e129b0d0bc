#pragma once

#include <tutti/ir/dtype.h>
#include <tutti/ir/support/error.h>

#include <optional>
#include <string>

namespace tutti::test {

// The dtype that a file of tests/reference names.
inline DType dtype_named(const std::string& name) {
  const std::optional<DType> dtype = dtype_from_name(name);
  if (!dtype) throw ParseError("no such dtype: " + name);
  return *dtype;
}

}  // namespace tutti::test
