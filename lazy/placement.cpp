#include <tutti/lazy/placement.h>

namespace tutti {

std::string Placement::text() const {
  switch (kind_) {
    case Kind::shard:
      return "Shard(" + std::to_string(axis_) + ")";
    case Kind::replicate:
      return "Replicate";
    case Kind::partial:
      return "Partial";
  }
  return "";
}

std::string text(const Placements& placements) {
  std::string out = "[";
  for (const Placement& placement : placements) {
    if (out.size() > 1) out += ", ";
    out += placement.text();
  }
  return out + "]";
}

}  // namespace tutti
