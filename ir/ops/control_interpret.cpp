#include <tutti/ir/interpret.h>
#include <tutti/ir/ops/control.h>

#include <algorithm>
#include <cstring>

// The reference meaning of loops and branches.
namespace tutti::ir::family::control {

namespace {

std::vector<ArrayPtr> arguments_from(const Interpretation& in, int first) {
  std::vector<ArrayPtr> out;
  for (int i = first; i < in.count(); ++i) {
    out.push_back(std::make_shared<const Array>(in.operand(i)));
  }
  return out;
}

// Element `index` of the first axis.
ArrayPtr step_of(const Array& sequence, std::int64_t index) {
  Array out(sequence.dtype(), without_first_axis(sequence.shape()));
  const std::size_t bytes = out.bytes().size();
  if (bytes != 0) {
    std::memcpy(out.bytes().data(),
                sequence.bytes().data() + static_cast<std::size_t>(index) * bytes, bytes);
  }
  return std::make_shared<const Array>(std::move(out));
}

}  // namespace

void interpret_scan(Interpretation& in) {
  const Function& body = in.attributes.function("body");
  const auto carries = static_cast<std::size_t>(in.attributes.integer("carries"));
  const auto sequences = static_cast<std::size_t>(in.attributes.integer("sequences"));
  const std::int64_t length = in.attributes.integer("length");
  std::vector<ArrayPtr> arguments = arguments_from(in, 0);
  std::vector<Array> stacked;
  for (std::size_t i = carries; i < body.graph().results().size(); ++i) {
    const Type& type = in.result_type(static_cast<int>(i));
    stacked.emplace_back(type.dtype, type.shape);
  }
  for (std::int64_t step = 0; step < length; ++step) {
    const std::int64_t index = in.attributes.flag("reverse") ? length - 1 - step : step;
    std::vector<ArrayPtr> inputs = arguments;
    for (std::size_t i = carries; i < carries + sequences; ++i) {
      inputs[i] = step_of(*arguments[i], index);
    }
    const std::vector<ArrayPtr> results = interpret_function(body.graph(), inputs, in.rank);
    std::copy_n(results.begin(), carries, arguments.begin());
    for (std::size_t i = carries; i < results.size(); ++i) {
      const auto bytes = results[i]->bytes();
      if (bytes.empty()) continue;
      std::memcpy(
          stacked[i - carries].bytes().data() + static_cast<std::size_t>(index) * bytes.size(),
          bytes.data(), bytes.size());
    }
  }
  for (std::size_t i = 0; i < carries; ++i) in.result(*arguments[i]);
  for (Array& array : stacked) in.result(std::move(array));
}

void interpret_while_loop(Interpretation& in) {
  const Function& body = in.attributes.function("body");
  const Function& condition = in.attributes.function("condition");
  const auto carries = static_cast<std::size_t>(in.attributes.integer("carries"));
  std::vector<ArrayPtr> arguments = arguments_from(in, 0);
  while (interpret_function(condition.graph(), arguments, in.rank)[0]->data<bool>()[0]) {
    const std::vector<ArrayPtr> next = interpret_function(body.graph(), arguments, in.rank);
    std::ranges::copy(next, arguments.begin());
  }
  for (std::size_t i = 0; i < carries; ++i) in.result(*arguments[i]);
}

void interpret_conditional(Interpretation& in) {
  const auto& branches = in.attributes.functions("branches");
  const std::int64_t index = in.operand(0).data<std::int32_t>()[0];
  const auto last = std::ssize(branches) - 1;
  const auto chosen = static_cast<std::size_t>(index < 0 || index > last ? last : index);
  std::vector<ArrayPtr> arguments = arguments_from(in, 1);
  for (const ArrayPtr& result : interpret_function(branches[chosen]->graph(), arguments, in.rank)) {
    in.result(*result);
  }
}

}  // namespace tutti::ir::family::control
