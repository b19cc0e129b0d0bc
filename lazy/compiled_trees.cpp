// Arguments and results of compiled functions, which are trees.

#include <tutti/ir/support/error.h>
#include <tutti/lazy/async_views.h>
#include <tutti/lazy/compiled_program.h>
#include <tutti/lazy/context.h>
#include <tutti/lazy/scalar_tag.h>

#include <algorithm>
#include <bit>
#include <cstring>

namespace tutti::detail {

namespace {

template <class T>
T& at(const TreeLeaf& leaf) {
  return *static_cast<T*>(leaf.place);
}

bool is_single(const TreeLeaf& leaf) { return leaf.type->bytes == sizeof(float); }

// A float, double or long double.
double number(const TreeLeaf& leaf) {
  if (is_single(leaf)) return at<float>(leaf);
  if (leaf.type->bytes == sizeof(double)) return at<double>(leaf);
  return static_cast<double>(at<long double>(leaf));
}

void set_number(const TreeLeaf& leaf, double value) {
  if (is_single(leaf)) {
    at<float>(leaf) = static_cast<float>(value);
  } else if (leaf.type->bytes == sizeof(double)) {
    at<double>(leaf) = value;
  } else {
    at<long double>(leaf) = value;
  }
}

void set_placeholder(const TreeLeaf& leaf, int argument) {
  if (is_single(leaf)) {
    at<float>(leaf) = ScalarTag::of_float(argument);  // its very bits
  } else if (leaf.type->bytes == sizeof(double)) {
    at<double>(leaf) = ScalarTag::of_double(argument);
  } else {
    at<long double>(leaf) = ScalarTag::of_double(argument);
  }
}

// Of a float its own: as a double it would be a number that C++ has computed.
std::uint64_t bits_of(const TreeLeaf& leaf) {
  return is_single(leaf) ? std::bit_cast<std::uint32_t>(at<float>(leaf))
                         : std::bit_cast<std::uint64_t>(number(leaf));
}

// The argument that a number stands for in the function being compiled; -1 for an ordinary one.
int placeholder_number(const TreeLeaf& leaf) {
  bool& tampered = RankContext::current().trace().root().scalar_tampered;
  return ScalarTag::argument_of(bits_of(leaf), is_single(leaf), tampered).value_or(-1);
}

// With its sign in the bits above it.
std::uint64_t integer(const TreeLeaf& leaf) {
  std::uint64_t value = 0;
  std::memcpy(&value, leaf.place, leaf.type->bytes);
  const int unused = 64 - 8 * leaf.type->bytes;
  if (!leaf.type->is_signed) return value;
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(value << unused) >> unused);
}

std::string static_text(const TreeLeaf& leaf) {
  if (leaf.kind == TreeKind::text) return "\"" + leaf.text() + "\"";
  const std::uint64_t value = integer(leaf);
  return leaf.type->is_signed ? std::to_string(static_cast<std::int64_t>(value))
                              : std::to_string(value);
}

void add_text(std::string_view text, std::vector<std::uint64_t>& key) {
  key.push_back(text.size());
  for (std::size_t i = 0; i < text.size(); i += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data() + i, std::min(sizeof(word), text.size() - i));
    key.push_back(word);
  }
}

// What is neither a tensor nor a floating-point number.
void add_static(const TreeLeaf& leaf, std::vector<std::uint64_t>& key) {
  if (leaf.kind == TreeKind::size) {
    key.push_back(leaf.size_value);
  } else if (leaf.kind == TreeKind::key) {
    add_text(leaf.key_value, key);
  } else if (leaf.kind == TreeKind::text) {
    add_text(leaf.text(), key);
  } else {
    key.push_back(integer(leaf));
  }
}

CompiledFunction::Names names_of(TreeRef formal) {
  CompiledFunction::Names out;
  walk_named_tree(formal, [&](const std::string& name, const TreeLeaf& leaf) {
    if (leaf.is_tensor()) {
      out.tensors.push_back(name);
    } else if (leaf.kind == TreeKind::size) {
      out.statics.push_back(name + " has " + std::to_string(leaf.size_value) + " elements");
    } else if (leaf.kind == TreeKind::key) {
      out.statics.push_back(name + " has a key \"" + std::string(leaf.key_value) + "\"");
    } else if (leaf.kind == TreeKind::floating) {
      out.scalars.push_back(name);
    } else {
      out.statics.push_back(name + " = " + static_text(leaf));
    }
  });
  return out;
}

}  // namespace

void CompiledFunction::take(const FormalArguments& formal) {
  arguments_.clear();
  arguments_.key.push_back(formal.type);
  walk_tree(formal.tree, [&](const std::string&, const TreeLeaf& leaf) {
    if (leaf.is_tensor() && !leaf.has_value()) {
      fail_without_value(formal.tree, arguments_.tensors.size(), "argument ",
                         formal.where.known() ? formal.where : where_);
    }
    if (leaf.kind == TreeKind::tensor) {
      arguments_.tensors.push_back(leaf.tensor().state());
      leaf.tensor() = {};
    } else if (leaf.kind == TreeKind::async_tensor) {
      arguments_.tensors.push_back(leaf.async_tensor().state());
      leaf.async_tensor() = {};
    } else if (leaf.kind == TreeKind::floating) {
      arguments_.scalars.push_back({number(leaf), is_single(leaf)});
    } else {
      add_static(leaf, arguments_.key);
    }
  });
}

