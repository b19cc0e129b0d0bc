#include <tutti/ir/stablehlo/comparator.h>
#include <tutti/ir/stablehlo/monoid.h>

#include <utility>

namespace tutti::ir::stablehlo {

namespace {

// Of operations within each other.
constexpr int kDeepestComparison = 32;

bool is_compare(const Operation* operation) {
  return operation != nullptr && operation->name == "stablehlo.compare" &&
         operation->operands.size() == 2;
}

// The text with that argument called x.
std::string with_x(const std::string& text, int argument) {
  const std::string number = std::to_string(argument);
  std::string out;
  bool in_constant = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool begins = i == 0 || text[i - 1] == '(' || text[i - 1] == ' ';
    const std::size_t end = i + number.size();
    const bool ends = end >= text.size() || text[end] == ',' || text[end] == ')';
    if (text[i] == '[') in_constant = true;
    if (text[i] == ']') in_constant = false;
    if (!in_constant && begins && ends && text.compare(i, number.size(), number) == 0) {
      out += 'x';
      i = end - 1;
    } else {
      out += text[i];
    }
  }
  return out;
}

}  // namespace

void ComparedKey::reverse() {
  descending = !descending;
  if (nan != Nan::unordered) nan = nan == Nan::first ? Nan::last : Nan::first;
}

Comparator::Comparator(const Step& step, const Region& region, Arguments arguments)
    : text_(region, constants_around(step)),
      operands_(static_cast<int>(region.arguments.size() / 2)),
      arguments_(arguments) {}

std::optional<std::vector<ComparedKey>> Comparator::keys(const Reference& reference) {
  keys_.clear();
  if (!append(reference, 0)) return std::nullopt;
  return std::exchange(keys_, {});
}

bool Comparator::append(const Reference& reference, int depth) {
  if (const Less less = less_of(reference); less.compare != nullptr) return append_key(less);
  const Operation* const either = text_.definition(reference);
  if (either == nullptr || depth > kDeepestComparison || either->name != "stablehlo.or" ||
      either->operands.size() != 2) {
    return false;
  }
  for (const std::size_t first : {0U, 1U}) {
    const Less less = less_of(either->operands[first]);
    const Operation* const rest = text_.definition(either->operands[1 - first]);
    if (less.compare == nullptr || rest == nullptr || rest->name != "stablehlo.and" ||
        rest->operands.size() != 2) {
      continue;
    }
    for (const std::size_t equal : {0U, 1U}) {
      const Operation* const same = text_.definition(rest->operands[equal]);
      if (!is_compare(same) || direction_of(*same) != "EQ" || !same_operands(*same, *less.compare))
        continue;
      return append_key(less) && append(rest->operands[1 - equal], depth + 1);
    }
  }
  return false;
}

Comparator::Less Comparator::less_of(const Reference& reference) const {
  const Operation* const operation = text_.definition(reference);
  if (is_compare(operation)) return {.compare = operation};
  if (operation == nullptr || operation->name != "stablehlo.or" ||
      operation->operands.size() != 2) {
    return {};
  }
  for (const std::size_t first : {0U, 1U}) {
    const Operation* const compare = text_.definition(operation->operands[first]);
    const Operation* const nan = text_.definition(operation->operands[1 - first]);
    if (!is_compare(compare) || !is_compare(nan) || direction_of(*nan) != "NE") continue;
    if (text_.of(nan->operands[0]) == text_.of(nan->operands[1])) return {compare, nan};
  }
  return {};
}

bool Comparator::append_key(const Less& less) {
  const std::vector<Reference>& sides = less.compare->operands;
  const std::string direction = direction_of(*less.compare);
  const int a = source(sides[0]);
  const int b = source(sides[1]);
  if (a < 0 || b < 0 || operand_of(a) != operand_of(b) || a == b) return false;
  bool descending = direction == "GT" || direction == "GE";
  if (!descending && direction != "LT" && direction != "LE") return false;
  const bool swapped = is_second(a);
  if (swapped) descending = !descending;
  // Both sides are one function, of the first and the second element.
  const Reference& first = sides[swapped ? 1 : 0];
  const std::string of_first = text_.of(first);
  const std::string of_second = text_.of(sides[swapped ? 0 : 1]);
  std::string text = with_x(of_first, swapped ? b : a);
  if (text.empty() || text != with_x(of_second, swapped ? a : b)) return false;
  const bool total = kind_of(*less.compare) == "TOTALORDER";
  ComparedKey::Nan nan = ComparedKey::Nan::unordered;
  if (less.nan != nullptr) {
    const std::string asked = text_.of(less.nan->operands[0]);
    if (total || (asked != of_first && asked != of_second)) return false;
    nan = asked == of_first ? ComparedKey::Nan::first : ComparedKey::Nan::last;
  }
  keys_.push_back({.operand = operand_of(a),
                   .descending = descending,
                   .total = total,
                   .nan = nan,
                   .text = std::move(text),
                   .value = &first});
  return true;
}

bool Comparator::same_operands(const Operation& a, const Operation& b) const {
  for (const std::size_t i : {0U, 1U}) {
    const std::string text = text_.of(a.operands[i]);
    if (text.empty() || text != text_.of(b.operands[i])) return false;
  }
  return true;
}

int Comparator::source(const Reference& reference, int depth) {
  if (const int argument = text_.argument(reference); argument >= 0) return argument;
  if (text_.is_constant_around(reference)) return -2;
  const Operation* const operation = text_.definition(reference);
  if (operation == nullptr || depth > kDeepestComparison) return -1;
  if (const auto known = sources_.find(operation); known != sources_.end()) return known->second;
  int out = -2;  // none yet
  for (const Reference& operand : operation->operands) {
    const int from = source(operand, depth + 1);
    if (from == -1 || (from >= 0 && out >= 0 && from != out)) {
      out = -1;
      break;
    }
    if (from >= 0) out = from;
  }
  sources_[operation] = out;
  return out;
}

int Comparator::operand_of(int argument) const {
  return arguments_ == Arguments::by_operand ? argument / 2 : argument % operands_;
}

bool Comparator::is_second(int argument) const {
  return arguments_ == Arguments::by_operand ? argument % 2 == 1 : argument >= operands_;
}

}  // namespace tutti::ir::stablehlo
