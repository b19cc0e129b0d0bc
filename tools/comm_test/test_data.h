#pragma once

#include <tutti/ir/dtype.h>
#include <tutti/runtime/comm/collective.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tutti::tools {

// A collective of one tensor between so many members.
struct TestedCollective {
  runtime::CollectiveKind kind = runtime::CollectiveKind::all_reduce;
  DType dtype = DType::f32;
  int members = 1;
  std::int64_t elements = 0;  // of the larger one of operand and result

  // Of a member's operand, and of its result.
  std::int64_t operand_elements() const;
  std::int64_t result_elements() const;
};

// What goes in and what has to come out. All sums are exact in every dtype: an element is -1, 0 or
// 1 (unsigned: 0 or 1), and over the members in their order -1, 0 and 1 take turns. Which of them
// comes first depends on the place and on `round`, so that a piece at another's place, or one of an
// earlier round, is found.
class TestData {
 public:
  TestData(const TestedCollective& what, std::uint64_t round);

  std::vector<std::byte> operand(int member) const;
  // How many elements of a member's result are wrong.
  std::int64_t count_wrong(int member, std::span<const std::byte> result) const;

 private:
  std::int64_t value(std::int64_t place, int member) const;
  std::int64_t sum(std::int64_t place, int first, int end) const;
  // Of element `place` of a member's result.
  std::int64_t expected(std::int64_t place, int member) const;
  std::span<const std::byte> bytes_of(std::int64_t number) const;

  const TestedCollective what_;
  const std::uint64_t round_;
  const std::size_t size_;          // of an element
  std::vector<std::byte> numbers_;  // as elements, from -1 to the number of members
};

// Bytes of the larger tensor for each byte that a link between two members has to carry at least:
// what the "bus bandwidth" of nccl-tests is the "algorithm bandwidth" times.
double bus_factor(runtime::CollectiveKind kind, int members);

}  // namespace tutti::tools
