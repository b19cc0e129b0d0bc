#pragma once

#include <tutti/ir/builder.h>
#include <tutti/lazy/tensor_state.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace tutti::detail {

// A program under construction: the rank's lazy trace, the body of a function being compiled, or
// that of a loop or branch.
class Trace {
 public:
  // A trial is looked at for its types and mistakes; what it uses of other traces is a parameter.
  // A function's body captures what it uses of others: a parameter each.
  enum class Kind : std::uint8_t { lazy, compiled, trial, function };

  // Tensors that are made in it lie on the default device, unless they say otherwise.
  Trace(Kind kind, std::uint64_t context, std::shared_ptr<const ir::Mesh> mesh,
        Device default_device);
  // How what a function captures is replicated: all alike, or each as it is, numbers over the
  // dimensions `numbers`, but for those that it has lost, by capture. C++ numbers lie on `device`.
  struct Captures {
    std::optional<ir::Replication> all;
    std::uint8_t numbers = 0;
    std::vector<std::uint8_t> lost;
    Device device = {};
  };
  // The body of a function that a node of `outer` runs.
  Trace(Trace& outer, Captures captures);
  Trace(const Trace&) = delete;
  Trace& operator=(const Trace&) = delete;
  ~Trace();

  Kind kind() const { return kind_; }
  // Whether its tensors stand for values of another run.
  bool is_abstract() const { return kind_ != Kind::lazy; }
  // What a function's body is inside of: the function being compiled, or the outermost body. Not
  // the lazy trace, which another one follows when it is evaluated.
  Trace& root() { return root_ == nullptr ? *this : *root_; }
  // Whether all that it takes, or all that a function around it does, is replicated alike, whatever
  // each is outside, so that types do not say what is the same.
  bool replicates_alike() const {
    return captures_.all.has_value() || (outer_ != nullptr && outer_->replicates_alike());
  }
  // Has it, and the functions around it, recorded again with types that say what is the same.
  void tell_apart();
  bool is_told_apart() const { return told_apart_; }
  // To be called for a gradient in it, which is a sum over the ranks on which what it is taken by
  // is the same and the value is not: types may have to say that.
  void differentiate();
  bool is_differentiated() const { return differentiated_; }
  // A parameter of a function's body that stands for a tensor of another trace.
  ir::Value capture(TensorState& state);
  const std::vector<StatePtr>& captured() const { return captured_; }
  // The program with its parameters in front, in their order.
  ir::Graph program() const;
  ir::Graph& graph() { return graph_; }
  ir::Builder& builder() { return builder_; }

  // Records an op. A C++ number is nobody's in common with other ranks, so what is computed from
  // literals alone varies, but for what is computed elementwise from positions alone.
  ir::NodeId node(ir::Op op, std::span<const ir::Value> operands,
                  std::vector<ir::Attribute>&& attributes);

  // The value of a state in this trace. Data becomes a parameter; in a compiled trace that is an
  // error naming the line (unless it was let in with add_argument or constant()).
  ir::Value value_of(TensorState& state, Location where);
  // What an async value of this trace comes from, "all_reduce over world"; empty for others.
  std::string origin_of(ir::Value value) const;
  // Data as a parameter of this trace.
  ir::Value add_input(StatePtr state, std::string name);
  // The same by constant(): each data once.
  StatePtr constant(const StatePtr& state, Location where);
  // A handle to a value of this trace.
  StatePtr handle(ir::Value value, Location where);
  // An argument of the function under compilation, without data.
  ir::Value add_formal(std::string name, const ir::Type& type, Location where);
  // A rank-0 constant that is passed at run time instead of being part of the program.
  ir::Value runtime_scalar(ir::Array scalar);
  bool is_runtime_scalar(ir::Value value) const {
    return value.id < runtime_scalars_.size() && runtime_scalars_[value.id];
  }
  // A C++ number as a value: it adapts to the device of the tensor that it meets, other than a
  // tensor that was made from numbers.
  ir::Value number(ir::Value value);
  bool is_number(ir::Value value) const { return value.id < numbers_.size() && numbers_[value.id]; }
  // The formal arguments that C++ floating-point arguments became, by their number.
  std::vector<ir::Value> scalar_arguments;
  // Where one meets a tensor of a dtype that may not have its number.
  struct NarrowedArgument {
    std::size_t number;
    DType dtype;
    Location where;
  };
  std::vector<NarrowedArgument> narrowed_arguments;
  // Set when C++ arithmetic was done on such an argument while tracing.
  bool scalar_tampered = false;
  // The line that used the result of it first, if one did.
  Location scalar_tampered_at;

  // The data behind a parameter; null for formal arguments and other values.
  StatePtr input_of(ir::Value value) const;
  // The data behind the graph's parameters, in their order (null for formal arguments).
  const std::vector<StatePtr>& inputs() const { return inputs_; }
  // The live handles of this trace.
  std::vector<TensorState*> handles() const;
  bool has_handles() const { return live_handles_ > 0; }
  // The live handle of a value; null if nobody holds it.
  TensorState* find_handle(ir::Value value) const {
    return value.id < handles_.size() ? handles_[value.id] : nullptr;
  }
  // Makes a state that another trace held one of this trace's.
  void adopt(TensorState& state, ir::Value value);
  void forget(const TensorState& state) {
    handles_[state.value.id] = nullptr;
    --live_handles_;
  }
  // All of them, which are without a value then. They may go on other threads from there on.
  void forget_all() noexcept;

 private:
  void make_room_for_input();

  const Kind kind_;
  Trace* const root_ = nullptr;   // null: itself
  Trace* const outer_ = nullptr;  // of a function in a function: that one
  const Captures captures_ = {};
  bool told_apart_ = false;
  bool differentiated_ = false;
  std::vector<StatePtr> captured_;
  const std::uint64_t context_;
  ir::Graph graph_;
  ir::Builder builder_;
  std::vector<StatePtr> inputs_;
  std::unordered_map<const TensorState*, ir::Value> input_values_;
  std::vector<TensorState*> handles_;  // by value; null where nobody holds it
  std::size_t live_handles_ = 0;
  std::vector<bool> runtime_scalars_;  // by value
  std::vector<bool> numbers_;          // by value
};

}  // namespace tutti::detail
