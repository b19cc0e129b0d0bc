#pragma once

#include <tutti/lazy/group.h>
#include <tutti/lazy/tensor.h>

#include <memory>
#include <source_location>
#include <vector>

namespace tutti {

namespace detail {
class CoalescedCalls;
}

// While it lives, the in-place collectives (in_place.h) over this group are only noted; at its end
// they are launched together, those of one kind, dtype and device at once. Launching evaluates what
// they are called on, as a call of a compiled function does; inside one it is recorded.
//
//   { Coalesce together(group);
//     for (Tensor& t : gradients) all_reduce_(t, group); }
//
// Until then the tensors have shapes and no values, and using one is a UsageError (one rank that
// looked would launch other lists than its peers); another in-place collective of one is fine, and
// launches what was noted before it. Collectives of another group, and functional ones, are
// recorded when they are called, as always. On an exception nothing is launched, and the tensors
// have no value.
class Coalesce {
 public:
  // Throws UsageError if one for this group is open already.
  explicit Coalesce(const Group& group, std::source_location at = std::source_location::current());
  Coalesce(const Coalesce&) = delete;
  Coalesce& operator=(const Coalesce&) = delete;
  // Launches what is left; may throw what launching throws.
  ~Coalesce() noexcept(false);

  // Launches what was noted so far; what is called later is noted again. Waits for nothing.
  void launch();
  // Launches, and returns when all results so far are there. Throws the first failure.
  void wait(std::source_location at = std::source_location::current());

 private:
  std::shared_ptr<std::vector<detail::CoalescedCalls*>> open_;  // of its rank
  std::shared_ptr<detail::CoalescedCalls> calls_;
  int exceptions_;
};

}  // namespace tutti
