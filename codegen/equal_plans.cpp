#include <tutti/codegen/plan.h>

#include <algorithm>

namespace tutti::codegen {

namespace {

// Null equals null only.
template <class T>
bool same(const std::shared_ptr<const T>& a, const std::shared_ptr<const T>& b) {
  return a == b || (a != nullptr && b != nullptr && *a == *b);
}

bool same(const PlanBuffer& a, const PlanBuffer& b) {
  return a.kind == b.kind && a.bytes == b.bytes && a.device == b.device && a.index == b.index &&
         a.offset == b.offset && a.defined_at == b.defined_at && a.last_use == b.last_use;
}

bool same(const LaunchPart& a, const LaunchPart& b) {
  return a.name == b.name && a.detail == b.detail && a.kernel == b.kernel && a.tiles == b.tiles &&
         a.work == b.work && a.epilogue == b.epilogue && a.results == b.results &&
         a.buffers == b.buffers && a.counts == b.counts;
}

bool same(const runtime::TensorPart& a, const runtime::TensorPart& b) {
  return a.elements == b.elements && a.outer == b.outer && a.axis_size == b.axis_size &&
         a.inner == b.inner && a.sizes == b.sizes && a.receive_sizes == b.receive_sizes;
}

bool same(const runtime::CollectiveCall& a, const runtime::CollectiveCall& b) {
  return a.kind == b.kind && a.reduction == b.reduction && a.dtype == b.dtype && a.root == b.root &&
         a.pairs == b.pairs && a.description == b.description && a.agreement == b.agreement &&
         std::ranges::equal(a.parts, b.parts,
                            [](const auto& x, const auto& y) { return same(x, y); });
}

bool same_step(const Allocate& a, const Allocate& b) { return a.buffer == b.buffer; }
bool same_step(const Free& a, const Free& b) { return a.buffer == b.buffer; }
bool same_step(const CollectiveWait& a, const CollectiveWait& b) { return a.work == b.work; }
bool same_step(const Copy& a, const Copy& b) { return a.from == b.from && a.to == b.to; }
bool same_step(const Launch& a, const Launch& b) {
  return a.device == b.device &&
         std::ranges::equal(a.parts, b.parts,
                            [](const auto& x, const auto& y) { return same(x, y); });
}
bool same_step(const CollectiveStart& a, const CollectiveStart& b) {
  return same(a.call, b.call) && same(a.group, b.group) && same(a.parent, b.parent) &&
         a.operands == b.operands && a.results == b.results && a.engine == b.engine &&
         a.work == b.work && a.collective == b.collective;
}

bool same(const Step& a, const Step& b) {
  return a.index() == b.index() &&
         std::visit([&]<class T>(const T& step) { return same_step(step, std::get<T>(b)); }, a);
}

bool same(const PlanResult& a, const PlanResult& b) {
  return a.buffer == b.buffer && a.type == b.type && a.work == b.work;
}
bool same(const Donation& a, const Donation& b) {
  return a.input == b.input && a.buffer == b.buffer;
}
bool same(const PlanDevice& a, const PlanDevice& b) {
  return a.device == b.device && a.arena_bytes == b.arena_bytes && a.target == b.target;
}
// The text is a kernel's identity.
bool same(const Kernel& a, const Kernel& b) { return print(a) == print(b); }

template <class T>
bool all_same(const std::vector<T>& a, const std::vector<T>& b) {
  return std::ranges::equal(a, b, [](const T& x, const T& y) { return same(x, y); });
}

}  // namespace

bool structurally_equal(const Plan& a, const Plan& b) {
  return a.name == b.name && a.rank == b.rank && same(a.mesh, b.mesh) &&
         all_same(a.buffers, b.buffers) && all_same(a.kernels, b.kernels) &&
         all_same(a.steps, b.steps) && a.inputs == b.inputs && all_same(a.constants, b.constants) &&
         all_same(a.results, b.results) && all_same(a.donations, b.donations) &&
         a.works == b.works && a.arena_bytes == b.arena_bytes && all_same(a.devices, b.devices);
}

}  // namespace tutti::codegen
