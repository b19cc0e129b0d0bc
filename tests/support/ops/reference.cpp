#include "tests/support/ops/reference.h"

#include <tutti/ir/derive/gradient.h>
#include <tutti/runtime/files/npy.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/support/command.h"
#include "tests/support/dtype_named.h"
#include <nlohmann/json.hpp>

namespace tutti::test {

namespace {

using Json = nlohmann::json;

std::filesystem::path data_folder() { return source("tests/reference/data"); }

// "f32[2,3]@64": a dtype and shape, and where the elements' bytes begin.
Array array_at(const std::string& place, const Array& data) {
  const std::size_t bracket = place.find('[');
  const std::size_t at = place.find("]@");
  if (bracket == place.npos || at == place.npos) throw ParseError("no place of an array: " + place);
  std::vector<std::int64_t> sizes;
  std::istringstream list(place.substr(bracket + 1, at - bracket - 1));
  for (std::string size; std::getline(list, size, ',');) sizes.push_back(std::stoll(size));
  Array out(dtype_named(place.substr(0, bracket)), Shape(sizes));
  const std::span<const std::byte> bytes =
      data.bytes().subspan(std::stoul(place.substr(at + 2)), out.bytes().size());
  std::ranges::copy(bytes, out.bytes().begin());
  return out;
}

ir::Attribute attribute_of(const Json& value, ir::AttributeKind kind) {
  switch (kind) {
    case ir::AttributeKind::integer:
      return value.get<std::int64_t>();
    case ir::AttributeKind::number:
      return value.get<double>();
    case ir::AttributeKind::flag:
      return value.get<bool>();
    case ir::AttributeKind::text:
      return value.get<std::string>();
    case ir::AttributeKind::integers:
      return value.get<std::vector<std::int64_t>>();
    case ir::AttributeKind::dtype:
      return dtype_named(value.get<std::string>());
    default:
      throw ParseError("files have no such attribute");
  }
}

// The named attributes in the definition's order; those not named are the defaults.
std::vector<ir::Attribute> attributes_of(const Json& named, const ir::Definition& definition) {
  std::vector<ir::Attribute> out;
  std::size_t found = 0;
  for (const ir::AttributeSpec& spec : definition.attributes) {
    const auto value = named.find(spec.name);
    if (value != named.end()) {
      out.push_back(attribute_of(*value, spec.kind));
      ++found;
    } else if (spec.standard) {
      out.push_back(*spec.standard);
    } else {
      throw ParseError("the attribute " + std::string(spec.name) + " is missing");
    }
  }
  if (found != named.size()) throw ParseError("an attribute that the op does not have");
  return out;
}

std::vector<std::optional<Array>> arrays_or_none(const Json& places, const Array& data) {
  std::vector<std::optional<Array>> out;
  for (const Json& place : places) {
    out.emplace_back();
    if (!place.is_null()) out.back() = array_at(place, data);
  }
  return out;
}

ReferenceCase case_of(const Json& entry, const ir::Definition& definition, const Array& data) {
  ReferenceCase out;
  out.name = entry.at("name");
  out.dtype = dtype_named(entry.at("dtype"));
  out.attributes = attributes_of(entry.value("attributes", Json::object()), definition);
  out.ir_only = entry.value("ir_only", false);
  for (const Json& place : entry.at("operands")) out.operands.push_back(array_at(place, data));
  for (const Json& place : entry.at("results")) out.results.push_back(array_at(place, data));
  if (!entry.contains("gradients")) return out;
  out.cotangents = arrays_or_none(entry.at("cotangents"), data);
  out.gradients = arrays_or_none(entry.at("gradients"), data);
  return out;
}

}  // namespace

std::vector<std::string> reference_ops() {
  std::vector<std::string> out;
  for (const auto& file : std::filesystem::directory_iterator(data_folder())) {
    if (file.path().extension() == ".json") out.push_back(file.path().stem());
  }
  std::ranges::sort(out);
  return out;
}

std::vector<ReferenceCase> reference_cases(const std::string& op) {
  const std::optional<ir::Op> known = ir::op_from_name(op);
  if (!known) throw UsageError("the IR has no op " + op);
  std::ifstream file(data_folder() / (op + ".json"));
  const Array data = runtime::read_npy(data_folder() / (op + ".npy"));
  std::vector<ReferenceCase> out;
  for (const Json& entry : Json::parse(file)) {
    out.push_back(case_of(entry, ir::definition(*known), data));
  }
  return out;
}

const OpRow& row_of(ir::Op op) {
  const auto rows = table();
  const auto row = std::ranges::find(rows, op, &OpRow::op);
  if (row == rows.end()) throw UsageError(std::string(ir::name_of(op)) + " has no row");
  return *row;
}

ReferenceGraph::ReferenceGraph(ir::Op op, const std::vector<ReferenceCase>& cases, Device device,
                               const std::function<bool(const ReferenceCase&)>& wanted)
    : graph(std::string(ir::name_of(op))) {
  const auto parameter = [&](const Array& array) {
    inputs.push_back(array);
    return graph.add_parameter("x" + std::to_string(inputs.size()),
                               {.dtype = array.dtype(), .shape = array.shape(), .device = device});
  };
  // Parameters come before all else.
  struct Parameters {
    const ReferenceCase* of;
    std::vector<ir::Value> operands;
    std::vector<ir::Value> cotangents;  // invalid where a result has none
  };
  std::vector<Parameters> parameters;
  for (const ReferenceCase& use : cases) {
    if (!wanted(use)) continue;
    Parameters& own = parameters.emplace_back(Parameters{&use, {}, {}});
    for (const Array& operand : use.operands) own.operands.push_back(parameter(operand));
    for (const std::optional<Array>& cotangent : use.cotangents) {
      own.cotangents.push_back(cotangent ? parameter(*cotangent) : ir::Value{});
    }
  }
  ir::Builder builder(graph);
  std::vector<ir::Value> results;
  for (const auto& [use, operands, cotangents] : parameters) {
    const ir::NodeId node = builder.node(op, operands, use->attributes);
    std::vector<ir::Value> outputs;
    for (std::size_t i = 0; i < use->results.size(); ++i) {
      outputs.push_back(graph.result(node, i));
      values.push_back({use, &use->results[i], "result " + std::to_string(i)});
    }
    results.insert(results.end(), outputs.begin(), outputs.end());
    std::vector<ir::Value> wrt;
    for (std::size_t i = 0; i < use->gradients.size(); ++i) {
      if (!use->gradients[i]) continue;
      wrt.push_back(operands[i]);
      values.push_back({use, &*use->gradients[i], "gradient of operand " + std::to_string(i)});
    }
    if (wrt.empty()) continue;
    const std::vector<ir::Value> gradients = ir::vjp(builder, outputs, cotangents, wrt);
    results.insert(results.end(), gradients.begin(), gradients.end());
  }
  graph.set_results(results);
}

std::string ReferenceValue::describe() const {
  return what + " of case \"" + of->name + "\" of " + std::string(tutti::name_of(of->dtype));
}

testing::AssertionResult agrees(const Array& actual, const ReferenceValue& value) {
  const testing::AssertionResult near = close(actual, *value.expected);
  const bool is_result = value.what.starts_with("result");
  if (!near || !is_result || !value.of->has_corners() || !is_floating(actual.dtype())) return near;
  for (std::int64_t i = 0; i < actual.elements(); ++i) {
    if (actual.at(i) != 0 || value.expected->at(i) != 0) continue;
    if (std::signbit(actual.at(i)) == std::signbit(value.expected->at(i))) continue;
    return testing::AssertionFailure() << "element " << i << " is a zero of the wrong sign";
  }
  return near;
}

}  // namespace tutti::test
