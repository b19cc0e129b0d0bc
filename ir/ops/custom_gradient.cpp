#include <tutti/ir/derive/linearize.h>
#include <tutti/ir/function.h>
#include <tutti/ir/names.h>
#include <tutti/ir/ops/family.h>
#include <tutti/ir/support/error.h>

#include <string>
#include <utility>
#include <vector>

// Functions whose gradient the user has given.
namespace tutti::ir::family {

namespace {

// How the operands divide.
struct CustomParts {
  int results;
  int arguments;
  int residuals;
  int captures;  // of the backward function, behind the cotangents
  int captured;  // by the forward function

  CustomParts(const Attributes& attributes, int operands)
      : results(static_cast<int>(attributes.integer("results"))),
        arguments(static_cast<int>(attributes.integer("arguments"))),
        residuals(static_cast<int>(attributes.integer("residuals"))),
        captures(operands - results - arguments - residuals -
                 static_cast<int>(attributes.integer("captured"))),
        captured(static_cast<int>(attributes.integer("captured"))) {}

  int first_argument() const { return results; }
  int first_residual() const { return results + arguments; }
  int first_capture() const { return results + arguments + residuals; }
  int first_captured() const { return results + arguments + residuals + captures; }
};

bool is_alike(const Type& a, const Type& b) { return a.dtype == b.dtype && a.shape == b.shape; }

void infer_custom_gradient(Inference& in) {
  for (const char* const name : {"results", "arguments", "residuals", "captured"}) {
    const std::int64_t count = in.attributes.integer(name);
    in.require(count >= 0 && count <= in.count(), [&] {
      return std::string(name) + " = " + std::to_string(count) + ", with " +
             counted(static_cast<std::size_t>(in.count()), "operand");
    });
  }
  const CustomParts parts(in.attributes, in.count());
  in.require(parts.results > 0, "needs a result");
  in.require(parts.captures >= 0, "says more of its operands than there are");
  const Graph& backward = in.attributes.function("backward").graph();
  std::size_t parameter = 0;
  const auto check_parameter = [&](const Type& given) {
    in.require(parameter < backward.parameters().size(), [&] {
      return "@" + backward.name + " takes " + counted(backward.parameters().size(), "argument") +
             ", too few for residuals, cotangents and captures";
    });
    const Parameter& own = backward.parameters()[parameter++];
    in.require(is_alike(backward.type(own.value), given), [&] {
      return "@" + backward.name + " takes " + backward.type(own.value).text() + " as %" +
             own.name + ", not " + given.text();
    });
  };
  for (int i = 0; i < parts.residuals; ++i) check_parameter(in.operand(parts.first_residual() + i));
  for (int i = 0; i < parts.results; ++i) {
    if (is_floating(in.operand(i).dtype)) check_parameter(in.operand(i));
  }
  for (int i = 0; i < parts.captures; ++i) check_parameter(in.operand(parts.first_capture() + i));
  in.require(parameter == backward.parameters().size(), [&] {
    return "@" + backward.name + " takes " + counted(backward.parameters().size(), "argument") +
           ", not " + std::to_string(parameter);
  });
  std::size_t result = 0;
  for (int i = 0; i < parts.arguments; ++i) {
    const Type& argument = in.operand(parts.first_argument() + i);
    if (!is_floating(argument.dtype)) continue;
    in.require(result < backward.results().size(), [&] {
      return "@" + backward.name + " gives " + counted(backward.results().size(), "cotangent") +
             ", too few for the arguments";
    });
    const Type& given = backward.type(backward.results()[result++]);
    in.require(is_alike(given, argument) && !given.async, [&] {
      return "@" + backward.name + " gives " + given.text() + " as the cotangent of argument " +
             std::to_string(i) + ", which is " + argument.text();
    });
  }
  in.require(result == backward.results().size(), [&] {
    return "@" + backward.name + " gives " + counted(backward.results().size(), "cotangent") +
           ", not " + std::to_string(result);
  });
  for (int i = 0; i < parts.results; ++i) in.result(in.operand(i));
}

void decompose_custom_gradient(Decomposition& in) {
  const CustomParts parts(in.attributes, in.count());
  for (int i = 0; i < parts.results; ++i) in.result(in.operand(i));
}

void gradient_custom_gradient(Gradient& gradient) {
  const CustomParts parts(gradient.attributes, gradient.count());
  for (int i = parts.first_captured(); i < gradient.count(); ++i) {
    if (!gradient.wants(i)) continue;
    throw TypeError(
        "custom_vjp: its function uses a tensor, " + gradient.operand(i).type().text() +
        ", of which the gradient is asked, but which is no argument of it; pass it as one");
  }
  Builder& builder = *gradient.builder();
  std::vector<Value> operands;
  for (int i = 0; i < parts.residuals; ++i) {
    operands.push_back(gradient.value(parts.first_residual() + i));
  }
  for (int i = 0; i < parts.results; ++i) {
    if (!is_floating(gradient.result(i).dtype())) continue;
    const Term cotangent = gradient.cotangent(i);
    operands.push_back(
        (cotangent.valid() ? cotangent : gradient.result(i).apply(Op::zeros_like)).value());
  }
  for (int i = 0; i < parts.captures; ++i) {
    operands.push_back(gradient.value(parts.first_capture() + i));
  }
  const std::vector<Value> found =
      inline_into(builder, gradient.attributes.function("backward").graph(), operands);
  std::size_t next = 0;
  for (int i = 0; i < parts.arguments; ++i) {
    const int operand = parts.first_argument() + i;
    const Type type = builder.type(gradient.value(operand));
    if (!is_floating(type.dtype)) continue;
    const Term cotangent(&builder, found[next++]);
    const Replication own = cotangent.type().replication;
    if (!type.replication.literal && !own.literal &&
        (type.replication.dimensions & ~own.dimensions) != 0) {
      throw TypeError("custom_vjp: the cotangent of argument " + std::to_string(i) +
                      " differs between ranks on which the argument, " + type.text() +
                      ", is the same; the backward function should sum it over them with "
                      "all_reduce");
    }
    gradient.operand_cotangent(operand, cotangent);
  }
}

}  // namespace

void add_custom(std::vector<Definition>& out) {
#define TUTTI_STRUCTURED(id, kind_, least, most, docs, ...) \
  out.push_back({.op = Op::id,                              \
                 .name = #id,                               \
                 .kind = OpClass::kind_,                    \
                 .least_operands = least,                   \
                 .most_operands = most,                     \
                 .attributes = __VA_ARGS__,                 \
                 .infer = infer_##id,                       \
                 .gradient = gradient_##id,                 \
                 .decompose = decompose_##id,               \
                 .documentation = docs});
#include <tutti/ir/table/custom.def>
#undef TUTTI_STRUCTURED
}

}  // namespace tutti::ir::family
