#pragma once

#include <tutti/ir/ops/family.h>

#include <vector>

// What the collectives' rules share. Their types, gradients and reference meanings have a file
// each.
namespace tutti::ir::family::collective {

#define TUTTI_STRUCTURED(id, ...) \
  void infer_##id(Inference&);    \
  void gradient_##id(Gradient&);  \
  void interpret_##id(CollectiveInterpretation&);
#include <tutti/ir/table/collective.def>
#undef TUTTI_STRUCTURED

}  // namespace tutti::ir::family::collective
