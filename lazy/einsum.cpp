#include <tutti/ir/names.h>
#include <tutti/lazy/composite.h>
#include <tutti/lazy/einsum.h>
#include <tutti/lazy/tensor_state.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

namespace tutti {

namespace {

using List = std::vector<std::int64_t>;

// A tensor whose axes have names: letters, and numbers from the last one on for those of "...".
struct Named {
  Tensor tensor;
  std::string axes;  // a character an axis
};

class Einsum {
 public:
  Einsum(std::string_view formula, std::span<const Tensor> operands) {
    if (operands.empty()) fail("no operands");
    std::string text;
    std::ranges::copy_if(formula, std::back_inserter(text), [](char c) { return c != ' '; });
    const std::size_t arrow = text.find("->");
    std::string left = text.substr(0, arrow);
    const auto terms = static_cast<std::size_t>(1 + std::ranges::count(left, ','));
    if (terms != operands.size()) {
      fail("it names the axes of " + ir::counted(terms, "operand") + ", and is given " +
           std::to_string(operands.size()));
    }
    for (const Tensor& operand : operands) {
      const std::size_t comma = left.find(',');
      add(left.substr(0, comma), operand);
      left.erase(0, comma == left.npos ? left.size() : comma + 1);
    }
    result_ = arrow == text.npos ? implicit_result() : named_result(text.substr(arrow + 2));
  }

  Tensor run() {
    for (std::size_t i = 0; i < operands_.size(); ++i) sum_alone(i);
    Named out = operands_[0];
    for (std::size_t i = 1; i < operands_.size(); ++i) out = product(out, i);
    return ordered(out);
  }

 private:
  [[noreturn]] static void fail(const std::string& what) { throw TypeError(what); }

  static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
  // The name of the i-th axis from the end of "...".
  static char name_of_rest(int i) { return static_cast<char>('0' + i); }

  void add(const std::string& letters, const Tensor& tensor) {
    const std::size_t dots = letters.find("...");
    const std::size_t named = letters.size() - (dots == letters.npos ? 0 : 3);
    const int rank = tensor.rank();
    const int rest = rank - static_cast<int>(named);
    if (rest < 0 || (dots == letters.npos && rest > 0)) {
      fail("\"" + letters + "\" names " + std::to_string(named) + " axes of a tensor of type " +
           tensor.state()->type.text());
    }
    std::string axes;
    for (std::size_t i = 0; i < letters.size(); ++i) {
      if (i == dots) {
        for (int r = rest; r > 0; --r) axes += name_of_rest(r - 1);
        i += 2;
        continue;
      }
      if (!is_letter(letters[i])) fail("'" + letters.substr(i, 1) + "' is no letter");
      if (axes.find(letters[i]) != axes.npos) {
        fail("'" + letters.substr(i, 1) + "' twice in one operand, which would be its diagonal");
      }
      axes += letters[i];
    }
    rest_ = std::max(rest_, rest);
    for (std::size_t d = 0; d < axes.size(); ++d)
      note_size(axes[d], tensor.shape()[static_cast<int>(d)]);
    operands_.push_back({tensor, axes});
  }

  void note_size(char axis, std::int64_t size) {
    const auto [known, is_new] = sizes_.emplace(axis, size);
    if (is_new || known->second == size) return;
    // What stands for "..." broadcasts.
    if (!is_letter(axis) && (size == 1 || known->second == 1)) {
      if (known->second == 1) known->second = size;
      return;
    }
    fail("'" + std::string(1, axis) + "' is " + std::to_string(known->second) + " and " +
         std::to_string(size) + " long");
  }

  std::string rest_names() const {
    std::string out;
    for (int r = rest_; r > 0; --r) out += name_of_rest(r - 1);
    return out;
  }

  std::string implicit_result() const {
    std::string out = rest_names();
    for (const auto& [axis, size] : sizes_) {
      const auto has = [&](const Named& each) { return each.axes.find(axis) != each.axes.npos; };
      if (is_letter(axis) && std::ranges::count_if(operands_, has) == 1) out += axis;
    }
    return out;
  }

