#include <tutti/ir/function.h>
#include <tutti/ir/stablehlo/export_step.h>

// Loops and branches. All that a loop uses goes through it as a value of the loop; branches see
// what is around them.
namespace tutti::ir::stablehlo {

namespace {

TextValues inlined(const ExportStep& step, const Function& function,
                   std::span<const TextValue> arguments) {
  return write_graph(step.writer, function.graph(), arguments, step.ranks);
}

// What a loop knows of its values in the text around it does not hold inside.
TextValues forgotten(TextValues values) {
  for (TextValue& value : values) value.number.reset();
  return values;
}

TextValues looped(TextWriter& writer, const TextValues& values,
                  const std::function<TextValues(std::span<const TextValue>)>& condition,
                  const std::function<TextValues(std::span<const TextValue>)>& body) {
  const TextValues inside = forgotten(values);
  const std::array blocks = {TextWriter::Block{.arguments = inside, .body = condition},
                             TextWriter::Block{.arguments = inside, .body = body}};
  return writer.with_regions("while", values, "", blocks, inside);
}

void export_while_loop(ExportStep& step) {
  const auto carries = static_cast<std::size_t>(step.attributes.integer("carries"));
  const TextValues out = looped(
      step.writer, step.operands,
      [&](std::span<const TextValue> values) {
        return inlined(step, step.attributes.function("condition"), values);
      },
      [&](std::span<const TextValue> values) {
        TextValues next = inlined(step, step.attributes.function("body"), values);
        next.resize(carries);
        next.insert(next.end(), values.begin() + static_cast<std::ptrdiff_t>(carries),
                    values.end());
        return next;
      });
  for (std::size_t i = 0; i < carries; ++i) step.result(out[i]);
}

// [i, 0, ..., 0] for a value of that rank.
TextValues starts_at(const TextValue& index, const TextValue& zero, int rank) {
  TextValues out(static_cast<std::size_t>(rank), zero);
  out[0] = index;
  return out;
}

Shape with_first(const Shape& shape, std::int64_t first) {
  std::vector<std::int64_t> sizes(shape.begin(), shape.end());
  sizes.insert(sizes.begin(), first);
  return Shape(sizes);
}

// The loop's values: the number of the step, the operands, and what is stacked.
void export_scan(ExportStep& step) {
  TextWriter& writer = step.writer;
  const auto carries = static_cast<std::size_t>(step.attributes.integer("carries"));
  const auto sequences = static_cast<std::size_t>(step.attributes.integer("sequences"));
  const std::int64_t length = step.attributes.integer("length");
  const std::size_t count = step.operands.size();
  if (length == 0) {
    for (std::size_t i = 0; i < step.result_count(); ++i) {
      step.result(i < carries ? step.operands[i]
                              : writer.constant(step.type(i).dtype, step.type(i).shape, 0));
    }
    return;
  }
  TextValues values = {writer.constant(DType::i64, {}, 0)};
  values.insert(values.end(), step.operands.begin(), step.operands.end());
  for (std::size_t i = carries; i < step.result_count(); ++i) {
    values.push_back(writer.constant(step.type(i).dtype, step.type(i).shape, 0));
  }
  const auto more = [&](std::span<const TextValue> now) -> TextValues {
    return {writer.compare("LT", now[0], writer.like(now[0], static_cast<double>(length)))};
  };
  const auto body = [&](std::span<const TextValue> now) -> TextValues {
    const TextValue zero = writer.like(now[0], 0);
    TextValue index = now[0];
    if (step.attributes.flag("reverse")) {
      index =
          writer.alike("subtract", {writer.like(now[0], static_cast<double>(length - 1)), now[0]});
    }
    TextValues arguments(now.begin() + 1, now.begin() + 1 + static_cast<std::ptrdiff_t>(count));
    for (std::size_t i = carries; i < carries + sequences; ++i) {
      const TextValue& whole = arguments[i];
      const Shape shape(whole.shape.sizes().subspan(1));
      const TextValue part = writer.dynamic_slice(whole, starts_at(index, zero, whole.shape.rank()),
                                                  with_first(shape, 1));
      arguments[i] = writer.reshape(part, shape);
    }
    const TextValues results = inlined(step, step.attributes.function("body"), arguments);
    TextValues next = {writer.alike("add", {now[0], writer.like(now[0], 1)})};
    next.insert(next.end(), results.begin(),
                results.begin() + static_cast<std::ptrdiff_t>(carries));
    next.insert(next.end(), now.begin() + 1 + static_cast<std::ptrdiff_t>(carries),
                now.begin() + 1 + static_cast<std::ptrdiff_t>(count));
    for (std::size_t i = carries; i < results.size(); ++i) {
      const TextValue& stack = now[1 + count + i - carries];
      const TextValue one = writer.reshape(results[i], with_first(results[i].shape, 1));
      next.push_back(
          writer.dynamic_update_slice(stack, one, starts_at(index, zero, stack.shape.rank())));
    }
    return next;
  };
  const TextValues out = looped(writer, values, more, body);
  for (std::size_t i = 0; i < carries; ++i) step.result(out[1 + i]);
  for (std::size_t i = carries; i < step.result_count(); ++i) {
    step.result(out[1 + count + i - carries]);
  }
}

// Both take the last branch if there is none of that number.
void export_conditional(ExportStep& step) {
  const std::span arguments = std::span(step.operands).subspan(1);
  std::vector<TextWriter::Block> blocks;
  for (const FunctionPtr& branch : step.attributes.functions("branches")) {
    blocks.push_back({.arguments = {}, .body = [&step, &branch, arguments](auto) {
                        return inlined(step, *branch, arguments);
                      }});
  }
  TextValues results;
  for (std::size_t i = 0; i < step.result_count(); ++i) {
    results.push_back({.name = "", .dtype = step.type(i).dtype, .shape = step.type(i).shape});
  }
  step.results = step.writer.with_regions("case", std::span(step.operands).first(1), "", blocks,
                                          std::move(results));
}

constexpr ExportRule kExportControlRules[] = {
    {Op::scan, export_scan},
    {Op::while_loop, export_while_loop},
    {Op::conditional, export_conditional},
};

}  // namespace

std::span<const ExportRule> exported_control() { return kExportControlRules; }

}  // namespace tutti::ir::stablehlo
