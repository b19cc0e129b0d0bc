#include <tutti/lazy/ops.h>
#include <tutti/lazy/tensor_map.h>
#include <tutti/lazy/tensor_state.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <string_view>
#include <utility>

namespace tutti {

namespace {

// A piece of a pattern: text, or a star.
struct Piece {
  enum class Kind : std::uint8_t { text, star, stars } kind;
  std::string_view text;
};

std::vector<Piece> pieces_of(std::string_view pattern) {
  std::vector<Piece> out;
  while (!pattern.empty()) {
    const std::size_t end = std::min(pattern.find('*'), pattern.size());
    if (end > 0) {
      out.push_back({Piece::Kind::text, pattern.substr(0, end)});
      pattern.remove_prefix(end);
    } else if (pattern.starts_with("**")) {
      out.push_back({Piece::Kind::stars, {}});
      pattern.remove_prefix(2);
    } else {
      out.push_back({Piece::Kind::star, {}});
      pattern.remove_prefix(1);
    }
  }
  return out;
}

// What each star stands for, the earlier ones as short as can be. Where it was found once that the
// rest does not fit, it is not tried again: the time grows with the square of the name's length.
class Fit {
 public:
  Fit(std::string_view name, std::span<const Piece> pieces)
      : name_(name), pieces_(pieces), failed_((pieces.size() + 1) * (name.size() + 1), false) {}

  // Nothing if the name does not fit.
  std::optional<std::vector<std::string_view>> run() {
    if (!fits(0, 0)) return std::nullopt;
    return stars_;
  }

 private:
  bool fits(std::size_t piece, std::size_t at) {
    if (piece == pieces_.size()) return at == name_.size();
    const std::size_t place = piece * (name_.size() + 1) + at;
    if (failed_[place]) return false;
    const bool out = fits_here(pieces_[piece], piece, at);
    failed_[place] = !out;
    return out;
  }

  bool fits_here(const Piece& own, std::size_t piece, std::size_t at) {
    if (own.kind == Piece::Kind::text) {
      return name_.substr(at).starts_with(own.text) && fits(piece + 1, at + own.text.size());
    }
    const bool any = own.kind == Piece::Kind::stars;
    for (std::size_t end = any ? at : at + 1; end <= name_.size(); ++end) {
      if (!any && name_[end - 1] == '.') return false;
      stars_.push_back(name_.substr(at, end - at));
      if (fits(piece + 1, end)) return true;
      stars_.pop_back();
    }
    return false;
  }

  const std::string_view name_;
  const std::span<const Piece> pieces_;
  std::vector<bool> failed_;
  std::vector<std::string_view> stars_;
};

std::vector<Piece::Kind> stars_of(std::span<const Piece> pieces) {
  std::vector<Piece::Kind> out;
  for (const Piece& piece : pieces) {
    if (piece.kind != Piece::Kind::text) out.push_back(piece.kind);
  }
  return out;
}

struct Rule {
  const Renaming* renaming;
  std::vector<Piece> from;
  std::vector<Piece> to;

  Rule(const Renaming& given, Location where)
      : renaming(&given), from(pieces_of(given.from)), to(pieces_of(given.to)) {
    if (given.to.empty() || stars_of(from) == stars_of(to)) return;
    throw UsageError("renamed: '" + given.to + "' should have the stars of '" + given.from +
                         "', in the same order",
                     where);
  }

