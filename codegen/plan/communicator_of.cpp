#include <tutti/codegen/plan/communicator_of.h>

namespace tutti::codegen {

std::shared_ptr<runtime::Communicator> communicator_of(runtime::Context& context,
                                                       const ir::Group& group,
                                                       const ir::Group* parent,
                                                       const std::string& engine) {
  runtime::Backend& backend = *context.backend;
  const std::int64_t rank = context.rank();
  if (parent == nullptr) return backend.communicator(group.members_with(rank), group.tag, engine);
  const auto of = backend.communicator(parent->members_with(rank), parent->tag, engine);
  return backend.messages(group.members_with(rank), group.tag, *of);
}

}  // namespace tutti::codegen
