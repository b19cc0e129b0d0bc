#include "tools/compare_results.h"

#include <tutti/ir/support/error.h>
#include <tutti/ir/text/literal.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "tools/array_files.h"

namespace tutti::tools {

namespace {

// How far two arrays of one type are apart.
struct Distance {
  std::int64_t differ = 0;  // elements that do not agree
  std::int64_t at = -1;     // of the largest difference; -1: they are equal
  double largest = -1;
};

bool same_bytes(const ir::Array& a, const ir::Array& b, std::int64_t at) {
  const std::int64_t size = size_of(a.dtype());
  return std::memcmp(a.bytes().data() + at * size, b.bytes().data() + at * size,
                     static_cast<std::size_t>(size)) == 0;
}

Distance distance(const ir::Array& given, const ir::Array& expected, double tolerance) {
  Distance out;
  for (std::int64_t i = 0; i < given.elements(); ++i) {
    if (same_bytes(given, expected, i)) continue;
    const double x = given.at(i);
    const double y = expected.at(i);
    const bool floating = is_floating(given.dtype());
    if (floating && (x == y || (std::isnan(x) && std::isnan(y)))) continue;
    double apart = std::abs(x - y);
    if (std::isnan(apart)) apart = std::numeric_limits<double>::infinity();
    if (apart > out.largest) {
      out.largest = apart;
      out.at = i;
    }
    const bool agrees = floating && apart <= tolerance * std::max(1.0, std::abs(y));
    // Infinities of different signs are infinitely far apart, whatever the tolerance.
    if (!agrees || std::isinf(apart)) ++out.differ;
  }
  return out;
}

// "[1, 0, 3]"
std::string index_of(const Shape& shape, std::int64_t at) {
  std::vector<std::int64_t> index(static_cast<std::size_t>(shape.rank()));
  for (int d = shape.rank(); d-- > 0;) {
    index[static_cast<std::size_t>(d)] = at % shape[d];
    at /= shape[d];
  }
  std::string out;
  ir::append_integers(out, index);
  return out;
}

std::string element(const ir::Array& array, std::int64_t at) {
  const std::int64_t size = size_of(array.dtype());
  ir::Array one(array.dtype(), {});
  std::memcpy(one.bytes().data(), array.bytes().data() + at * size, static_cast<std::size_t>(size));
  std::string text;
  ir::append_array(text, one);
  return text.substr(text.find(' ') + 1);
}

std::string number(double value) {
  std::string out;
  ir::append_number(out, value);
  return out;
}

// The line for a result, and whether it agrees.
std::pair<std::string, bool> compare(const ir::Array& given, const ir::Array& expected,
                                     double tolerance) {
  const std::string type = std::string(name_of(given.dtype())) + given.shape().text();
  if (given.dtype() != expected.dtype() || given.shape() != expected.shape()) {
    return {type + ", expected " + std::string(name_of(expected.dtype())) + expected.shape().text(),
            false};
  }
  const Distance apart = distance(given, expected, tolerance);
  if (apart.at < 0) return {type + " is as expected", true};
  const bool is_scalar = given.shape().rank() == 0;
  const std::string where = number(apart.largest) +
                            (is_scalar ? "" : " at " + index_of(given.shape(), apart.at)) + ": " +
                            element(given, apart.at) + ", expected " + element(expected, apart.at);
  if (apart.differ == 0) return {type + " agrees, the largest difference is " + where, true};
  if (is_scalar) return {type + " differs by " + where, false};
  return {type + " differs in " + std::to_string(apart.differ) + " of " +
              std::to_string(given.elements()) +
              (given.elements() == 1 ? " element, by " : " elements, most by ") + where,
          false};
}

}  // namespace

bool compare_results(const std::vector<std::vector<ir::Array>>& results,
                     const std::string& expected, double tolerance, std::ostream& out) {
  ArrayFiles files("--expect", expected);
  bool agree = true;
  for (std::size_t rank = 0; rank < results.size(); ++rank) {
    for (std::size_t i = 0; i < results[rank].size(); ++i) {
      const std::string name = std::to_string(i);
      const ArrayFiles::Found found = files.find(name, static_cast<std::int64_t>(rank));
      if (found.array == nullptr) {
        throw UsageError("--expect: " + expected + " has no " + name + ".npy for result " + name +
                         (results.size() > 1 ? " of rank " + std::to_string(rank) : ""));
      }
      const auto [text, agrees] = compare(results[rank][i], *found.array, tolerance);
      if (results.size() > 1) out << "rank " << rank << ", ";
      out << "result " << i << ": " << text << "\n";
      agree = agree && agrees;
    }
    const std::string next = std::to_string(results[rank].size());
    const ArrayFiles::Found more = files.find(next, static_cast<std::int64_t>(rank));
    if (more.array != nullptr) {
      if (results.size() > 1) out << "rank " << rank << ", ";
      out << "result " << next << ": expected by " << more.where << ", but the program has " << next
          << (next == "1" ? " result\n" : " results\n");
      agree = false;
    }
  }
  const std::string next = std::to_string(results.size());
  const std::string more = files.own_place("0", static_cast<std::int64_t>(results.size()));
  if (!more.empty()) {
    out << "rank " << next << ": expected by " << more << ", but there are results of " << next
        << (next == "1" ? " rank\n" : " ranks\n");
    agree = false;
  }
  return agree;
}

}  // namespace tutti::tools
