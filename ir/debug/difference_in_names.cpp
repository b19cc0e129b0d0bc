#include <tutti/ir/debug/difference.h>
#include <tutti/ir/debug/difference_text.h>
#include <tutti/ir/function.h>
#include <tutti/ir/symbolic_sizes.h>

#include <set>
#include <utility>

namespace tutti::ir {

namespace {

using namespace difference_text;

std::string differs(const std::string& what, const std::string& in_a, const std::string& in_b) {
  return what + " is " + in_a + " in A and " + in_b + " in B";
}

std::string location_text(Location location) {
  return location.known() ? location.text() : std::string("unknown");
}

class NameComparison {
 public:
  // What the two functions themselves are called is not looked at.
  std::string compare(const Graph& a, const Graph& b) {
    for (std::size_t i = 0; i < a.parameters().size(); ++i) {
      if (a.parameters()[i].name == b.parameters()[i].name) continue;
      return differs("parameter " + std::to_string(i), "%" + a.parameters()[i].name,
                     "%" + b.parameters()[i].name);
    }
    // Each size that varies is in a parameter.
    for (const Parameter& parameter : a.parameters()) {
      const std::string in_a = symbolic_text(a, parameter.value);
      const std::string in_b = symbolic_text(b, parameter.value);
      if (in_a != in_b) return differs("%" + parameter.name, in_a, in_b);
    }
    for (NodeId id = 0; id < a.node_count(); ++id) {
      std::string out = compare(a, b, id);
      if (!out.empty()) return out;
    }
    return "";
  }

 private:
  std::string compare(const Graph& a, const Graph& b, NodeId id) {
    const Node& x = a.node(id);
    const Node& y = b.node(id);
    if (x.location != y.location) {
      return differs("the line of " + right_side(a, id, true), location_text(x.location),
                     location_text(y.location));
    }
    if (x.fusion != y.fusion) {
      return differs("the kernel of " + right_side(a, id, true), std::to_string(x.fusion),
                     std::to_string(y.fusion));
    }
    for (std::size_t i = 0; i < x.attributes.size(); ++i) {
      const auto in_a = functions_of(x.attributes[i]);
      const auto in_b = functions_of(y.attributes[i]);
      for (std::size_t j = 0; j < in_a.size(); ++j) {
        const Graph& of_a = in_a[j]->graph();
        const Graph& of_b = in_b[j]->graph();
        if (of_a.name != of_b.name) {
          return differs(place_of_function(a, id, {.attribute = i, .index = j}), "@" + of_a.name,
                         "@" + of_b.name);
        }
        if (!seen_.emplace(in_a[j].get(), in_b[j].get()).second) continue;
        const std::string inside = compare(of_a, of_b);
        if (!inside.empty()) return "in @" + of_a.name + ": " + inside;
      }
    }
    return "";
  }

  std::set<std::pair<const Function*, const Function*>> seen_;
};

}  // namespace

std::string difference_in_names(const Graph& a, const Graph& b) {
  if (a.name != b.name) return differs("the function", "@" + a.name, "@" + b.name);
  return NameComparison().compare(a, b);
}

}  // namespace tutti::ir
