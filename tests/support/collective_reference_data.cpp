#include "tests/support/collective_reference_data.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <sstream>
#include <string_view>
#include <type_traits>
#include <utility>

#include "tests/support/dtype_named.h"
#include <nlohmann/json.hpp>

namespace tutti::test {

namespace {

using ir::Array;
using Json = nlohmann::json;
using List = std::vector<std::int64_t>;

constexpr const char* kFile = TUTTI_SOURCE_DIR "/tests/reference/data/collectives.jsonl";

template <class N>
N number_from(const std::string& text) {
  N out{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error != std::errc{} || end != text.data() + text.size()) {
    throw ParseError("no number of its dtype: " + text);
  }
  return out;
}

// Floating-point numbers are written as doubles that are numbers of the dtype.
template <class T>
T element_from(const std::string& text) {
  if constexpr (std::is_same_v<T, bool>) {
    return number_from<int>(text) != 0;
  } else if constexpr (std::is_integral_v<T>) {
    return number_from<T>(text);
  } else if constexpr (std::is_same_v<T, double>) {
    return number_from<double>(text);
  } else {
    return static_cast<T>(static_cast<float>(number_from<double>(text)));
  }
}

// "f32[2,2] 1 -0.5 inf nan".
Array array_from(const std::string& text) {
  std::istringstream words(text);
  std::string word;
  words >> word;
  const std::size_t bracket = word.find('[');
  if (bracket == word.npos || !word.ends_with(']')) throw ParseError("no array: " + text);
  List sizes;
  std::istringstream list(word.substr(bracket + 1, word.size() - bracket - 2));
  for (std::string size; std::getline(list, size, ',');) {
    sizes.push_back(number_from<std::int64_t>(size));
  }
  Array out(dtype_named(word.substr(0, bracket)), Shape(sizes));
  visit_dtype(out.dtype(), [&]<class T>(std::type_identity<T>) {
    for (T& element : out.data<T>()) {
      if (!(words >> word)) throw ParseError("too few numbers: " + text);
      element = element_from<T>(word);
    }
  });
  if (words >> word) throw ParseError("too many numbers: " + text);
  return out;
}

// null, an array, or the number of a rank before that has the same.
std::vector<std::optional<Array>> arrays_from(const Json& entries) {
  std::vector<std::optional<Array>> out;
  for (const Json& entry : entries) {
    if (entry.is_null()) {
      out.emplace_back();
    } else if (entry.is_number()) {
      std::optional<Array> same = out.at(entry.get<std::size_t>());
      out.push_back(std::move(same));
    } else {
      out.emplace_back(array_from(entry.get<std::string>()));
    }
  }
  return out;
}

std::optional<Array>& of_rank(std::vector<std::optional<Array>>& arrays, std::int64_t rank) {
  return arrays.at(static_cast<std::size_t>(rank));
}

CollectiveReference reference_from(const Json& entry) {
  CollectiveReference out;
  out.world = entry.at("world");
  out.op = entry.at("op");
  out.by = entry.at("by");
  out.dtype = dtype_named(entry.at("dtype"));
  out.form = entry.at("form");
  out.groups = entry.at("groups");
  out.reduce = entry.value("reduce", "");
  out.root = entry.value("root", std::int64_t{0});
  out.axis = entry.value("axis", std::int64_t{0});
  if (entry.contains("concat_axis")) out.concat_axis = entry.at("concat_axis").get<std::int64_t>();
  out.sizes = entry.value("sizes", List());
  for (const Json& pair : entry.value("pairs", Json::array())) {
    out.pairs.emplace_back(pair.at(0).get<std::int64_t>(), pair.at(1).get<std::int64_t>());
  }
  out.exact = entry.at("exact");
  out.inputs = arrays_from(entry.at("inputs"));
  out.results = arrays_from(entry.at("results"));
  for (const List& members : out.groups) {
    const std::optional<Array> root =
        of_rank(out.results, members.at(static_cast<std::size_t>(out.root)));
    if (!root) throw ParseError("no result at the root: " + entry.dump());
    for (const std::int64_t rank : members) {
      std::optional<Array>& result = of_rank(out.results, rank);
      if (!result) result = Array(root->dtype(), root->shape());
    }
  }
  return out;
}

}  // namespace

bool CollectiveReference::has(std::int64_t rank) const {
  return inputs.at(static_cast<std::size_t>(rank)).has_value();
}

const List& CollectiveReference::members(std::int64_t rank) const {
  const auto own = std::ranges::find_if(
      groups, [&](const List& members) { return std::ranges::count(members, rank) != 0; });
  if (own == groups.end()) throw UsageError("the rank is in no group");
  return *own;
}

std::int64_t CollectiveReference::position(std::int64_t rank) const {
  const List& list = members(rank);
  return std::ranges::find(list, rank) - list.begin();
}

List CollectiveReference::send_sizes(std::int64_t rank) const {
  const auto count = static_cast<std::int64_t>(members(rank).size());
  const auto first = sizes.begin() + position(rank) * count;
  return {first, first + count};
}

List CollectiveReference::receive_sizes(std::int64_t rank) const {
  const std::size_t count = members(rank).size();
  List out;
  for (auto at = static_cast<std::size_t>(position(rank)); at < sizes.size(); at += count) {
    out.push_back(sizes[at]);
  }
  return out;
}

std::string CollectiveReference::describe() const {
  std::ostringstream out;
  out << op << (reduce.empty() ? "" : " " + reduce) << " of " << name_of(dtype) << " by " << by
      << " in a world of " << world << ", " << form << ", ";
  for (const List& members : groups) {
    out << '[';
    for (const std::int64_t rank : members) out << (rank == members[0] ? "" : ",") << rank;
    out << ']';
  }
  out << ", root " << root << ", axis " << axis;
  if (concat_axis) out << " to " << *concat_axis;
  if (!sizes.empty()) out << ", uneven";
  return out.str();
}

std::vector<CollectiveReference> collective_references(const std::string& op) {
  std::ifstream file(kFile);
  std::vector<CollectiveReference> out;
  for (std::string line; std::getline(file, line);) {
    const Json entry = Json::parse(line);
    if (entry.at("op") == op) out.push_back(reference_from(entry));
  }
  return out;
}

}  // namespace tutti::test