void CompiledFunction::set(TreeRef formal, const std::vector<StatePtr>& tensors,
                           bool tagged) const {
  std::size_t tensor = 0;
  std::size_t scalar = 0;
  walk_tree(formal, [&](const std::string&, const TreeLeaf& leaf) {
    if (leaf.kind == TreeKind::tensor) {
      leaf.tensor() = Tensor(tensors[tensor++]);
    } else if (leaf.kind == TreeKind::async_tensor) {
      leaf.async_tensor() = AsyncTensor(tensors[tensor++]);
    } else if (leaf.kind == TreeKind::floating) {
      if (tagged) {
        set_placeholder(leaf, static_cast<int>(scalar));
      } else {
        set_number(leaf, arguments_.scalars[scalar].value);
      }
      ++scalar;
    }
  });
}

// A view of what is under way is made by the caller: in the program it would have to wait. Where
// sizes vary it stays in the program, since the caller's has fixed ones.
StatePtr CompiledFunction::state_of(const AsyncTensor& leaf,
                                    std::vector<std::shared_ptr<Deferred>>* views) const {
  std::shared_ptr<Deferred> own = marks_ == nullptr ? AsyncViews::of(leaf) : nullptr;
  StatePtr out = own != nullptr ? leaf.collective() : leaf.state();
  if (views != nullptr) views->push_back(std::move(own));
  return out;
}

std::vector<StatePtr> CompiledFunction::take_result(OwnedTree result, bool tagged) {
  std::vector<StatePtr> states;
  std::vector<int> numbers;
  std::vector<std::shared_ptr<Deferred>> views;
  check_values(result.tree, "result ", called_at_);
  walk_tree(result.tree, [&](const std::string&, const TreeLeaf& leaf) {
    if (leaf.kind == TreeKind::tensor) states.push_back(leaf.tensor().state());
    if (leaf.kind == TreeKind::async_tensor)
      states.push_back(state_of(leaf.async_tensor(), &views));
    if (leaf.kind == TreeKind::floating) {
      numbers.push_back(tagged ? placeholder_number(leaf) : -1);
    }
  });
  clear_tensors(result.tree);
  check_statics(result.tree);
  form_ = {std::move(result), std::move(numbers), std::move(views)};
  return states;
}

void CompiledFunction::check_statics(TreeRef result) {
  std::vector<std::uint64_t> statics;
  walk_named_tree(result, [&](const std::string& name, const TreeLeaf& leaf) {
    if (leaf.is_tensor()) return;
    if (leaf.kind == TreeKind::floating) {
      statics.push_back(bits_of(leaf));
    } else {
      add_static(leaf, statics);
    }
    if (sample_ == 0) return;
    const std::size_t last = statics.size() - 1;
    if (last < statics_.size() && statics_[last] == statics[last]) return;
    throw UsageError("the result " + name +
                         ", which is no tensor, differs for other sizes; only tensors may depend "
                         "on sizes that vary",
                     where_);
  });
  statics_ = std::move(statics);
}

void CompiledFunction::lower(const FormalArguments& formal, UserFunction f) {
  struct End {
    CompiledFunction& function;
    ~End() { function.arguments_.tensors.clear(); }
  } const end{*this};
  last_ = &find_or_trace(
      RankContext::current(), [&] { return names_of(formal.tree); },
      [&](const std::vector<StatePtr>& tensors, bool tagged) {
        set(formal.tree, tensors, tagged);
        const OwnedTree result = f();
        check_values(result.tree, "result ", where_);
        std::vector<StatePtr> states;
        walk_tree(result.tree, [&](const std::string&, const TreeLeaf& leaf) {
          if (leaf.kind == TreeKind::tensor) {
            states.push_back(leaf.tensor().state());
          } else if (leaf.kind == TreeKind::async_tensor) {
            states.push_back(state_of(leaf.async_tensor(), nullptr));
          }
        });
        return states;
      });
}

TreeRef CompiledFunction::call(const FormalArguments& formal, UserFunction f) {
  RankContext& context = RankContext::current();
  const Location called_at = formal.where.known() ? formal.where : where_;
  check_owner(context, called_at);  // nothing is written before: another rank may be calling
  context.check_idle(called_at);
  if (busy_) {
    throw UsageError(
        "a compiled function is called by code that releases memory in another call of it; keep "
        "what it needs and call it later",
        called_at);
  }
  const RaisedFlag busy(busy_);
  called_at_ = called_at;
  take(formal);
  run_program(
      context, [&] { return names_of(formal.tree); },
      [&](const std::vector<StatePtr>& tensors, bool tagged) {
        set(formal.tree, tensors, tagged);
        return take_result(f(), tagged);
      });
  return last_->form.tree.tree;
}

void CompiledFunction::fill(TreeRef result) {
  const std::vector<int>& arguments = last_->form.numbers;
  const std::vector<std::shared_ptr<Deferred>>& views = last_->form.views;
  std::size_t async = 0;
  std::size_t tensor = 0;
  std::size_t scalar = 0;
  walk_tree(result, [&](const std::string&, const TreeLeaf& leaf) {
    if (leaf.kind == TreeKind::tensor) {
      leaf.tensor() = Tensor(std::move(results_[tensor++]));
    } else if (leaf.kind == TreeKind::async_tensor) {
      leaf.async_tensor() = AsyncViews::again(std::move(results_[tensor++]), views[async++]);
    } else if (leaf.kind == TreeKind::floating) {
      const int argument = arguments[scalar++];
      if (argument < 0) return;
      set_number(leaf, arguments_.scalars[static_cast<std::size_t>(argument)].value);
    }
  });
}

}  // namespace tutti::detail
