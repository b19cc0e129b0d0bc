#pragma once

#include <tutti/lazy/context.h>

#include <functional>
#include <span>
#include <vector>

namespace tutti::detail {

// A collective of one tensor, and the tensors that are made of its result.
struct InPlaceCall {
  ir::Op op;
  Tensor operand;
  std::vector<ir::Attribute> attributes;
  std::vector<ir::Type> types;  // of the tensors that are made
  // Makes them; null: the result is the only one.
  std::function<std::vector<Tensor>(const Tensor& result)> finish;
  Location where;
};

// Carries the call out now, or notes it if its group is being coalesced: then the tensors get their
// values later. None of them blocks.
std::vector<Tensor> call_in_place(InPlaceCall call);

// Launches what is to give a tensor its value, if that was noted: another in-place call needs it.
void launch_before(const Tensor& x, Location where);

// The calls of one Coalesce. Belongs to the rank that it was made on.
class CoalescedCalls {
 public:
  CoalescedCalls(RankContext& context, ir::GroupPtr group, Location where)
      : context_(context), group_(std::move(group)), where_(where) {}
  CoalescedCalls(const CoalescedCalls&) = delete;
  CoalescedCalls& operator=(const CoalescedCalls&) = delete;
  ~CoalescedCalls() { drop(); }

  // Whether a group's calls are noted here: time-outs and engines make no other group.
  bool is_for(const ir::Group& group) const;
  // The line of the Coalesce.
  Location where() const { return where_; }
  std::vector<Tensor> note(InPlaceCall call);
  void launch();
  // Leaves what was noted without values.
  void drop() noexcept;
  // All tensors that got their values so far.
  std::vector<Tensor>& made() { return made_; }

 private:
  struct Noted {
    InPlaceCall call;
    std::vector<StatePtr> states;
  };
  void launch_together(std::span<Noted> calls);

  RankContext& context_;
  ir::GroupPtr group_;
  Location where_;
  std::vector<Noted> noted_;
  std::vector<Tensor> made_;
};

}  // namespace tutti::detail
