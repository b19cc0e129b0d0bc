#include <tutti/ir/collective.h>
#include <tutti/ir/neutral.h>
#include <tutti/ir/ops/collective.h>

#include <numeric>

// What the collectives mean, element by element.
namespace tutti::ir::family::collective {

namespace {

using List = std::vector<std::int64_t>;

// Combines the elements of members [begin, end) in rank order; narrow floats in f32, rounded once.
Array combine(const CollectiveInterpretation& in, int i, int begin, int end) {
  const std::string& op = in.attributes.text("op");
  const Array& like = in.operand(0, i);
  const DType dtype = like.dtype();
  const DType compute = compute_dtype(dtype);
  const ScalarOp primitive = combination_of(op);
  if (begin == end) {
    const Array none = empty_combination(primitive, dtype);
    Array out(dtype, like.shape());
    for (std::int64_t n = 0; n < out.elements(); ++n) copy_element(none, 0, out, n);
    return out;
  }
  Array out(dtype, like.shape());
  for (std::int64_t n = 0; n < out.elements(); ++n) {
    const std::int64_t at = n * size_of(dtype);
    const auto element = [&](int member) {
      return load_cell(dtype, in.operand(member, i).bytes().data() + at);
    };
    Cell total = element(begin);
    for (int member = begin + 1; member < end; ++member) {
      total = evaluate(primitive, compute, {total, element(member)});
    }
    if (op == "mean") {
      total = evaluate(ScalarOp::div, compute, {total, cell_of(compute, in.members())});
    }
    store_cell(dtype, total, out.bytes().data() + at);
  }
  return out;
}

Array combine(const CollectiveInterpretation& in, int i) { return combine(in, i, 0, in.members()); }

// Copies `count` slices along `axis`, from number `from` of the source to number `to` of the
// target.
void copy_slices(const Array& source, std::int64_t from, Array& target, std::int64_t to,
                 std::int64_t count, std::int64_t axis) {
  std::int64_t outer = 1;
  std::int64_t inner = 1;
  for (int d = 0; d < source.shape().rank(); ++d) {
    if (d < axis) outer *= source.shape()[d];
    if (d > axis) inner *= source.shape()[d];
  }
  const std::int64_t source_size = source.shape()[static_cast<int>(axis)];
  const std::int64_t target_size = target.shape()[static_cast<int>(axis)];
  for (std::int64_t o = 0; o < outer; ++o) {
    for (std::int64_t slice = 0; slice < count; ++slice) {
      for (std::int64_t n = 0; n < inner; ++n) {
        copy_element(source, (o * source_size + from + slice) * inner + n, target,
                     (o * target_size + to + slice) * inner + n);
      }
    }
  }
}

Array zeros(const Type& type) { return {type.dtype, type.shape}; }

// The members' i-th operands, one after another.
Array gathered(const CollectiveInterpretation& in, int i) {
  const std::int64_t axis = in.attributes.integer("axis");
  Array out = zeros(in.result_type(0, i));
  std::int64_t to = 0;
  for (int member = 0; member < in.members(); ++member) {
    const std::int64_t size = in.operand(member, i).shape()[static_cast<int>(axis)];
    copy_slices(in.operand(member, i), 0, out, to, size, axis);
    to += size;
  }
  return out;
}

// Gives each member its part of `whole`, the i-th result.
void scatter_parts(CollectiveInterpretation& in, int i, const Array& whole) {
  const std::int64_t axis = in.attributes.integer("axis");
  std::int64_t from = 0;
  for (int member = 0; member < in.members(); ++member) {
    Array out = zeros(in.result_type(member, i));
    const std::int64_t size = out.shape()[static_cast<int>(axis)];
    copy_slices(whole, from, out, 0, size, axis);
    from += size;
    in.result(member, std::move(out));
  }
}

// How much of its i-th operand a member sends to each member.
List sent_by(const CollectiveInterpretation& in, int member, int i) {
  const Attributes attributes = in.attributes_of(member);
  if (!attributes.integers("send_sizes").empty()) return attributes.integers("send_sizes");
  const auto axis = static_cast<int>(attributes.integer("axis"));
  return List(static_cast<std::size_t>(in.members()),
              in.operand(member, i).shape()[axis] / in.members());
}

}  // namespace

void interpret_all_reduce(CollectiveInterpretation& in) {
  for (int i = 0; i < in.count(); ++i) {
    const Array total = combine(in, i);
    for (int member = 0; member < in.members(); ++member) in.result(member, total);
  }
}

void interpret_reduce(CollectiveInterpretation& in) {
  const std::int64_t root = in.attributes.integer("root");
  for (int i = 0; i < in.count(); ++i) {
    const Array total = combine(in, i);
    for (int member = 0; member < in.members(); ++member) {
      in.result(member, member == root ? total : zeros(in.result_type(member, i)));
    }
  }
}

void interpret_scan_ranks(CollectiveInterpretation& in) {
  const int own = in.attributes.flag("exclusive") ? 0 : 1;
  const bool reverse = in.attributes.flag("reverse");
  for (int i = 0; i < in.count(); ++i) {
    for (int member = 0; member < in.members(); ++member) {
      in.result(member, reverse ? combine(in, i, member + 1 - own, in.members())
                                : combine(in, i, 0, member + own));
    }
  }
}

void interpret_all_gather(CollectiveInterpretation& in) {
  for (int i = 0; i < in.count(); ++i) {
    const Array all = gathered(in, i);
    for (int member = 0; member < in.members(); ++member) in.result(member, all);
  }
}

void interpret_gather(CollectiveInterpretation& in) {
  const std::int64_t root = in.attributes.integer("root");
  for (int i = 0; i < in.count(); ++i) {
    const Array all = gathered(in, i);
    for (int member = 0; member < in.members(); ++member) {
      in.result(member, member == root ? all : zeros(in.result_type(member, i)));
    }
  }
}

void interpret_reduce_scatter(CollectiveInterpretation& in) {
  for (int i = 0; i < in.count(); ++i) scatter_parts(in, i, combine(in, i));
}

void interpret_scatter(CollectiveInterpretation& in) {
  const auto root = static_cast<int>(in.attributes.integer("root"));
  for (int i = 0; i < in.count(); ++i) scatter_parts(in, i, in.operand(root, i));
}

void interpret_broadcast(CollectiveInterpretation& in) {
  const auto root = static_cast<int>(in.attributes.integer("root"));
  for (int i = 0; i < in.count(); ++i) {
    for (int member = 0; member < in.members(); ++member) in.result(member, in.operand(root, i));
  }
}

void interpret_all_to_all(CollectiveInterpretation& in) {
  const std::int64_t axis = in.attributes.integer("axis");
  for (int i = 0; i < in.count(); ++i) {
    for (int target = 0; target < in.members(); ++target) {
      Array out = zeros(in.result_type(target, i));
      std::int64_t to = 0;
      for (int source = 0; source < in.members(); ++source) {
        const List sizes = sent_by(in, source, i);
        const std::int64_t from =
            std::accumulate(sizes.begin(), sizes.begin() + target, std::int64_t{0});
        const std::int64_t size = sizes[static_cast<std::size_t>(target)];
        copy_slices(in.operand(source, i), from, out, to, size, axis);
        to += size;
      }
      in.result(target, std::move(out));
    }
  }
}

void interpret_collective_permute(CollectiveInterpretation& in) {
  const List& pairs = in.attributes.integers("pairs");
  for (int i = 0; i < in.count(); ++i) {
    for (int target = 0; target < in.members(); ++target) {
      Array out = zeros(in.result_type(target, i));
      for (std::size_t pair = 0; pair < pairs.size(); pair += 2) {
        if (pairs[pair + 1] == target) out = in.operand(static_cast<int>(pairs[pair]), i);
      }
      in.result(target, std::move(out));
    }
  }
}

// Of one message: from the first member, the sender, to the second.
void interpret_batch_send_recv(CollectiveInterpretation& in) { in.result(1, in.operand(0, 0)); }
void interpret_send(CollectiveInterpretation& in) { interpret_batch_send_recv(in); }
void interpret_recv(CollectiveInterpretation& in) { interpret_batch_send_recv(in); }

void interpret_barrier(CollectiveInterpretation&) {}

}  // namespace tutti::ir::family::collective
