#pragma once

#include <tutti/ir/group.h>
#include <tutti/runtime/run/context.h>

#include <memory>
#include <string>

namespace tutti::codegen {

// A rank's end of what carries a call out: of the group's engine, or of the messages between the
// two ranks of `group` if they are some of a `parent` group's. Throws like Backend::communicator.
std::shared_ptr<runtime::Communicator> communicator_of(runtime::Context& context,
                                                       const ir::Group& group,
                                                       const ir::Group* parent,
                                                       const std::string& engine);

}  // namespace tutti::codegen
