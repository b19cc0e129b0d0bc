#include <tutti/ir/stablehlo/expression.h>
#include <tutti/ir/text/literal.h>

namespace tutti::ir::stablehlo {

namespace {

constexpr std::size_t kLongest = 2000;
constexpr int kDeepestExpression = 40;

// The n-th word of the pretty form, or the last one of the attribute in the generic one.
std::string word_of(const Operation& operation, std::size_t n, std::string_view generic) {
  if (const Attribute* const named = operation.attributes.find(generic)) {
    return named->items.empty() ? named->text : named->items.back().text;
  }
  const Attribute& all = operation.attributes;
  for (std::size_t i = 0; i < all.items.size(); ++i) {
    if (!all.names[i].empty() || all.items[i].kind != Attribute::Kind::word) continue;
    if (n-- == 0) return all.items[i].text;
  }
  return {};
}

// [2.5]
bool append_constant(std::string& out, const Array& array) {
  if (array.elements() != 1) return false;
  out += '[';
  append_number(out, array.at(0));
  out += ']';
  return true;
}

}  // namespace

std::string direction_of(const Operation& compare) {
  return word_of(compare, 0, "comparison_direction");
}

std::string kind_of(const Operation& compare) { return word_of(compare, 1, "compare_type"); }

RegionText::RegionText(const Region& region, Around around)
    : region_(region), around_(std::move(around)) {
  for (std::size_t i = 0; i < region.arguments.size(); ++i) {
    arguments_[region.arguments[i].name] = static_cast<int>(i);
  }
  for (const Operation& operation : region.operations) {
    const bool passes_on =
        operation.name == "sdy.sharding_constraint" && operation.operands.size() == 1;
    for (const ResultName& result : operation.results) {
      if (passes_on) {
        unsharded_[result.name] = &unsharded(operation.operands[0]);
      } else {
        definitions_[result.name] = &operation;
      }
    }
  }
}

const Reference& RegionText::unsharded(const Reference& reference) const {
  const auto found = unsharded_.find(reference.name);
  return found == unsharded_.end() ? reference : *found->second;
}

const Reference* RegionText::result(std::size_t n) const {
  if (region_.operations.empty() || !is_return(region_.operations.back())) return nullptr;
  const Operation& last = region_.operations.back();
  return n < last.operands.size() ? &unsharded(last.operands[n]) : nullptr;
}

std::string RegionText::returned(std::size_t n) const {
  const Reference* const value = result(n);
  return value == nullptr ? std::string() : of(*value);
}

std::string RegionText::of(const Reference& reference) const {
  std::string out;
  return append(out, reference, 0) ? out : std::string();
}

int RegionText::argument(const Reference& reference) const {
  const auto found = arguments_.find(unsharded(reference).name);
  return found == arguments_.end() ? -1 : found->second;
}

const Operation* RegionText::definition(const Reference& reference) const {
  const auto found = definitions_.find(unsharded(reference).name);
  return found == definitions_.end() ? nullptr : found->second;
}

bool RegionText::is_constant_around(const Reference& reference) const {
  return argument(reference) < 0 && definition(reference) == nullptr &&
         around_(unsharded(reference)) != nullptr;
}

bool RegionText::append(std::string& out, const Reference& reference, int depth) const {
  if (out.size() > kLongest || depth > kDeepestExpression) return false;
  if (const int number = argument(reference); number >= 0) {
    out += std::to_string(number);
    return true;
  }
  const Operation* const operation = definition(reference);
  if (operation == nullptr) {
    const Array* const array = around_(unsharded(reference));
    return array != nullptr && append_constant(out, *array);
  }
  if (!operation->name.starts_with("stablehlo.")) return false;
  const std::string name = operation->name.substr(10);
  if (name == "constant") {
    const Attribute* const value = operation->attributes.find("value");
    return value != nullptr && value->kind == Attribute::Kind::array &&
           append_constant(out, *value->array);
  }
  out += name == "compare" ? direction_of(*operation) : name;
  if (name == "compare" && kind_of(*operation) == "TOTALORDER") out += " in total order";
  out += '(';
  for (std::size_t i = 0; i < operation->operands.size(); ++i) {
    if (i != 0) out += ", ";
    if (!append(out, operation->operands[i], depth + 1)) return false;
  }
  out += ')';
  return true;
}

}  // namespace tutti::ir::stablehlo
