#include <tutti/ir/support/hash.h>
#include <tutti/lazy/literal_inputs.h>

#include <algorithm>
#include <string_view>
#include <utility>

namespace tutti::detail {

namespace {

std::uint32_t hash_of(std::span<const std::byte> bytes) {
  Hasher hasher;
  hasher.add(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  return static_cast<std::uint32_t>(hasher.finish().low);
}

// Of a collective over all masks: its group spans at most one of them.
void add_uses(std::vector<runtime::Agreement>& out, const std::vector<ir::LiteralUse>& uses) {
  out.resize(uses.size());
  for (std::size_t i = 0; i < uses.size(); ++i) {
    if (!uses[i].any()) continue;
    out[i] = {.structure = uses[i].structure, .values = uses[i].values, .where = uses[i].where};
  }
}

bool none(const std::vector<runtime::Agreement>& agreements) {
  return std::ranges::all_of(agreements, [](const auto& each) { return each.structure == 0; });
}

bool claims_anything(const ir::Graph& program) {
  for (std::uint32_t id = 0; id < program.value_count(); ++id) {
    const ir::Replication& replication = program.type({id}).replication;
    if (replication.dimensions != 0) return true;
  }
  // A literal may meet a replicated value later.
  for (const ir::Value result : program.results()) {
    if (program.type(result).replication.literal) return true;
  }
  return false;
}

}  // namespace

void LiteralInputs::add(std::span<const ir::LiteralUse> uses, std::span<const std::byte> number) {
  Input input{.number = {}, .uses = uses};
  if (!number.empty()) input.number = {.structure = 1, .values = hash_of(number), .where = {}};
  inputs_.push_back(input);
}

std::vector<runtime::Agreement> LiteralInputs::agreements(const ir::Graph& program,
                                                          ResultUses* results) const {
  const bool brings =
      std::ranges::any_of(inputs_, [](const Input& input) { return !input.uses.empty(); });
  if (!brings && !claims_anything(program)) return {};
  const std::vector<std::uint8_t> masks = ir::literal_masks(*program.mesh);
  std::vector<runtime::Agreement> out;
  std::vector<ir::LiteralUse> parameters(inputs_.size());
  std::vector<ir::LiteralUse> values;
  for (std::size_t m = 0; m < masks.size(); ++m) {
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      const Input& input = inputs_[i];
      // What was computed before the program made its mesh is of literals alone, of which each mask
      // says the same: it has fewer masks.
      parameters[i] =
          input.uses.empty() ? input.number : input.uses[std::min(m, input.uses.size() - 1)];
    }
    add_uses(out, ir::literal_uses(program, masks[m], parameters, &values));
    if (results == nullptr) continue;
    for (const ir::Value result : program.results()) {
      if (!values[result.id].any()) continue;
      std::vector<ir::LiteralUse>& uses = (*results)[result.id];
      uses.resize(masks.size());
      uses[m] = values[result.id];
    }
  }
  if (none(out)) out.clear();
  return out;
}

LiteralPlan::LiteralPlan(const ir::Graph& program, std::vector<std::size_t> numbers)
    : numbers_(std::move(numbers)) {
  if (program.mesh == nullptr || program.mesh->ranks() == 1) return;
  program_ = &program;
  last_.assign(numbers_.size(), {.value = 1, .single = true});
  agreements_ = compute(last_);
  const std::vector<Number> others(numbers_.size(), {.value = 2, .single = true});
  const std::vector<runtime::Agreement> changed = compute(others);
  numbers_count_ = !std::ranges::equal(agreements_, changed, {}, &runtime::Agreement::word,
                                       &runtime::Agreement::word);
}

void LiteralPlan::bring(std::size_t parameter, const TensorState& data) {
  if (program_ == nullptr || data.literal_uses.empty()) return;
  next_.push_back({.parameter = parameter, .uses = data.literal_uses});
}

std::vector<runtime::Agreement> LiteralPlan::compute(std::span<const Number> numbers) const {
  LiteralInputs inputs;
  std::size_t next = 0;
  auto brought = brought_.begin();
  for (std::size_t i = 0; i < program_->parameters().size(); ++i) {
    if (next == numbers_.size() || numbers_[next] != i) {
      const bool brings = brought != brought_.end() && brought->parameter == i;
      inputs.add(brings ? (brought++)->uses : std::span<const ir::LiteralUse>(), {});
      continue;
    }
    const Number& number = numbers[next++];
    const auto single = static_cast<float>(number.value);
    inputs.add({}, number.single ? std::as_bytes(std::span(&single, 1))
                                 : std::as_bytes(std::span(&number.value, 1)));
  }
  return inputs.agreements(*program_);
}

std::span<const runtime::Agreement> LiteralPlan::agreements(std::span<const Number> numbers) {
  const bool other_numbers = numbers_count_ && !std::ranges::equal(numbers, last_);
  if (other_numbers || next_ != brought_) {
    last_.assign(numbers.begin(), numbers.end());
    brought_ = next_;
    agreements_ = compute(last_);
  }
  return agreements_;
}

}  // namespace tutti::detail
