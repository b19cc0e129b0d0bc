#include <tutti/ir/control.h>
#include <tutti/ir/names.h>
#include <tutti/ir/ops/control.h>

#include <utility>

// The types of loops and branches.
namespace tutti::ir::family::control {

namespace {

// The parameter that takes an operand, or a part of it.
void check_argument(const Inference& in, const Function& function, std::size_t parameter,
                    const Type& given) {
  const Graph& graph = function.graph();
  const Type& wanted = graph.type(graph.parameters()[parameter].value);
  in.require(given.dtype == wanted.dtype && given.shape == wanted.shape, [&] {
    return "@" + graph.name + " takes " + wanted.text() + " as %" +
           graph.parameters()[parameter].name + ", not " + given.text();
  });
  const std::uint8_t has = given.replication.dimensions;
  in.require(given.replication.literal || (wanted.replication.dimensions & ~has) == 0, [&] {
    return "what @" + graph.name + " takes as %" + graph.parameters()[parameter].name +
           " is the same on more ranks than the operand";
  });
  in.require(given.device.is_any() || given.device == wanted.device, [&] {
    return "@" + graph.name + " takes %" + graph.parameters()[parameter].name + " on " +
           wanted.device.text() + ", not on " + given.device.text();
  });
}

// A function is closed, and all its parameters lie in one place.
void check_function(const Inference& in, const Function& function, std::size_t parameters) {
  const Graph& graph = function.graph();
  in.require(graph.parameters().size() == parameters, [&] {
    return "@" + graph.name + " takes " + counted(graph.parameters().size(), "argument") +
           ", but gets " + std::to_string(parameters);
  });
  for (const Parameter& parameter : graph.parameters()) {
    const Type& type = graph.type(parameter.value);
    const Type& first = graph.type(graph.parameters()[0].value);
    in.require(!type.async && !type.replication.literal && !type.device.is_any(), [&] {
      return "%" + parameter.name + " of @" + graph.name +
             " may be neither async nor a literal, and it lies somewhere";
    });
    in.require(type.device == first.device, [&] {
      return "the parameters of @" + graph.name + " lie in one place, but %" + parameter.name +
             " is on " + type.device.text() + " and %" + graph.parameters()[0].name + " on " +
             first.device.text();
    });
  }
  for (std::size_t i = 0; i < graph.results().size(); ++i) {
    in.require(!graph.type(graph.results()[i]).async, [&] {
      return "result " + std::to_string(i) + " of @" + graph.name +
             " is under way; what a function gives is waited for in it";
    });
  }
}

// Ranks that meet in a function have to enter it together, so what decides about that is the same
// on all of them.
void check_meeting(const Inference& in, const Function& function, const Type& decides,
                   const char* what) {
  if (in.mesh == nullptr || decides.replication.literal) return;
  for (const GroupPtr& group : function.groups()) {
    const std::uint8_t spanned = dimensions_of(group, *in.mesh);
    const std::uint8_t wanted = spanned == 0 ? all_dimensions(*in.mesh) : spanned;
    if ((wanted & ~decides.replication.dimensions) == 0) continue;
    throw UndecidedError(in.complaint(
        "@" + function.graph().name + " communicates over \"" + group->tag + "\", but " + what +
        " may differ between its ranks, of which some would not come; make it the same on all of " +
        "them, as an all_reduce over them is"));
  }
}

Type type_of_result(const Function& function, std::size_t i) {
  return function.graph().type(function.graph().results()[i]);
}
Type type_of_parameter(const Function& function, std::size_t i) {
  return function.graph().type(function.graph().parameters()[i].value);
}

// Whether a result may stand where a value of that type stood: what it is replicated over it has
// to stay.
bool fits(const Type& result, const Type& wanted) {
  const bool same_ranks = result.replication.literal ||
                          (wanted.replication.dimensions & ~result.replication.dimensions) == 0;
  return result.dtype == wanted.dtype && result.shape == wanted.shape && !result.async &&
         same_ranks && (result.device.is_any() || result.device == wanted.device);
}

// The first results of a loop's body are the next carries.
void check_carries(const Inference& in, const Function& body, std::size_t carries) {
  const Graph& graph = body.graph();
  in.require(graph.results().size() >= carries, [&] {
    return "@" + graph.name + " gives " + counted(graph.results().size(), "value") +
           ", too few for " + counted(carries, "carried value");
  });
  for (std::size_t i = 0; i < carries; ++i) {
    const Parameter& parameter = graph.parameters()[i];
    const Type& wanted = graph.type(parameter.value);
    in.require(fits(type_of_result(body, i), wanted), [&] {
      const bool same = type_of_result(body, i).dtype == wanted.dtype &&
                        type_of_result(body, i).shape == wanted.shape;
      return "@" + graph.name + " takes %" + parameter.name + ": " + wanted.text() + " but gives " +
             type_of_result(body, i).text() + " for the next step" +
             (same ? ", which is the same on fewer ranks or lies elsewhere" : "");
    });
  }
}

// A result of the node, of what a function gives. What is made of numbers alone counts as the same
// where all arguments are.
void add_result(Inference& in, const Type& given, const FunctionPlace& place, const Shape& shape) {
  in.require(given.device.is_any() || given.device == place.device, [&] {
    return "result " + std::to_string(in.results().size()) + " lies on " + given.device.text() +
           ", not where the parameters of its function do; copy it behind the loop or branch";
  });
  in.result({.dtype = given.dtype,
             .shape = shape,
             .replication = given.replication.literal ? place.replication : given.replication,
             .device = place.device});
}

std::size_t count_attribute(const Inference& in, std::string_view name, std::size_t most) {
  const std::int64_t value = in.attributes.integer(name);
  in.require(value >= 0 && std::cmp_less_equal(value, most), [&] {
    return std::string(name) + " = " + std::to_string(value) + ", with " + counted(most, "operand");
  });
  return static_cast<std::size_t>(value);
}

// What a gradient has the loop keep begins with the carries before a step.
void check_kept(const Inference& in, const Function& body, std::size_t carries) {
  const std::size_t results = body.graph().results().size();
  const std::size_t kept = count_attribute(in, "kept", results - carries);
  if (kept == 0) return;
  in.require(kept >= carries, "kept is less than there are carries");
  for (std::size_t i = 0; i < carries; ++i) {
    const Type given = type_of_result(body, results - kept + i);
    const Type wanted = type_of_parameter(body, i);
    in.require(given.dtype == wanted.dtype && given.shape == wanted.shape, [&] {
      return "what is kept begins with the carries, but result " +
             std::to_string(results - kept + i) + " of @" + body.graph().name + " is " +
             given.text() + " and no " + wanted.text();
    });
  }
}

// The last results are what each branch keeps for its gradient.
void check_kept(const Inference& in, const std::vector<FunctionPtr>& branches) {
  const auto& kept = in.attributes.integers("kept");
  if (kept.empty()) return;
  in.require(kept.size() == branches.size(), [&] {
    return "kept has " + counted(kept.size(), "number") + ", not one for each of " +
           std::to_string(branches.size()) + " branches";
  });
  std::int64_t left = std::ssize(branches[0]->graph().results());
  for (const std::int64_t count : kept) {
    in.require(count >= 0 && count <= left, "kept says more than there are results");
    left -= count;
  }
}

}  // namespace

void infer_scan(Inference& in) {
  const auto operands = static_cast<std::size_t>(in.count());
  const Function& body = in.attributes.function("body");
  const std::size_t carries = count_attribute(in, "carries", operands);
  const std::size_t sequences = count_attribute(in, "sequences", operands - carries);
  const std::int64_t length = in.attributes.integer("length");
  in.require(length >= 0 && length <= Shape::kMostElements,
             [&] { return "length = " + std::to_string(length) + "; a loop has 0 or more steps"; });
  check_function(in, body, operands);
  for (std::size_t i = 0; i < operands; ++i) {
    Type type = in.operand(static_cast<int>(i));
    if (i >= carries && i < carries + sequences) {
      in.require(type.shape.rank() > 0 && type.shape[0] == length, [&] {
        return "sequence " + std::to_string(i - carries) + " has " + type.shape.text() +
               " and not length = " + std::to_string(length) + " steps along its first axis";
      });
      type.shape = without_first_axis(type.shape);
    }
    check_argument(in, body, i, type);
  }
  check_carries(in, body, carries);
  check_kept(in, body, carries);
  const FunctionPlace place = place_of_functions(in.attributes);
  for (std::size_t i = 0; i < body.graph().results().size(); ++i) {
    Type given = type_of_result(body, i);
    if (i < carries) given.replication = type_of_parameter(body, i).replication;
    add_result(in, given, place, i < carries ? given.shape : with_first_axis(length, given.shape));
  }
}

void infer_while_loop(Inference& in) {
  const auto operands = static_cast<std::size_t>(in.count());
  const Function& body = in.attributes.function("body");
  const Function& condition = in.attributes.function("condition");
  const std::size_t carries = count_attribute(in, "carries", operands);
  check_function(in, condition, operands);
  check_function(in, body, operands);
  for (std::size_t i = 0; i < operands; ++i) {
    check_argument(in, condition, i, in.operand(static_cast<int>(i)));
    check_argument(in, body, i, in.operand(static_cast<int>(i)));
    in.require(
        type_of_parameter(condition, i).replication == type_of_parameter(body, i).replication, [&] {
          return "%" + condition.graph().parameters()[i].name + " of @" + condition.graph().name +
                 " and of @" + body.graph().name + " are the same on different ranks";
        });
  }
  const FunctionPlace place = place_of_functions(in.attributes);
  const Type wanted{.dtype = DType::boolean, .shape = {}, .device = place.device};
  in.require(condition.graph().results().size() == 1 && fits(type_of_result(condition, 0), wanted),
             [&] { return "the condition @" + condition.graph().name + " gives one bool[]"; });
  const Type goes_on = type_of_result(condition, 0);
  check_meeting(in, condition, goes_on, "the condition of the loop");
  check_meeting(in, body, goes_on, "the condition of the loop");
  in.require(body.graph().results().size() == carries, [&] {
    return "@" + body.graph().name + " gives " + counted(body.graph().results().size(), "value") +
           " for carries = " + std::to_string(carries);
  });
  check_carries(in, body, carries);
  for (std::size_t i = 0; i < carries; ++i) {
    // Ranks that leave the loop after another number of steps have other values then.
    Type given = type_of_result(body, i);
    given.replication = intersect(type_of_parameter(body, i).replication, goes_on.replication);
    add_result(in, given, place, given.shape);
  }
}

void infer_conditional(Inference& in) {
  const auto& branches = in.attributes.functions("branches");
  in.require(!branches.empty(), "needs one branch at least");
  check_kept(in, branches);
  const Type& index = in.operand(0);
  in.require(index.dtype == DType::i32 && index.shape.rank() == 0,
             [&] { return "the index of a branch is i32[], not " + index.text(); });
  const auto arguments = static_cast<std::size_t>(in.count()) - 1;
  FunctionPlace place = place_of_functions(in.attributes);
  if (arguments == 0) place = {.replication = index.replication, .device = Device::any()};
  for (const FunctionPtr& branch : branches) {
    check_function(in, *branch, arguments);
    check_meeting(in, *branch, index, "the index of the branch");
    for (std::size_t i = 0; i < arguments; ++i) {
      check_argument(in, *branch, i, in.operand(static_cast<int>(i) + 1));
    }
    in.require(branch->graph().results().size() == branches[0]->graph().results().size(), [&] {
      return "@" + branches[0]->graph().name + " gives " +
             counted(branches[0]->graph().results().size(), "value") + ", but @" +
             branch->graph().name + " " + std::to_string(branch->graph().results().size());
    });
  }
  for (std::size_t i = 0; i < branches[0]->graph().results().size(); ++i) {
    Type common = type_of_result(*branches[0], i);
    for (const FunctionPtr& branch : branches) {
      const Type type = type_of_result(*branch, i);
      in.require(type.dtype == common.dtype && type.shape == common.shape && !type.async, [&] {
        return "result " + std::to_string(i) + " is " + common.text() + " of @" +
               branches[0]->graph().name + ", but " + type.text() + " of @" + branch->graph().name;
      });
      common.replication = intersect(common.replication, type.replication);
    }
    if (common.replication.literal) common.replication = place.replication;
    common.replication = intersect(common.replication, index.replication);
    add_result(in, common, place, common.shape);
  }
}

}  // namespace tutti::ir::family::control
