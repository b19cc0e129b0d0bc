#pragma once

#include <tutti/lazy/context.h>
#include <tutti/tutti.h>

#include <source_location>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

// What the tests of the front end share.
namespace tutti::test {

using Floats = std::vector<float>;

inline constexpr unsigned kHere = 0;       // the lines of the call of expect_error
inline constexpr unsigned kNowhere = ~0U;  // an error that knows no line

// Calls f, which must throw an E whose message holds every one of `parts` and begins with this file
// and a line: that of the call, or a given one (or one of the two after it, where a statement is
// long).
template <class E, class F>
void expect_error(F&& f, const std::vector<std::string>& parts, unsigned line = kHere,
                  std::source_location at = std::source_location::current()) {
  SCOPED_TRACE("line " + std::to_string(at.line()));
  constexpr unsigned kLongStatement = 2;
  try {
    f();
    ADD_FAILURE() << "nothing was thrown";
  } catch (const E& error) {
    for (const std::string& part : parts) EXPECT_THAT(error.what(), testing::HasSubstr(part));
    if (line == kNowhere) return;
    const unsigned first = line == kHere ? at.line() : line;
    EXPECT_GE(error.where().line(), first) << error.what();
    EXPECT_LE(error.where().line(), first + kLongStatement) << error.what();
    EXPECT_THAT(error.what(), testing::StartsWith(error.where().text() + ": "));
    EXPECT_EQ(error.where().file(), at.file_name());
  } catch (const std::exception& error) {
    ADD_FAILURE() << "another type of exception: " << error.what();
  }
}

// While it lives: the functions that the calling thread's rank compiles, as traced.
class CompiledGraphs {
 public:
  CompiledGraphs() : options_(detail::RankContext::current().compile_options) {
    detail::RankContext::current().compile_options.on_stage = [this](std::string_view stage,
                                                                     const ir::Graph& graph) {
      if (stage == "trace") graphs_.push_back(graph);
    };
  }
  CompiledGraphs(const CompiledGraphs&) = delete;
  CompiledGraphs& operator=(const CompiledGraphs&) = delete;
  ~CompiledGraphs() { detail::RankContext::current().compile_options = options_; }

  std::size_t count() const { return graphs_.size(); }
  const ir::Graph& last() const { return graphs_.back(); }
  // How often an op occurs in all of them.
  std::int64_t count(ir::Op op) const {
    std::int64_t out = 0;
    for (const ir::Graph& graph : graphs_) {
      for (ir::NodeId id = 0; id < graph.node_count(); ++id) out += graph.node(id).op == op ? 1 : 0;
    }
    return out;
  }

 private:
  codegen::CompileOptions options_;
  std::vector<ir::Graph> graphs_;
};

inline bool computed(const Tensor& tensor) { return tensor.state()->is_data(); }

}  // namespace tutti::test
