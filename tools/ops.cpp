#include "tools/ops.h"

#include <tutti/ir/names.h>
#include <tutti/ir/op.h>
#include <tutti/ir/support/error.h>

#include <algorithm>
#include <ostream>
#include <span>
#include <sstream>
#include <string_view>

#include "tools/wrap.h"
#include <nlohmann/json.hpp>

namespace tutti::tools {

namespace {

using ir::AttributeKind;
using ir::Definition;
using ir::OpClass;

std::string_view kind_text(AttributeKind kind) {
  switch (kind) {
    case AttributeKind::integer:
      return "integer";
    case AttributeKind::number:
      return "number";
    case AttributeKind::flag:
      return "flag";
    case AttributeKind::text:
      return "text";
    case AttributeKind::integers:
      return "integers";
    case AttributeKind::dtype:
      return "dtype";
    case AttributeKind::group:
      return "group";
    case AttributeKind::array:
      return "array";
    case AttributeKind::types:
      return "types";
    case AttributeKind::function:
      return "function";
    case AttributeKind::functions:
      return "functions";
  }
  __builtin_unreachable();
}

std::string value_text(const ir::Attribute& value) {
  std::ostringstream out;
  if (const auto* integer = std::get_if<std::int64_t>(&value)) out << *integer;
  if (const auto* number = std::get_if<double>(&value)) out << *number;
  if (const auto* dtype = std::get_if<DType>(&value)) out << name_of(*dtype);
  if (const auto* flag = std::get_if<bool>(&value)) out << (*flag ? "true" : "false");
  if (const auto* text = std::get_if<std::string>(&value)) out << '"' << *text << '"';
  if (const auto* list = std::get_if<std::vector<std::int64_t>>(&value)) {
    out << '[';
    for (std::size_t i = 0; i < list->size(); ++i) out << (i == 0 ? "" : ", ") << (*list)[i];
    out << ']';
  }
  return out.str();
}

// Where an op is computed, and how.
std::string backends(const Definition& entry) {
  switch (entry.kind) {
    case OpClass::elementwise:
    case OpClass::reduce:
      return "all, fused with others";
    case OpClass::parameter:
    case OpClass::wait:
      return "all, at no cost";
    case OpClass::view:
      return "all, as strides or a copy";
    case OpClass::make:
      return "all, where it is used";
    case OpClass::opaque:
      return "all, by a kernel of its own";
    case OpClass::composite:
      return entry.is_taken_whole == nullptr
                 ? "all, by its parts"
                 : "all, by its parts; larger ones on the host by a kernel of their own";
    case OpClass::control:
      return "all, one step after another";
    case OpClass::collective:
      return "all; between GPUs over NCCL where it serves, else through the host";
  }
  __builtin_unreachable();
}

std::string signature(const Definition& entry) {
  std::string out = std::string(entry.name) + "(" + std::string(entry.documentation.operands) + ")";
  std::string attributes;
  for (const ir::AttributeSpec& spec : entry.attributes) {
    attributes += (attributes.empty() ? "" : ", ") + std::string(spec.name);
    if (spec.standard) attributes += " = " + value_text(*spec.standard);
  }
  return attributes.empty() ? out : out + " {" + attributes + "}";
}

void print_text(std::span<const Definition* const> ops, std::ostream& out) {
  std::string text;
  for (const Definition* entry : ops) {
    text += signature(*entry) + "\n";
    append_wrapped(text, entry->documentation.meaning, 4);
    std::string facts;
    if (!entry->documentation.dtypes.empty()) {
      facts = "dtypes: " + std::string(entry->documentation.dtypes) + ". ";
    }
    facts += "gradient: " + std::string(entry->documentation.gradient) + ". ";
    facts += "backends: " + backends(*entry) + ".";
    append_wrapped(text, facts, 4);
  }
  out << text;
}

// What stands in a cell of a table: `|` would end it, and `](` begin the address of a link.
std::string cell(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '|' || (c == '(' && out.ends_with(']'))) out += '\\';
    out += c;
  }
  return out;
}

// Functions of the library that record several of these ops.
struct MadeOfOps {
  std::string_view functions;
  std::string_view header;
  std::string_view cases;  // of tests/lazy
};
constexpr MadeOfOps kMadeOfOps[] = {
    {"reduce_window, max_pool, avg_pool, conv_transpose", "windows.h", "windows_test.cpp"},
    {"nn::group_norm, nn::batch_norm, nn::rotary, nn::embedding, nn::cross_entropy", "nn.h",
     "layers_test.cpp"},
    {"attention", "ops.h", "attention_test.cpp"},
    {"einsum", "einsum.h", "einsum_test.cpp"},
    {"var, stddev, norm", "statistics.h", "layers_test.cpp"},
    {"arange, linspace, eye", "create.h", "indexing_test.cpp"},
    {"roll, repeat, tril, triu", "ops.h", "indexing_test.cpp"},
    {"at, set_at, add_at", "indexing.h", "indexing_test.cpp"},
    {"Sgd, AdamW, clip_by_global_norm, linear_schedule, cosine_schedule, warmup_cosine_schedule, "
     "moving_average",
     "optim.h", "layers_test.cpp"},
};

