#include <tutti/ir/support/error.h>
#include <tutti/ir/support/hash.h>
#include <tutti/kernels/host/reduce_elements.h>
#include <tutti/runtime/comm/collective.h>

namespace tutti::runtime {

std::uint64_t fingerprint(const CollectiveCall& call) {
  Hasher hasher;
  hasher.add(static_cast<std::uint64_t>(call.kind))
      .add(static_cast<std::uint64_t>(call.dtype))
      .add(kernels::reduces(call.kind) ? static_cast<std::uint64_t>(call.reduction) + 1 : 0)
      .add(call.kind == CollectiveKind::broadcast ? static_cast<std::uint64_t>(call.root) + 1 : 0)
      .add(call.agreement)
      .add(call.parts.size());
  for (const TensorPart& part : call.parts) {
    hasher.add(static_cast<std::uint64_t>(part.elements))
        .add(static_cast<std::uint64_t>(part.outer))
        .add(static_cast<std::uint64_t>(part.axis_size))
        .add(static_cast<std::uint64_t>(part.inner));
  }
  return hasher.finish().low;
}

std::string describe(const CollectiveCall& call) {
  std::string text = call.description;
  if (text.empty()) {
    text = name_of(call.kind);
    if (kernels::reduces(call.kind)) text += " " + std::string(name_of(call.reduction));
    for (const TensorPart& part : call.parts) {
      text += " " + std::string(name_of(call.dtype)) + "[" + std::to_string(part.elements) + "]";
    }
  }
  return text;
}

void check_call(const CollectiveCall& call, int members) {
  const auto require = [&](bool condition, const std::string& rule) {
    if (!condition) throw TypeError(describe(call) + ": " + rule, call.location);
  };
  const bool splits = call.kind == CollectiveKind::reduce_scatter;
  if (kernels::reduces(call.kind)) {
    require(kernels::reduce_elements(call.reduction, call.dtype) != nullptr,
            "\"" + std::string(name_of(call.reduction)) + "\" has no meaning for " +
                std::string(name_of(call.dtype)));
  }
  if (call.kind == CollectiveKind::broadcast) {
    require(call.root >= 0 && call.root < members, "root " + std::to_string(call.root) +
                                                       " is not among the group's " +
                                                       std::to_string(members) + " members");
  }
  require(call.kind != CollectiveKind::barrier || call.parts.empty(), "a barrier takes no tensors");
  for (const TensorPart& part : call.parts) {
    require(part.elements >= 0, "a tensor of negative size");
    if (!splits && call.kind != CollectiveKind::all_gather) continue;
    require(part.outer * part.axis_size * part.inner == part.elements,
            "outer * axis_size * inner is not the number of elements");
    require(!splits || part.axis_size % members == 0,
            "the group's " + std::to_string(members) + " members do not divide the " +
                std::to_string(part.axis_size) + " of the axis");
  }
}

}  // namespace tutti::runtime
