#include <tutti/ir/interpret/interpret_elementwise.h>

namespace tutti::ir {

Array interpret_elementwise(const Definition& entry, const Interpretation& in) {
  const ScalarExpression& meaning = *entry.meaning;
  const Type& type = in.result_type();
  Array out(type.dtype, type.shape);
  // The compute dtype: that of the last operand (select's first is bool).
  const DType dtype = compute_dtype(in.operand(in.count() - 1).dtype());
  std::vector<DType> dtypes;  // of each scalar node
  for (const ScalarNode& node : meaning.nodes) {
    const bool truth =
        is_comparison(node.op) ||
        (node.op == ScalarOp::argument && in.operand(node.operands[0]).dtype() == DType::boolean) ||
        ((node.op == ScalarOp::bit_and || node.op == ScalarOp::bit_or ||
          node.op == ScalarOp::bit_not) &&
         dtypes[static_cast<std::size_t>(node.operands[0])] == DType::boolean);
    dtypes.push_back(truth ? DType::boolean : dtype);
  }
  std::vector<Cell> cells(meaning.nodes.size());
  const auto argument = [&](int i, std::span<const std::int64_t> index) {
    const Array& x = in.operand(i);
    const auto strides = x.shape().strides();
    const int skip = type.shape.rank() - x.shape().rank();
    std::int64_t at = 0;
    for (int d = 0; d < x.shape().rank(); ++d) {
      if (x.shape()[d] != 1) {
        at += index[static_cast<std::size_t>(d + skip)] * strides[static_cast<std::size_t>(d)];
      }
    }
    return load_cell(x.dtype(), x.bytes().data() + at * size_of(x.dtype()));
  };
  std::int64_t to = 0;
  for_each_index(type.shape, [&](std::span<const std::int64_t> index) {
    for (std::size_t n = 0; n < meaning.nodes.size(); ++n) {
      const ScalarNode& node = meaning.nodes[n];
      if (node.op == ScalarOp::argument) {
        cells[n] = argument(node.operands[0], index);
      } else if (node.op == ScalarOp::constant) {
        cells[n] = cell_of(dtype, node.constant);
      } else {
        const auto at = [&](std::size_t i) {
          return cells[static_cast<std::size_t>(node.operands[i])];
        };
        const std::size_t typed = node.op == ScalarOp::select ? 1 : 0;
        DType from = dtypes[static_cast<std::size_t>(node.operands[typed])];
        // bitcast looks at the stored bits, so at the stored dtype.
        if (node.op == ScalarOp::bitcast) from = in.operand(0).dtype();
        cells[n] = evaluate(node.op, from, {at(0), at(1), at(2)}, type.dtype);
      }
    }
    store_cell(type.dtype, cells.back(), out.bytes().data() + to++ * size_of(type.dtype));
  });
  return out;
}

}  // namespace tutti::ir
