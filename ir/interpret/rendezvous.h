#pragma once

#include <tutti/ir/interpret/interpretation.h>

#include <deque>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace tutti::ir {

// Where the interpreter's ranks meet: a group's calls match in the order in which each member comes
// to them, as at run time.
class Rendezvous {
 public:
  // Adds the next call of the member at `position` of the one group that `group` is. Once every
  // member has come, gives their calls in the members' order, checked to agree; until then nothing.
  // Throws TypeError, naming both calls and lines, where two members disagree.
  std::vector<MemberCall> arrive(const std::string& tag, const std::vector<std::int64_t>& members,
                                 std::size_t position, MemberCall call);

  // Throws TypeError if a call is still waiting for a member; `whereabouts(rank)` says where that
  // rank is.
  void check_done(const std::function<std::string(std::int64_t)>& whereabouts) const;

 private:
  struct Meeting {
    std::vector<std::deque<MemberCall>> waiting;  // [position]
    std::int64_t held = 0;
  };

  std::map<std::pair<std::string, std::vector<std::int64_t>>, Meeting> meetings_;
};

}  // namespace tutti::ir
