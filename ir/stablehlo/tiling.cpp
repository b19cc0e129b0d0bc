#include <tutti/ir/stablehlo/tiling.h>
#include <tutti/ir/support/error.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <numeric>
#include <set>
#include <string>

namespace tutti::ir::stablehlo {

namespace {

using Numbers = std::vector<std::int64_t>;

[[noreturn]] void refuse(std::string_view text, const std::string& why) {
  throw TypeError("sharding \"" + std::string(text.substr(0, 100)) + "\": " + why);
}

// Reads the text from its beginning on.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text), rest_(text) {}

  bool accept(std::string_view word) {
    skip_blanks();
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  void expect(std::string_view word) {
    if (!accept(word)) malformed();
  }
  // 2,1,2 up to what closes it
  Numbers numbers(std::string_view close) {
    Numbers out;
    do out.push_back(number());
    while (accept(","));
    expect(close);
    return out;
  }
  std::int64_t number() {
    skip_blanks();
    std::int64_t out = 0;
    const auto read = std::from_chars(rest_.data(), rest_.data() + rest_.size(), out);
    if (read.ec != std::errc() || out < 0 || out > (1 << 20)) malformed();
    rest_.remove_prefix(static_cast<std::size_t>(read.ptr - rest_.data()));
    return out;
  }
  std::string_view word() {
    skip_blanks();
    const std::size_t end = std::min(rest_.find_first_of(" ,}="), rest_.size());
    const std::string_view out = rest_.substr(0, end);
    rest_.remove_prefix(end);
    return out;
  }
  bool starts_number() {
    skip_blanks();
    return !rest_.empty() && rest_[0] >= '0' && rest_[0] <= '9';
  }
  [[noreturn]] void malformed() const {
    refuse(text_,
           "not understood; expected the like of {devices=[2,1,2]<=[4] "
           "last_tile_dim_replicate}, {replicated} or {manual}");
  }

 private:
  void skip_blanks() {
    while (rest_.starts_with(' ')) rest_.remove_prefix(1);
  }

  std::string_view text_;
  std::string_view rest_;
};

// <=[2,4]T(1,0): the digits of sizes 2 and 4, in another order.
std::vector<Digit> digits_of_iota(Reader& reader, std::int64_t ranks) {
  const Numbers sizes = reader.numbers("]");
  std::vector<Digit> digits;
  std::int64_t stride = 1;
  for (std::size_t i = sizes.size(); i-- > 0;) {
    if (sizes[i] < 1 || sizes[i] > ranks) reader.malformed();
    digits.insert(digits.begin(), {.size = sizes[i], .stride = stride});
    stride *= sizes[i];
    if (stride > ranks) break;
  }
  if (stride != ranks || digits.size() != sizes.size()) reader.malformed();
  if (!reader.accept("T(")) return digits;
  const Numbers order = reader.numbers(")");
  Numbers sorted = order;
  std::ranges::sort(sorted);
  Numbers all(digits.size());
  std::iota(all.begin(), all.end(), 0);
  if (sorted != all) reader.malformed();
  std::vector<Digit> out;
  for (const std::int64_t i : order) out.push_back(digits[static_cast<std::size_t>(i)]);
  return out;
}

// The digits by which a list counts: 0, 2, 1, 3 is (2, 1) and then (2, 2), innermost first. Nothing
// if it doesn't count.
std::optional<std::vector<Digit>> digits_of_list(const Numbers& list) {
  std::vector<Digit> out;
  std::size_t known = 1;  // that many begin the list as the digits say
  while (known < list.size()) {
    const std::int64_t stride = list[known];
    std::size_t count = 1;
    const auto repeats = [&](std::size_t times) {
      if ((times + 1) * known > list.size()) return false;
      for (std::size_t i = 0; i < known; ++i) {
        if (list[times * known + i] != list[i] + static_cast<std::int64_t>(times) * stride) {
          return false;
        }
      }
      return true;
    };
    while (repeats(count)) ++count;
    if (count == 1 || stride < 1 || list.size() % (known * count) != 0) return std::nullopt;
    out.insert(out.begin(), {.size = static_cast<std::int64_t>(count), .stride = stride});
    known *= count;
  }
  return list.empty() || list[0] != 0 ? std::nullopt : std::optional(out);
}

// Takes the outermost `count` of what the digits count; false if that isn't whole digits or whole
// parts of them.
bool take(std::vector<Digit>& digits, std::int64_t count, std::vector<Digit>& out) {
  while (count > 1) {
    if (digits.empty()) return false;
    Digit& first = digits.front();
    const std::int64_t taken = std::gcd(first.size, count);
    if (taken != std::min(first.size, count)) return false;
    if (taken > 1) out.push_back({.size = taken, .stride = first.stride * (first.size / taken)});
    first.size /= taken;
    count /= taken;
    if (first.size == 1) digits.erase(digits.begin());
  }
  return true;
}

}  // namespace

Tiling read_tiling(std::string_view text, std::int64_t ranks) {
  Reader reader(text);
  reader.expect("{");
  Tiling out;
  if (reader.accept("replicated}")) return out;
  if (reader.accept("manual}")) {
    out.manual = true;
    return out;
  }
  if (reader.accept("maximal")) refuse(text, "a value on one device only is not supported");
  if (reader.accept("{")) refuse(text, "the shardings of a tuple are not supported");
  reader.expect("devices=[");
  const Numbers tiles = reader.numbers("]");
  std::vector<Digit> digits;
  if (reader.accept("<=[")) {
    digits = digits_of_iota(reader, ranks);
  } else {
    Numbers list;
    while (reader.starts_number()) {
      list.push_back(reader.number());
      reader.accept(",");
    }
    const auto found = digits_of_list(list);
    if (!found || std::ssize(list) != ranks) refuse(text, "an order of devices that is no mesh");
    digits = *found;
  }
  std::size_t last = 0;  // tiles that are not of dimensions
  if (reader.accept("last_tile_dim_replicate")) {
    last = 1;
  } else if (reader.accept("last_tile_dims={")) {
    while (!reader.accept("}")) {
      const std::string_view kind = reader.word();
      if (kind == "manual") refuse(text, "some axes are manual; all or none are supported");
      if (kind != "replicated") reader.malformed();
      reader.accept(",");
      ++last;
    }
  }
  reader.expect("}");
  if (last > tiles.size()) reader.malformed();
  const bool apart = std::ranges::all_of(tiles, [](std::int64_t n) { return n >= 1; });
  std::erase_if(digits, [](const Digit& digit) { return digit.size == 1; });
  for (std::size_t i = 0; i < tiles.size(); ++i) {
    std::vector<Digit> own;
    if (!apart || !take(digits, tiles[i], own)) refuse(text, "tiles that no mesh of devices makes");
    if (i + last < tiles.size()) {
      out.dimensions.push_back(std::move(own));
    } else {
      out.rest.insert(out.rest.end(), own.begin(), own.end());
    }
  }
  if (!digits.empty()) refuse(text, "fewer tiles than devices");
  return out;
}

std::optional<Mesh> mesh_for(std::span<const Tiling> tilings, std::int64_t ranks) {
  std::set<std::int64_t> strides = {1, ranks};
  const auto add = [&](const std::vector<Digit>& digits) {
    for (const Digit& digit : digits) strides.insert({digit.stride, digit.stride * digit.size});
  };
  for (const Tiling& tiling : tilings) {
    for (const std::vector<Digit>& digits : tiling.dimensions) add(digits);
    add(tiling.rest);
  }
  Mesh out;
  constexpr std::size_t kMostDimensions = 8;
  if (strides.size() > kMostDimensions + 1) return std::nullopt;
  for (auto stride = strides.rbegin(); std::next(stride) != strides.rend(); ++stride) {
    const std::int64_t below = *std::next(stride);
    if (*stride % below != 0) return std::nullopt;
    out.names.push_back("axis" + std::to_string(out.names.size()));
    out.sizes.push_back(*stride / below);
  }
  return out.names.empty() ? std::nullopt : std::optional(out);
}

AxesOfDimensions axes_of(const Tiling& tiling, const Mesh& mesh, int rank) {
  if (tiling.dimensions.empty()) return AxesOfDimensions(static_cast<std::size_t>(rank));
  if (std::ssize(tiling.dimensions) != rank) {
    throw TypeError("a sharding of " + std::to_string(tiling.dimensions.size()) +
                    " dimensions for a tensor of rank " + std::to_string(rank));
  }
  AxesOfDimensions out;
  for (const std::vector<Digit>& digits : tiling.dimensions) {
    out.emplace_back();
    for (const Digit& digit : digits) {
      std::int64_t stride = mesh.ranks();
      for (std::size_t axis = 0; axis < mesh.sizes.size(); ++axis) {
        stride /= mesh.sizes[axis];
        if (stride >= digit.stride && stride < digit.stride * digit.size) {
          out.back().push_back(static_cast<int>(axis));
        }
      }
    }
  }
  return out;
}

}  // namespace tutti::ir::stablehlo
