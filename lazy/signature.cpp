#include <tutti/lazy/context.h>
#include <tutti/lazy/signature.h>
#include <tutti/lazy/size_marks.h>

#include <array>
#include <bit>
#include <charconv>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace tutti::detail {

namespace {

std::string replication_text(const ir::Replication& replication) {
  if (replication.literal) return " literal";
  return replication.dimensions == 0
             ? ""
             : " replicated over dimensions " + std::to_string(replication.dimensions);
}

// Enough digits to tell any two numbers apart.
std::string exact_text(double value) {
  std::array<char, 32> text{};
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
}

constexpr std::string_view kOn = " on ";
constexpr std::string_view kNewTensors = "new tensors";

// A fact about a tensor and the device at its end.
std::pair<std::string_view, std::string_view> split_device(std::string_view fact) {
  const std::size_t on = fact.rfind(kOn);
  if (on == std::string_view::npos || !Device::from_text(fact.substr(on + kOn.size()))) {
    return {fact, "cpu"};
  }
  return {fact.substr(0, on), fact.substr(on + kOn.size())};
}

// Null for a rank alone, to which replication means nothing.
const ir::Mesh* shared_mesh(const RankContext& context) {
  const ir::Mesh* mesh = context.mesh().get();
  return mesh == nullptr || mesh->ranks() == 1 ? nullptr : mesh;
}

ir::Replication formal_replication(const TensorState& state, const ir::Mesh* mesh) {
  if (mesh == nullptr) return {};
  ir::Replication replication = state.type.replication;
  replication.dimensions &= ir::all_dimensions(*mesh);  // an abstract tensor's are any mesh's
  return replication;
}

// Dtype, rank, replication and whether a device follows in a word; the sizes; the device.
void add_type(const TensorState& state, const ir::Mesh* mesh, std::vector<std::uint64_t>& key) {
  const ir::Replication replication = formal_replication(state, mesh);
  const Shape& shape = state.type.shape;
  const Device device = state.type.device;
  key.push_back(static_cast<std::uint64_t>(state.type.dtype) |
                static_cast<std::uint64_t>(shape.rank()) << 8 |
                static_cast<std::uint64_t>(replication.dimensions) << 16 |
                static_cast<std::uint64_t>(replication.literal) << 24 |
                static_cast<std::uint64_t>(!device.is_cpu()) << 25 |
                static_cast<std::uint64_t>(replication.positions) << 26);
  for (const std::int64_t size : shape) key.push_back(static_cast<std::uint64_t>(size));
  if (!device.is_cpu()) key.push_back(std::hash<Device>()(device));
}

}  // namespace

void add_type(const TensorState& state, std::vector<std::uint64_t>& key) {
  add_type(state, shared_mesh(RankContext::current()), key);
}

ir::Type formal_type(const TensorState& state) {
  ir::Type type = state.type;
  type.async = false;
  type.replication = formal_replication(state, shared_mesh(RankContext::current()));
  return type;
}

void add_signature(RankContext& context, CompiledFunction::Arguments& arguments, bool scalar_values,
                   const SizeMarks* marks) {
  std::vector<std::uint64_t>& key = arguments.key;
  const std::uint64_t look = context.next_look();
  const ir::Mesh* mesh = shared_mesh(context);
  key.push_back(std::hash<Device>()(context.default_device()));
  for (std::size_t i = 0; i < arguments.tensors.size(); ++i) {
    TensorState& state = *arguments.tensors[i];
    if (state.seen_in != look) {
      state.seen_in = look;
      state.seen_as = static_cast<std::uint32_t>(i);
    }
    const std::size_t word = key.size();
    add_type(state, mesh, key);
    for (int d = 0; marks != nullptr && d < state.type.shape.rank(); ++d) {
      const std::optional<std::size_t> symbol = marks->symbol_of(i, d);
      if (symbol) key[word + 1 + static_cast<std::size_t>(d)] = ~std::uint64_t{*symbol};
    }
    // The first argument that is this very tensor.
    key[word] |= static_cast<std::uint64_t>(state.seen_as) << 32;
  }
  for (std::size_t i = 0; marks != nullptr && i < marks->symbols().size(); ++i) {
    if (marks->has_buckets(i)) key.push_back(static_cast<std::uint64_t>(marks->bucket(i)));
  }
  if (!scalar_values) return;
  for (const auto& scalar : arguments.scalars) {
    key.push_back(std::bit_cast<std::uint64_t>(scalar.value));
  }
}

std::vector<std::string> signature_of(const CompiledFunction::Arguments& arguments,
                                      const CompiledFunction::Names& names, bool scalar_values,
                                      const SizeMarks* marks) {
  std::vector<std::string> out;
  std::unordered_map<const TensorState*, std::string> seen;
  for (std::size_t i = 0; i < arguments.tensors.size(); ++i) {
    const TensorState& state = *arguments.tensors[i];
    ir::Type type = formal_type(state);
    const Device device = std::exchange(type.device, Device::cpu());
    std::string shape = type.text();
    if (marks != nullptr)
      shape = std::string(name_of(type.dtype)) + marks->shape_text(i, type.shape);
    std::string line = names.tensors[i] + ": " + shape + replication_text(type.replication);
    const auto [found, inserted] = seen.try_emplace(&state, names.tensors[i]);
    if (!inserted) line += " (the same tensor as " + found->second + ")";
    if (!device.is_cpu()) line += std::string(kOn) + device.text();
    out.push_back(std::move(line));
  }
  for (std::size_t i = 0; i < arguments.scalars.size(); ++i) {
    const auto& scalar = arguments.scalars[i];
    out.push_back(names.scalars[i] + (scalar.single ? ": float" : ": double") +
                  (scalar_values ? " = " + exact_text(scalar.value) : ""));
  }
  for (std::size_t i = 0; marks != nullptr && i < marks->symbols().size(); ++i) {
    if (!marks->has_buckets(i)) continue;
    out.push_back(marks->symbols()[i].name + " <= " + std::to_string(marks->bucket(i)));
  }
  out.insert(out.end(), names.statics.begin(), names.statics.end());
  const Device made = RankContext::current().default_device();
  if (!made.is_cpu()) out.push_back(std::string(kNewTensors) + std::string(kOn) + made.text());
  return out;
}

std::string difference(const std::vector<std::string>& before,
                       const std::vector<std::string>& now) {
  for (std::size_t i = 0; i < now.size(); ++i) {
    const auto [fact, device] = split_device(now[i]);
    if (i >= before.size()) {
      if (fact == kNewTensors) return now[i];
      return "new argument " + now[i];
    }
    if (before[i] == now[i]) continue;
    const auto [old_fact, old_device] = split_device(before[i]);
    if (fact != old_fact) return before[i] + " became " + now[i];
    const std::string what =
        fact == kNewTensors ? std::string(fact) + " are"
                            : "argument " + std::string(fact.substr(0, fact.find(':'))) + " is";
    return what + " on " + std::string(device) + ", was on " + std::string(old_device);
  }
  if (before.size() > now.size() && split_device(before.back()).first == kNewTensors) {
    return std::string(kNewTensors) + " are on the host";
  }
  return "it has fewer arguments";
}

}  // namespace tutti::detail
