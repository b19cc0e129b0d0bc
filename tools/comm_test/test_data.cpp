#include "tools/comm_test/test_data.h"

#include <tutti/ir/scalar.h>

#include <cstring>

namespace tutti::tools {

namespace {

using runtime::CollectiveKind;

// Mixed well: neighbours are unlike.
std::uint64_t mixed(std::uint64_t number) {
  number = (number ^ number >> 30) * 0xbf58476d1ce4e5b9ULL;
  number = (number ^ number >> 27) * 0x94d049bb133111ebULL;
  return number ^ number >> 31;
}

ir::Cell cell_of_integer(DType dtype, std::int64_t value) {
  ir::Cell cell;
  if (is_floating(dtype)) return ir::cell_of(ir::compute_dtype(dtype), static_cast<double>(value));
  if (is_unsigned(dtype)) {
    cell.natural = static_cast<std::uint64_t>(value);
  } else {
    cell.integer = value;
  }
  return cell;
}

}  // namespace

std::int64_t TestedCollective::operand_elements() const {
  const bool gathers = kind == CollectiveKind::all_gather || kind == CollectiveKind::gather;
  return gathers ? elements / members : elements;
}

std::int64_t TestedCollective::result_elements() const {
  const bool scatters = kind == CollectiveKind::reduce_scatter || kind == CollectiveKind::scatter;
  return scatters ? elements / members : elements;
}

TestData::TestData(const TestedCollective& what, std::uint64_t round)
    : what_(what), round_(round), size_(static_cast<std::size_t>(size_of(what.dtype))) {
  for (std::int64_t number = -1; number <= what.members; ++number) {
    numbers_.resize(numbers_.size() + size_);
    ir::store_cell(what.dtype, cell_of_integer(what.dtype, number),
                   numbers_.data() + numbers_.size() - size_);
  }
}

std::span<const std::byte> TestData::bytes_of(std::int64_t number) const {
  return std::span(numbers_).subspan(static_cast<std::size_t>(number + 1) * size_, size_);
}

std::int64_t TestData::value(std::int64_t place, int member) const {
  const std::uint64_t drawn = mixed(static_cast<std::uint64_t>(place) + (round_ << 40));
  const auto turn = drawn % 6 + static_cast<std::uint64_t>(member);
  return is_unsigned(what_.dtype) ? static_cast<std::int64_t>(turn % 2)
                                  : static_cast<std::int64_t>(turn % 3) - 1;
}

std::int64_t TestData::sum(std::int64_t place, int first, int end) const {
  std::int64_t out = 0;
  for (int member = first; member < end; ++member) out += value(place, member);
  return out;
}

std::vector<std::byte> TestData::operand(int member) const {
  const std::int64_t elements = what_.operand_elements();
  std::vector<std::byte> out(static_cast<std::size_t>(elements) * size_);
  for (std::int64_t place = 0; place < elements; ++place) {
    std::memcpy(out.data() + static_cast<std::size_t>(place) * size_,
                bytes_of(value(place, member)).data(), size_);
  }
  return out;
}

std::int64_t TestData::expected(std::int64_t place, int member) const {
  const std::int64_t part = what_.elements / what_.members;
  const int before = (member + what_.members - 1) % what_.members;
  switch (what_.kind) {
    case CollectiveKind::all_reduce:
      return sum(place, 0, what_.members);
    case CollectiveKind::reduce:
      return member == 0 ? sum(place, 0, what_.members) : 0;
    case CollectiveKind::all_gather:
      return value(place % part, static_cast<int>(place / part));
    case CollectiveKind::gather:
      return member == 0 ? value(place % part, static_cast<int>(place / part)) : 0;
    case CollectiveKind::reduce_scatter:
      return sum(member * part + place, 0, what_.members);
    case CollectiveKind::scatter:
      return value(member * part + place, 0);
    case CollectiveKind::broadcast:
      return value(place, 0);
    case CollectiveKind::all_to_all:
      return value(member * part + place % part, static_cast<int>(place / part));
    case CollectiveKind::collective_permute:
    case CollectiveKind::send_recv:
      return value(place, before);
    case CollectiveKind::scan_ranks:
      return sum(place, 0, member + 1);
    case CollectiveKind::barrier:
      break;
  }
  return 0;
}

std::int64_t TestData::count_wrong(int member, std::span<const std::byte> result) const {
  const std::int64_t elements = what_.result_elements();
  if (result.size() != static_cast<std::size_t>(elements) * size_) return elements;
  std::int64_t wrong = 0;
  for (std::int64_t place = 0; place < elements; ++place) {
    const std::byte* const there = result.data() + static_cast<std::size_t>(place) * size_;
    const bool right = std::memcmp(there, bytes_of(expected(place, member)).data(), size_) == 0;
    wrong += right ? 0 : 1;
  }
  return wrong;
}

double bus_factor(CollectiveKind kind, int members) {
  const double others = static_cast<double>(members - 1) / members;
  switch (kind) {
    case CollectiveKind::all_reduce:
      return 2 * others;
    case CollectiveKind::all_gather:
    case CollectiveKind::gather:
    case CollectiveKind::reduce_scatter:
    case CollectiveKind::scatter:
    case CollectiveKind::all_to_all:
      return others;
    default:
      return 1;
  }
}

}  // namespace tutti::tools
