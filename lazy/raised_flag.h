#pragma once

#include <utility>

namespace tutti::detail {

// A flag that is set while this lives; then it is what it was before.
class RaisedFlag {
 public:
  explicit RaisedFlag(bool& flag) : flag_(flag), before_(std::exchange(flag, true)) {}
  RaisedFlag(const RaisedFlag&) = delete;
  RaisedFlag& operator=(const RaisedFlag&) = delete;
  ~RaisedFlag() { flag_ = before_; }

 private:
  bool& flag_;
  const bool before_;
};

}  // namespace tutti::detail
