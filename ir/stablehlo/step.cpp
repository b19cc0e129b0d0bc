#include <tutti/ir/stablehlo/expression.h>
#include <tutti/ir/stablehlo/translate.h>

#include <algorithm>

namespace tutti::ir::stablehlo {

std::vector<Term> Step::operands() {
  std::vector<Term> out;
  for (int i = 0; i < count(); ++i) out.push_back(operand(i));
  return out;
}

const Reference& Step::reference(int i) const {
  if (i >= 0 && i < count()) return operation.operands[static_cast<std::size_t>(i)];
  fail("too few operands: " + std::to_string(count()));
}

const TreeType& Step::result_type(std::size_t i) const {
  if (i < operation.result_types.size()) return operation.result_types[i];
  fail("too few results: " + std::to_string(operation.result_types.size()));
}

const Region& Step::region(std::size_t i) const {
  if (i < operation.regions.size()) return operation.regions[i];
  fail("too few regions: " + std::to_string(operation.regions.size()));
}

const Attribute* Step::find(std::string_view name, std::string_view generic) const {
  const Attribute* const found = operation.attributes.find(name);
  return found != nullptr || generic.empty() ? found : operation.attributes.find(generic);
}

const Attribute& Step::get(std::string_view name, std::string_view generic) const {
  const Attribute* const found = find(name, generic);
  if (found == nullptr) fail("the attribute '" + std::string(name) + "' is missing");
  return *found;
}

std::int64_t Step::integer(std::string_view name, std::string_view generic) const {
  const Attribute& found = get(name, generic);
  if (found.kind != Attribute::Kind::integer) {
    fail("the attribute '" + std::string(name) + "' must be an integer");
  }
  return found.integer;
}

std::int64_t Step::integer(std::string_view name, std::int64_t standard) const {
  return find(name) == nullptr ? standard : integer(name);
}

std::vector<std::int64_t> Step::integers_of(const Attribute& attribute) const {
  std::vector<std::int64_t> out;
  if (attribute.kind == Attribute::Kind::array) {
    const std::int64_t count = attribute.shape.elements();
    const DType dtype = attribute.array->dtype();
    if ((!is_integer(dtype) && dtype != DType::boolean) || count > 1'000'000) {
      fail("expected integers");
    }
    const bool splat = attribute.array->elements() == 1;
    for (std::int64_t i = 0; i < count; ++i) {
      out.push_back(static_cast<std::int64_t>(attribute.array->at(splat ? 0 : i)));
    }
    return out;
  }
  if (attribute.kind == Attribute::Kind::integer) return {attribute.integer};
  for (const Attribute& item : attribute.items) {
    const bool flag = item.is_word("true") || item.is_word("false");
    if (item.kind != Attribute::Kind::integer && !flag) fail("expected integers");
    out.push_back(flag ? (item.is_word("true") ? 1 : 0) : item.integer);
  }
  return out;
}

std::vector<std::int64_t> Step::integers_in(const Attribute& all, std::string_view name) const {
  const Attribute* const found = all.find(name);
  return found == nullptr ? std::vector<std::int64_t>() : integers_of(*found);
}

std::vector<Term> Step::combine(const std::vector<Term>& a, const std::vector<Term>& b) {
  std::vector<Term> both = a;
  both.insert(both.end(), b.begin(), b.end());
  return apply(0, both, a.size());
}

std::vector<std::int64_t> Step::integers(std::string_view name, std::string_view generic) const {
  return integers_of(get(name, generic));
}

std::vector<std::int64_t> Step::integers(std::string_view name,
                                         std::vector<std::int64_t> standard) const {
  const Attribute* const found = find(name);
  return found == nullptr ? std::move(standard) : integers_of(*found);
}

bool Step::flag(std::string_view name) const {
  if (const Attribute* const named = operation.attributes.find(name)) {
    return !named->is_word("false") &&
           !(named->kind == Attribute::Kind::integer && named->integer == 0);
  }
  for (const Attribute& item : operation.attributes.items) {
    if (item.is_word(name)) return true;
  }
  return false;
}

Term Step::iota(DType dtype, const Shape& shape, std::int64_t axis) {
  const std::vector<std::int64_t> sizes(shape.begin(), shape.end());
  return {&builder(), builder().add(Op::iota, std::span<const Value>(), {dtype, sizes, axis})};
}

std::vector<Term> Step::apply(std::size_t region, std::span<const Term> arguments,
                              std::size_t count) {
  std::vector<Bound> bound;
  for (const Term& argument : arguments) bound.push_back({.value = argument.value()});
  std::vector<Term> out;
  for (const Bound& result : translator.lifted_region(this->region(region), bound)) {
    if (!result.value.valid()) fail("a region's result that is no tensor");
    out.push_back(translator.whole(result));
  }
  if (out.size() == count) return out;
  fail("a region of " + std::to_string(out.size()) + " results where " + std::to_string(count) +
       " are needed");
}

std::string_view Step::combination(std::size_t region) const {
  const Region& body = this->region(region);
  if (body.arguments.size() != 2) return {};
  const RegionText text(body, [](const Reference&) -> const Array* { return nullptr; });
  const Reference* const result = text.result(0);
  const Operation* const combine = result == nullptr ? nullptr : text.definition(*result);
  if (combine == nullptr || text.result(1) != nullptr || combine->operands.size() != 2 ||
      combine->results.size() != 1) {
    return {};
  }
  const auto [first, second] =
      std::minmax({text.argument(combine->operands[0]), text.argument(combine->operands[1])});
  const std::string_view name = combine->name;
  if (first != 0 || second != 1 || !name.starts_with("stablehlo.")) return {};
  return name.substr(name.find('.') + 1);
}

}  // namespace tutti::ir::stablehlo
