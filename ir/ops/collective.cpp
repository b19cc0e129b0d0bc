#include <tutti/ir/ops/collective.h>

namespace tutti::ir::family {

void add_collective(std::vector<Definition>& out) {
  using namespace collective;
#define TUTTI_STRUCTURED(id, least, most, docs, ...)     \
  out.push_back({.op = Op::id,                           \
                 .name = #id,                            \
                 .kind = OpClass::collective,            \
                 .least_operands = least,                \
                 .most_operands = most,                  \
                 .attributes = __VA_ARGS__,              \
                 .infer = infer_##id,                    \
                 .gradient = gradient_##id,              \
                 .interpret_collective = interpret_##id, \
                 .documentation = docs});
#include <tutti/ir/table/collective.def>
#undef TUTTI_STRUCTURED
}

}  // namespace tutti::ir::family