  std::string named_result(const std::string& letters) const {
    std::string out;
    for (std::size_t i = 0; i < letters.size(); ++i) {
      if (letters.compare(i, 3, "...") == 0) {
        if (letters.find("...", i + 3) != letters.npos) fail("\"...\" twice in the result");
        out += rest_names();
        i += 2;
        continue;
      }
      if (!is_letter(letters[i])) fail("'" + letters.substr(i, 1) + "' is no letter");
      if (!sizes_.contains(letters[i])) fail("no operand has '" + letters.substr(i, 1) + "'");
      if (out.find(letters[i]) != out.npos) {
        fail("'" + letters.substr(i, 1) + "' twice in the result");
      }
      out += letters[i];
    }
    if (rest_ > 0 && letters.find("...") == letters.npos) {
      fail("the result should have the axes of \"...\"");
    }
    return out;
  }

  // Whether an axis is needed by the result or by operands from `next` on.
  bool is_needed(char axis, std::size_t next) const {
    if (result_.find(axis) != result_.npos) return true;
    for (std::size_t i = next; i < operands_.size(); ++i) {
      if (operands_[i].axes.find(axis) != std::string::npos) return true;
    }
    return false;
  }

  // Sums an operand over axes that nobody else has.
  void sum_alone(std::size_t index) {
    Named& own = operands_[index];
    List summed;
    std::string left;
    for (std::size_t d = 0; d < own.axes.size(); ++d) {
      const auto has = [&](const Named& each) {
        return each.axes.find(own.axes[d]) != each.axes.npos;
      };
      if (result_.find(own.axes[d]) == result_.npos && std::ranges::count_if(operands_, has) == 1) {
        summed.push_back(static_cast<std::int64_t>(d));
      } else {
        left += own.axes[d];
      }
    }
    if (summed.empty()) return;
    own = {sum(own.tensor, summed), left};
  }

  // x with the axes of "..." as long as they are in the result.
  Named spread(const Named& x) const {
    List shape;
    for (const char axis : x.axes) shape.push_back(sizes_.at(axis));
    if (Shape(shape) == x.tensor.shape()) return x;
    return {broadcast_to(x.tensor, shape), x.axes};
  }

  // Axes that both have are a batch where they are needed later, and summed over where not.
  Named product(const Named& a, std::size_t next) const {
    const Named x = spread(a);
    const Named y = spread(operands_[next]);
    DotDimensions dimensions;
    std::string batch;
    std::string rest_x;
    std::string rest_y;
    for (std::size_t d = 0; d < x.axes.size(); ++d) {
      const std::size_t other = y.axes.find(x.axes[d]);
      const auto own = static_cast<std::int64_t>(d);
      if (other == std::string::npos) {
        rest_x += x.axes[d];
      } else if (is_needed(x.axes[d], next + 1)) {
        dimensions.batch_x.push_back(own);
        dimensions.batch_y.push_back(static_cast<std::int64_t>(other));
        batch += x.axes[d];
      } else {
        dimensions.contract_x.push_back(own);
        dimensions.contract_y.push_back(static_cast<std::int64_t>(other));
      }
    }
    for (const char axis : y.axes) {
      if (x.axes.find(axis) == std::string::npos) rest_y += axis;
    }
    return {dot_general(x.tensor, y.tensor, dimensions), batch + rest_x + rest_y};
  }

  Tensor ordered(const Named& x) const {
    List permutation;
    for (const char axis : result_) {
      permutation.push_back(static_cast<std::int64_t>(x.axes.find(axis)));
    }
    if (std::ranges::is_sorted(permutation)) return x.tensor;
    return transpose(x.tensor, permutation);
  }

  std::vector<Named> operands_;
  std::map<char, std::int64_t> sizes_;
  int rest_ = 0;  // the most axes that "..." stands for
  std::string result_;
};

}  // namespace

Tensor einsum(std::string_view formula, std::span<const Tensor> operands, std::source_location at) {
  return detail::composite("einsum(\"" + std::string(formula) + "\")", at,
                           [&] { return Einsum(formula, operands).run(); });
}

}  // namespace tutti
