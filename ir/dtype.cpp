#include <tutti/ir/dtype.h>
#include <tutti/ir/support/error.h>

#include <ostream>
#include <string>

namespace tutti {

namespace {

constexpr std::string_view kNames[] = {
#define TUTTI_NAME(name, text, type) text,
    TUTTI_DTYPES(TUTTI_NAME)
#undef TUTTI_NAME
};

}  // namespace

std::string_view name_of(DType dtype) {
  return is_dtype(dtype) ? kNames[static_cast<std::size_t>(dtype)] : "no dtype";
}

void check_dtype(DType dtype, Location where) {
  if (is_dtype(dtype)) return;
  throw TypeError("there is no dtype of the number " + std::to_string(static_cast<int>(dtype)),
                  where);
}

std::ostream& operator<<(std::ostream& out, DType dtype) { return out << name_of(dtype); }

std::optional<DType> dtype_from_name(std::string_view name) {
  for (int i = 0; i < kDTypeCount; ++i) {
    if (kNames[i] == name) return static_cast<DType>(i);
  }
  return std::nullopt;
}

}  // namespace tutti
