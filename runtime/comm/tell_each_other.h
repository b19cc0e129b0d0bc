#pragma once

#include <string>
#include <vector>

namespace tutti::runtime {

class Communicator;

// Gives what each member of a group says, in their order. All of them call it, as often as each
// other. Throws CommError if one does not come.
std::vector<std::string> tell_each_other(Communicator& group, const std::string& own);

}  // namespace tutti::runtime
