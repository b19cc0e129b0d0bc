#pragma once

#include <tutti/codegen/kernel/kernel.h>
#include <tutti/ir/dtype.h>
#include <tutti/ir/scalar.h>

#include <array>
#include <set>
#include <string>
#include <string_view>

namespace tutti::codegen::cuda {

// Prints scalar expressions as CUDA C++, one rendering a primitive and kind of dtype, and notes
// which texts of kernels/device they call. Operands are names or literals, of the type that
// type_name() gives their compute dtype.
class ScalarPrinter {
 public:
  // As ir::evaluate: `dtype` is the operands' compute dtype (a storage dtype for bitcast), `to` the
  // result's of cast and bitcast. Throws InternalError if the dtype has no such op.
  std::string apply(ir::ScalarOp op, DType dtype, const std::array<std::string, 3>& operands,
                    DType to);

  // A stored element as a value of its compute dtype, and back.
  std::string widen(DType storage, const std::string& element);
  std::string narrow(DType storage, const std::string& value);
  // Narrowed and widened again.
  std::string round(DType storage, const std::string& value);

  void use(std::string_view text) { texts_.insert(text); }
  const std::set<std::string_view>& texts() const { return texts_; }

 private:
  std::string unary(ir::ScalarOp op, DType dtype, const std::string& x);
  std::string binary(ir::ScalarOp op, DType dtype, const std::string& x, const std::string& y);
  std::string cast(DType from, DType to, const std::string& x);
  std::string bitcast(DType from, DType to, const std::string& x);
  std::string call(std::string_view text, std::string_view function, const std::string& arguments);

  std::set<std::string_view> texts_;
};

// "f32", "bool": a dtype's name in IR text is its type in device text.
std::string type_name(DType dtype);

// A constant of a compute dtype, of exactly that type: "0.5F", "i8(-3)", "true".
std::string literal(DType dtype, ir::Cell cell);
std::string literal(std::int64_t number);  // of the type i64 if i32 is too narrow

}  // namespace tutti::codegen::cuda
