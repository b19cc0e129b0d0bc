#pragma once

#include <tutti/ir/control.h>
#include <tutti/ir/function.h>
#include <tutti/lazy/context.h>
#include <tutti/lazy/control.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tutti::detail {

// The functions of one node while they are recorded. All take the same parameters: those of the
// node, and what any of them captures. All parameters are replicated alike, over what everything
// has in common, so that gradients of what ranks share are summed once, outside. Functions that
// communicate tell them apart, since they are there to make the same of what differs: each
// parameter is replicated as its operand is, and a carry as the steps leave it. So do those whose
// distributed tensors or gradients have to know what is the same. Which of it holds, and over what,
// may only show while they are recorded, and then they are recorded again.
class BodyFunctions {
 public:
  // A function, and how many of its results are carries.
  struct Body {
    std::string name;
    ControlBody call;
    bool is_condition = false;
  };

  BodyFunctions(std::vector<ir::Type> parameters, std::size_t carries, Location where)
      : context_(RankContext::current()),
        parameters_(std::move(parameters)),
        carries_(carries),
        where_(where),
        lost_(parameters_.size(), 0) {
    for (const ir::Type& type : parameters_) meet(type);
  }

  void restrict_to(const ir::Type& type) { meet(type); }
  // That it is the one function of a scan, which may have a gradient.
  void be_differentiable() { differentiable_ = context_.keep_recording > 0; }
  // That this parameter counts the steps, which all ranks do alike.
  void count_with(std::size_t parameter) { counter_ = parameter; }

  std::vector<ir::FunctionPtr> record(const std::vector<Body>& bodies);

  // What make() records of them.
  template <class Make>
  auto record_with(const Make& make) {
    try {
      return make();
    } catch (const ir::UndecidedError&) {
      if (!trust_more()) throw;
      return make();
    }
  }

  const std::vector<StatePtr>& captured() const { return captured_; }
  // Whether one of them has a part whose gradient is to compute it again.
  bool have_checkpoints() const { return have_checkpoints_; }

 private:
  // What decides about the steps of a loop or branch is not known to be the same: there is more to
  // know of it where parameters are told apart, and if it is a number that counts steps, that is
  // taken to be the same everywhere. Says whether there was more.
  bool trust_more();

  template <class T>
  void set(T& member, T value) {
    changed_ = changed_ || member != value;
    member = value;
  }

  // What is replicated over fewer dimensions makes all so; literals adapt.
  void meet(const ir::Type& type);

  // Of a parameter that is no capture.
  ir::Replication replication(std::size_t parameter) const;

  // All dimensions.
  std::uint8_t everywhere() const {
    const auto& mesh = context_.trace().graph().mesh;
    return mesh == nullptr ? std::uint8_t{0} : ir::all_dimensions(*mesh);
  }

  // What a step gives for a carry.
  void give(std::size_t carry, const ir::Type& type);

  void lose(std::size_t parameter, int dimensions) {
    set(lost_[parameter], static_cast<std::uint8_t>(lost_[parameter] | dimensions));
  }

  // What is no carry, and varies before each use, varies once, outside: so the all_reduce of its
  // gradient stands behind the loop.
  void vary_outside(const ir::Graph& graph);

  ir::Graph trace(const Body& body);

  RankContext& context_;
  const std::vector<ir::Type> parameters_;
  const std::size_t carries_;
  const Location where_;
  ir::Replication common_{.dimensions = 0, .literal = true};
  std::vector<StatePtr> captured_;
  bool have_checkpoints_ = false;
  bool apart_ = false;        // parameters are told apart
  bool asked_ = false;        // a distributed tensor or a gradient asked for it
  bool stays_alike_ = false;  // all the same
  std::optional<std::size_t> counter_;
  bool differentiable_ = false;
  // By parameter, captures last: the dimensions over which steps make a carry differ, or all uses
  // something else.
  std::vector<std::uint8_t> lost_;
  std::uint8_t numbers_ = 0;      // the dimensions over which anything is replicated
  bool trusts_counters_ = false;  // whole numbers that carries begin with are the same everywhere
  bool changed_ = false;          // since functions were recorded that took it for granted
};

}  // namespace tutti::detail
