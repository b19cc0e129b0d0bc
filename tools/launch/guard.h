#pragma once

#include "tools/launch/file_handle.h"
#include <sys/types.h>

namespace tutti::tools {

// A small process that ends the ranks and all that they started if the launcher is killed with
// SIGKILL: the kernel would end the ranks alone. It lives as long as this object.
class Guard {
 public:
  Guard();
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;
  ~Guard();

  // Where a process writes its number (pid_t) that leads a group to look after. It does so itself,
  // before it runs its program: afterwards would be too late, should the launcher die in between.
  int descriptor() const { return groups_.get(); }

 private:
  FileHandle groups_;
  pid_t id_ = 0;
};

}  // namespace tutti::tools
