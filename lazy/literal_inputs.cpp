#include <tutti/ir/support/hash.h>
#include <tutti/lazy/literal_inputs.h>

#include <algorithm>
#include <bit>
#include <string_view>

namespace tutti::detail {

namespace {

std::uint64_t hash_of(std::span<const std::byte> bytes) {
  Hasher hasher;
  hasher.add(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  return hasher.finish().low | 1;
}

// Of a collective over all masks: its group spans at most one of them.
void add_uses(std::vector<runtime::Agreement>& out, const std::vector<ir::LiteralUse>& uses) {
  out.resize(uses.size());
  for (std::size_t i = 0; i < uses.size(); ++i) {
    if (uses[i].hash != 0) out[i] = {.hash = uses[i].hash, .where = uses[i].where};
  }
}

bool none(const std::vector<runtime::Agreement>& agreements) {
  return std::ranges::all_of(agreements, [](const auto& each) { return each.hash == 0; });
}

bool claims_anything(const ir::Graph& program) {
  for (std::uint32_t id = 0; id < program.value_count(); ++id) {
    if (program.type({id}).replication.dimensions != 0) return true;
  }
  return false;
}

}  // namespace

void LiteralInputs::add(const TensorState* data, std::span<const std::byte> number) {
  Input input{.number = {}, .data = data};
  if (!number.empty()) input.number.hash = hash_of(number);
  inputs_.push_back(input);
}

std::vector<runtime::Agreement> LiteralInputs::agreements(const ir::Graph& program,
                                                          ResultUses* results) const {
  if (results == nullptr && !claims_anything(program)) return {};
  const std::vector<std::uint8_t> masks = ir::literal_masks(*program.mesh);
  std::vector<runtime::Agreement> out;
  std::vector<ir::LiteralUse> parameters(inputs_.size());
  std::vector<ir::LiteralUse> values;
  for (std::size_t m = 0; m < masks.size(); ++m) {
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      const Input& input = inputs_[i];
      parameters[i] = input.number;
      if (input.data != nullptr && !input.data->literal_uses.empty()) {
        parameters[i] = input.data->literal_uses[m];
      }
    }
    add_uses(out, ir::literal_uses(program, masks[m], parameters, &values));
    if (results == nullptr) continue;
    for (const ir::Value result : program.results()) {
      if (values[result.id].hash == 0) continue;
      std::vector<ir::LiteralUse>& uses = (*results)[result.id];
      uses.resize(masks.size());
      uses[m] = values[result.id];
    }
  }
  if (none(out)) out.clear();
  return out;
}

LiteralPlan::LiteralPlan(const ir::Graph& program, const std::vector<bool>& kept,
                         const std::vector<std::size_t>& numbers) {
  if (program.mesh == nullptr || program.mesh->ranks() == 1) return;
  // With number `changed` being another one.
  const auto run = [&](std::size_t changed) {
    LiteralInputs inputs;
    std::size_t number = 0;
    for (std::size_t i = 0; i < program.parameters().size(); ++i) {
      const bool is_number = number < numbers.size() && numbers[number] == i;
      const std::uint64_t stands_for = changed == number ? 2 : 1;
      if (is_number) ++number;
      inputs.add(nullptr, is_number ? std::as_bytes(std::span(&stands_for, 1))
                                    : std::span<const std::byte>());
    }
    std::vector<runtime::Agreement> all = inputs.agreements(program);
    std::vector<runtime::Agreement> out;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (kept.empty() || kept[i]) out.push_back(all[i]);
    }
    return out;
  };
  const std::vector<runtime::Agreement> fixed = run(numbers.size());
  for (const runtime::Agreement& each : fixed) {
    collectives_.push_back({.fixed = each, .numbers = {}});
  }
  any_ = !fixed.empty();
  agreements_ = fixed;
  for (std::size_t n = 0; any_ && n < numbers.size(); ++n) {
    const std::vector<runtime::Agreement> changed = run(n);
    for (std::size_t i = 0; i < fixed.size(); ++i) {
      if (changed[i].hash != fixed[i].hash) collectives_[i].numbers.push_back(n);
    }
  }
}

std::span<const runtime::Agreement> LiteralPlan::agreements(std::span<const double> numbers) {
  if (!any_) return {};
  for (std::size_t i = 0; i < collectives_.size(); ++i) {
    const Collective& collective = collectives_[i];
    if (collective.numbers.empty()) continue;
    Hasher hasher;
    hasher.add(collective.fixed.hash);
    for (const std::size_t n : collective.numbers) {
      hasher.add(std::bit_cast<std::uint64_t>(numbers[n]));
    }
    agreements_[i].hash = hasher.finish().low | 1;
  }
  return agreements_;
}

}  // namespace tutti::detail
