#pragma once

#include <tutti/runtime/function_ref.h>

#include <string>
#include <vector>

namespace tutti::runtime {

class Communicator;
class Work;

// Gives what each member of a group says, in their order. All of them call it, as often as each
// other. Throws CommError if one does not come.
std::vector<std::string> tell_each_other(Communicator& group, const std::string& own);
// The same with another way to wait for a work, as where one is being completed: Work::wait() would
// wait for that.
std::vector<std::string> tell_each_other(Communicator& group, const std::string& own,
                                         FunctionRef<void(Work&)> wait);

}  // namespace tutti::runtime
