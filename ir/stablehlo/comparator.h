#pragma once

#include <tutti/ir/stablehlo/expression.h>
#include <tutti/ir/stablehlo/translate.h>

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace tutti::ir::stablehlo {

// What a comparison of two elements asks first, second, ...: a function of one operand.
struct ComparedKey {
  // Where NaN comes, if that is asked; else every comparison with it is false.
  enum class Nan : std::uint8_t { unordered, first, last };

  int operand = 0;
  bool descending = false;
  bool total = false;  // in the total order of floats
  Nan nan = Nan::unordered;
  std::string text;                  // of the function, "negate(x)"
  const Reference* value = nullptr;  // in the region: of the operand's first element

  // Turns the order about.
  void reverse();
};

// Reads from a region whether one element comes before another: LT(f(a), f(b)), which is `less`
// alone or in or(less, NE(f(a), f(a))), and or(less, and(EQ(f(a), f(b)), ...)).
class Comparator {
 public:
  // How the region's arguments come: the two elements of each operand, or all first elements and
  // then all second ones.
  enum class Arguments : std::uint8_t { by_operand, by_element };

  Comparator(const Step& step, const Region& region, Arguments arguments);

  // By what the first element comes first, which is what `reference` says; nothing if it says
  // something else.
  std::optional<std::vector<ComparedKey>> keys(const Reference& reference);

 private:
  struct Less {
    const Operation* compare = nullptr;  // null: it is none
    const Operation* nan = nullptr;      // NE(x, x), if that will do, too
  };

  bool append(const Reference& reference, int depth);
  bool append_key(const Less& less);
  Less less_of(const Reference& reference) const;
  // The one argument that a value is computed from; -1: several or none.
  int source(const Reference& reference, int depth = 0);
  bool same_operands(const Operation& a, const Operation& b) const;
  int operand_of(int argument) const;
  bool is_second(int argument) const;

  RegionText text_;
  int operands_;
  Arguments arguments_;
  std::vector<ComparedKey> keys_;
  std::unordered_map<const Operation*, int> sources_;
};

}  // namespace tutti::ir::stablehlo