void print_markdown(std::span<const Definition* const> ops, std::ostream& out) {
  out << "# Ops\n\n"
         "Made by `tutti ops --md` from the tables in `ir/table/*.def`, which define the ops. "
         "[ir.md](ir.md) has the grammar.\n\n"
         "x, y, z are operands in their order; r is the result and g its cotangent. An attribute "
         "with `=` may be left out. *number* is every dtype but bool, *floating* is f8_e4m3fn, "
         "f8_e5m2, "
         "f16, bf16, f32 and f64. `select(x, y, z)` is y where x, a bool, is true, and z "
         "elsewhere. Elementwise "
         "operands broadcast as in NumPy and have one dtype, which the result "
         "has, too, where bool is not said. *zero*: the derivative is zero almost everywhere, and "
         "the gradient is zeros; *none*: integers and bool carry no derivative, and asking for "
         "that "
         "of a floating-point result is an error. \"All\" backends are the interpreter, the host "
         "(LLVM, or evaluated without it) and CUDA.\n";
  std::string_view family;
  for (const Definition* entry : ops) {
    if (entry->documentation.family != family) {
      family = entry->documentation.family;
      out << "\n## " << family << "\n\n"
          << "| op | dtypes | meaning | gradient | backends |\n|---|---|---|---|---|\n";
    }
    out << "| `" << signature(*entry) << "` | " << entry->documentation.dtypes << " | "
        << cell(entry->documentation.meaning) << " | " << cell(entry->documentation.gradient)
        << " | " << backends(*entry) << " |\n";
  }
  out << "\n## Reference cases\n\n"
         "Those of an op are `tests/reference/data/NAME.json`, of the collectives "
         "`collectives.jsonl`: what PyTorch and NumPy give for every dtype that they compute in "
         "([tests/reference](../tests/reference/README.md) says how they are made).\n\n"
         "These are made of the ops above, so they have their dtypes, gradients and backends; "
         "[layers.md](layers.md) shows them:\n\n"
         "| functions | header in `lazy/` | cases in `tests/lazy/` |\n|---|---|---|\n";
  for (const MadeOfOps& made : kMadeOfOps) {
    out << "| `" << made.functions << "` | `" << made.header << "` | `" << made.cases << "` |\n";
  }
}

void print_ops_json(std::span<const Definition* const> ops, std::ostream& out) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Definition* entry : ops) {
    nlohmann::ordered_json attributes = nlohmann::ordered_json::array();
    for (const ir::AttributeSpec& spec : entry->attributes) {
      nlohmann::ordered_json one = {{"name", spec.name}, {"kind", kind_text(spec.kind)}};
      if (spec.standard) one["default"] = value_text(*spec.standard);
      attributes.push_back(std::move(one));
    }
    list.push_back({{"name", entry->name},
                    {"family", entry->documentation.family},
                    {"signature", signature(*entry)},
                    {"least_operands", entry->least_operands},
                    {"most_operands", entry->most_operands},
                    {"attributes", std::move(attributes)},
                    {"dtypes", entry->documentation.dtypes},
                    {"meaning", entry->documentation.meaning},
                    {"gradient", entry->documentation.gradient},
                    {"backends", backends(*entry)}});
  }
  out << list.dump(2) << "\n";
}

}  // namespace

void list_ops(const OpsOptions& options, std::ostream& out) {
  std::vector<const Definition*> chosen;
  for (const std::string& name : options.names) {
    const auto op = ir::op_from_name(name);
    if (!op) {
      std::vector<std::string_view> known;
      for (const Definition& entry : ir::definitions()) known.push_back(entry.name);
      throw UsageError("there is no op '" + name + "'" + ir::suggestion(name, known));
    }
    chosen.push_back(&ir::definition(*op));
  }
  if (options.names.empty()) {
    for (const Definition& entry : ir::definitions()) chosen.push_back(&entry);
  }
  switch (options.format) {
    case OpsFormat::text:
      return print_text(chosen, out);
    case OpsFormat::markdown:
      return print_markdown(chosen, out);
    case OpsFormat::json:
      return print_ops_json(chosen, out);
  }
}

}  // namespace tutti::tools
