#include <tutti/ir/interpret/control_steps.h>
#include <tutti/ir/op.h>

#include <algorithm>
#include <cstring>

namespace tutti::ir {

namespace {

// Element `index` of the first axis.
ArrayPtr step_of(const Array& sequence, std::int64_t index) {
  Array out(sequence.dtype(), Shape(sequence.shape().sizes().subspan(1)));
  const std::size_t bytes = out.bytes().size();
  if (bytes != 0) {
    std::memcpy(out.bytes().data(),
                sequence.bytes().data() + static_cast<std::size_t>(index) * bytes, bytes);
  }
  return std::make_shared<const Array>(std::move(out));
}

}  // namespace

ControlSteps::ControlSteps(const Graph& graph, NodeId node, std::vector<ArrayPtr> operands)
    : attributes_(graph.attributes(node)),
      op_(graph.node(node).op),
      arguments_(std::move(operands)) {
  if (op_ == Op::conditional) {
    const auto& branches = attributes_.functions("branches");
    const std::int64_t index = arguments_[0]->data<std::int32_t>()[0];
    const auto last = std::ssize(branches) - 1;
    next_ = branches[static_cast<std::size_t>(index < 0 || index > last ? last : index)].get();
    arguments_.erase(arguments_.begin());
    return;
  }
  carries_ = static_cast<std::size_t>(attributes_.integer("carries"));
  if (op_ == Op::scan) {
    sequences_ = static_cast<std::size_t>(attributes_.integer("sequences"));
    length_ = attributes_.integer("length");
    for (std::size_t i = carries_; i < graph.node(node).result_count; ++i) {
      const Type& type = graph.type(graph.result(node, i));
      stacked_.push_back(std::make_shared<Array>(type.dtype, type.shape));
    }
  }
  begin_step();
}

void ControlSteps::begin_step() {
  if (op_ == Op::while_loop) {
    next_ = &attributes_.function("condition");
  } else {
    next_ = step_ < length_ ? &attributes_.function("body") : nullptr;
  }
}

std::int64_t ControlSteps::index() const {
  return attributes_.flag("reverse") ? length_ - 1 - step_ : step_;
}

std::vector<ArrayPtr> ControlSteps::inputs() const {
  std::vector<ArrayPtr> out = arguments_;
  for (std::size_t i = carries_; i < carries_ + sequences_; ++i) {
    out[i] = step_of(*arguments_[i], index());
  }
  return out;
}

void ControlSteps::take(const std::vector<ArrayPtr>& results) {
  if (op_ == Op::conditional) {
    given_ = results;
    next_ = nullptr;
    return;
  }
  if (op_ == Op::while_loop && next_ == &attributes_.function("condition")) {
    next_ = results[0]->data<bool>()[0] ? &attributes_.function("body") : nullptr;
    return;
  }
  for (std::size_t i = carries_; i < results.size(); ++i) {
    const auto bytes = results[i]->bytes();
    if (bytes.empty()) continue;
    std::memcpy(
        stacked_[i - carries_]->bytes().data() + static_cast<std::size_t>(index()) * bytes.size(),
        bytes.data(), bytes.size());
  }
  std::copy_n(results.begin(), carries_, arguments_.begin());
  ++step_;
  begin_step();
}

std::vector<ArrayPtr> ControlSteps::results() const {
  if (op_ == Op::conditional) return given_;
  std::vector<ArrayPtr> out(arguments_.begin(),
                            arguments_.begin() + static_cast<std::ptrdiff_t>(carries_));
  out.insert(out.end(), stacked_.begin(), stacked_.end());
  return out;
}

}  // namespace tutti::ir
