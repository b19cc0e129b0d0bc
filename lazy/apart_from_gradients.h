#pragma once

#include <cstdint>
#include <vector>

namespace tutti::detail {

class RankContext;

// While it lives, what is recorded is straight inside of none of the gradients around it: what
// differentiates a loop, a branch, a checkpoint and the like does not answer messages.
class ApartFromGradients {
 public:
  ApartFromGradients();  // of the current rank
  explicit ApartFromGradients(RankContext& context);
  ApartFromGradients(const ApartFromGradients&) = delete;
  ApartFromGradients& operator=(const ApartFromGradients&) = delete;
  ~ApartFromGradients();

 private:
  RankContext& context_;
  std::vector<std::vector<std::uint32_t>*> around_;
};

}  // namespace tutti::detail