  std::string new_name(std::span<const std::string_view> stars) const {
    std::string out;
    std::size_t next = 0;
    for (const Piece& piece : to) {
      out += piece.kind == Piece::Kind::text ? piece.text : stars[next++];
    }
    return out;
  }
};

Tensor transposed(const std::string& name, const Tensor& tensor, Location where) {
  tensor.state(where);  // throws if there is no value
  const int rank = tensor.rank();
  if (rank < 2) {
    throw UsageError("renamed: '" + name + "', " + tensor.state(where)->type.text() +
                         ", has no two axes to exchange",
                     where);
  }
  std::vector<std::int64_t> permutation(static_cast<std::size_t>(rank));
  std::iota(permutation.begin(), permutation.end(), std::int64_t{0});
  std::swap(permutation.end()[-1], permutation.end()[-2]);
  return transpose(Operand(tensor, where), permutation);
}

// A few of many lines.
std::string listed(const std::vector<std::string>& all) {
  constexpr std::size_t kMost = 8;
  std::string out;
  for (std::size_t i = 0; i < std::min(all.size(), kMost); ++i) {
    out += (i == 0 ? "" : ", ") + all[i];
  }
  if (all.size() > kMost) out += " and " + std::to_string(all.size() - kMost) + " more";
  return out;
}

std::string plain_text(const ir::Type& type) {
  return std::string(name_of(type.dtype)) + type.shape.text();
}

}  // namespace

TensorMap renamed(const TensorMap& tensors, const std::vector<Renaming>& rules,
                  std::source_location at) {
  std::vector<Rule> parsed;
  for (const Renaming& renaming : rules) parsed.emplace_back(renaming, at);
  TensorMap out;
  std::map<std::string, std::string> before;
  for (const auto& [name, tensor] : tensors) {
    std::optional<std::vector<std::string_view>> stars;
    const auto rule = std::ranges::find_if(parsed, [&](const Rule& each) {
      stars = Fit(name, each.from).run();
      return stars.has_value();
    });
    const bool found = rule != parsed.end();
    if (found && rule->to.empty()) continue;
    const std::string now = found ? rule->new_name(*stars) : name;
    const auto [known, is_new] = before.emplace(now, name);
    if (!is_new) {
      throw UsageError(
          "renamed: '" + known->second + "' and '" + name + "' would both be called '" + now + "'",
          at);
    }
    out.emplace(now, found && rule->renaming->transpose ? transposed(name, tensor, at) : tensor);
  }
  return out;
}

void detail::require_name(const std::string& path, Location where) {
  if (!path.empty()) return;
  throw UsageError(
      "a tensor alone has no name in a file; TensorMap{{\"x\", x}} is a tree that has one", where);
}

std::map<std::string, detail::WantedTensor> detail::wanted_tensors(TreeRef like, Location where) {
  for (const NamedText& own : fixed_texts_of(like)) {
    if (!own.text.empty()) continue;
    throw UsageError(quoted_path(own.path, "the tree") +
                         " is a distributed tensor without a value, so that nothing says how it is "
                         "placed; give it one that is placed like it, of zeros, say",
                     where);
  }
  std::map<std::string, WantedTensor> out;
  walk_named_tree(like, [&](const std::string& path, const TreeLeaf& leaf) {
    if (!leaf.is_tensor()) return;
    require_name(path, where);
    WantedTensor wanted{.type = {}, .any = !leaf.has_value()};
    if (!wanted.any) wanted.type = leaf.as_tensor().state()->type;
    if (out.emplace(path, wanted).second) return;
    throw UsageError("two tensors of the tree are both called '" + path + "'", where);
  });
  return out;
}

void detail::check_tensors(const std::map<std::string, WantedTensor>& wanted,
                           const std::map<std::string, ir::Type>& there, bool cast,
                           const std::string& given, Location where) {
  std::vector<std::string> missing;
  std::vector<std::string> extra;
  std::vector<std::string> other;
  bool only_dtypes = !cast;
  for (const auto& [name, want] : wanted) {
    const auto found = there.find(name);
    if (found == there.end()) {
      missing.push_back("'" + name + "'" + (want.any ? "" : " " + plain_text(want.type)));
      continue;
    }
    const ir::Type& type = found->second;
    const bool same_shape = type.shape == want.type.shape;
    if (want.any || (same_shape && (cast || type.dtype == want.type.dtype))) continue;
    only_dtypes = only_dtypes && same_shape;
    other.push_back("'" + name + "' is " + plain_text(type) + " and not " + plain_text(want.type));
  }
  for (const auto& [name, type] : there) {
    if (!wanted.contains(name)) extra.push_back("'" + name + "' " + plain_text(type));
  }
  std::string text;
  const auto add = [&](const std::string& what, const std::vector<std::string>& names) {
    if (!names.empty()) text += "; " + what + listed(names);
  };
  add("missing: ", missing);
  add("not in the tree: ", extra);
  add("of another type: ", other);
  if (text.empty()) return;
  if (!extra.empty() && missing.empty() && other.empty()) {
    text +=
        "; a part is taken by with_tensors(tree, renamed(tensors, rules)), where rules without "
        "a new name leave the rest out";
  }
  if (!other.empty() && only_dtypes) text += "; with the option cast dtypes are converted";
  throw UsageError(given + " does not fit the tree" + text, where);
}

void detail::assign_tensors(TreeRef tree, const TensorMap& tensors, Location where) {
  walk_named_tree(tree, [&](const std::string& path, const TreeLeaf& leaf) {
    if (!leaf.is_tensor()) return;
    const Tensor& tensor = tensors.at(path);
    const DType dtype = leaf.has_value() ? leaf.as_tensor().dtype() : tensor.dtype();
    leaf.assign(dtype == tensor.dtype() ? tensor : cast(Operand(tensor, where), dtype));
  });
}

void detail::fill_tree(TreeRef tree, const TensorMap& tensors, bool cast, Location where) {
  std::map<std::string, ir::Type> there;
  for (const auto& [name, tensor] : tensors) there.emplace(name, tensor.state(where)->type);
  check_tensors(wanted_tensors(tree, where), there, cast, "the map of tensors", where);
  assign_tensors(tree, tensors, where);
}

}  // namespace tutti
