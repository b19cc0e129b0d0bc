#pragma once

#include <tutti/ir/array.h>
#include <tutti/ir/dtype.h>
#include <tutti/ir/group.h>
#include <tutti/ir/type.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tutti::ir {

// A function that a node runs, such as a loop's body; see function.h.
class Function;
using FunctionPtr = std::shared_ptr<const Function>;

// A fact about a node that is known when the program is traced: plain data only.
using Attribute =
    std::variant<std::int64_t, double, bool, std::string, std::vector<std::int64_t>, DType,
                 GroupPtr, ArrayPtr, std::vector<Type>, FunctionPtr, std::vector<FunctionPtr>>;

// The alternatives of Attribute, in its order.
enum class AttributeKind : std::uint8_t {
  integer,
  number,
  flag,
  text,
  integers,
  dtype,
  group,
  array,
  types,
  function,
  functions
};

// The declaration of one attribute of an op. Without a default it must be given.
struct AttributeSpec {
  std::string_view name;
  AttributeKind kind;
  std::optional<Attribute> standard = std::nullopt;
};

// Deep equality: groups, arrays and functions by content.
bool equal(const Attribute& a, const Attribute& b);

// A node's attributes, read by name. An unknown name or a wrong kind is an InternalError.
class Attributes {
 public:
  Attributes(std::span<const AttributeSpec> specs, std::span<const Attribute> values)
      : specs_(specs), values_(values) {}

  std::int64_t integer(std::string_view name) const { return get<std::int64_t>(name); }
  double number(std::string_view name) const { return get<double>(name); }
  bool flag(std::string_view name) const { return get<bool>(name); }
  const std::string& text(std::string_view name) const { return get<std::string>(name); }
  const std::vector<std::int64_t>& integers(std::string_view name) const {
    return get<std::vector<std::int64_t>>(name);
  }
  DType dtype(std::string_view name) const { return get<DType>(name); }
  const GroupPtr& group(std::string_view name) const { return get<GroupPtr>(name); }
  const Array& array(std::string_view name) const { return *get<ArrayPtr>(name); }
  const std::vector<Type>& types(std::string_view name) const {
    return get<std::vector<Type>>(name);
  }
  const Function& function(std::string_view name) const { return *get<FunctionPtr>(name); }
  const std::vector<FunctionPtr>& functions(std::string_view name) const {
    return get<std::vector<FunctionPtr>>(name);
  }
  std::span<const Attribute> values() const { return values_; }

 private:
  template <class T>
  const T& get(std::string_view name) const {
    return std::get<T>(values_[index(name)]);
  }
  std::size_t index(std::string_view name) const;

  std::span<const AttributeSpec> specs_;
  std::span<const Attribute> values_;
};

}  // namespace tutti::ir
