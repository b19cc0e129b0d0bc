#pragma once

#include <tutti/lazy/trace.h>
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

// Calls f, which must throw an E whose message holds every one of `parts`. With a line, the message
// must begin with this file and that line.
template <class E, class F>
void expect_error(F&& f, const std::vector<std::string>& parts, unsigned line = 0,
                  std::source_location at = std::source_location::current()) {
  SCOPED_TRACE("line " + std::to_string(at.line()));
  try {
    f();
    ADD_FAILURE() << "nothing was thrown";
  } catch (const E& error) {
    for (const std::string& part : parts) EXPECT_THAT(error.what(), testing::HasSubstr(part));
    if (line != 0) {
      EXPECT_EQ(error.where().line(), line) << error.what();
      EXPECT_THAT(error.what(), testing::HasSubstr(Location(at.file_name(), line).text() + ": "));
    }
  } catch (const std::exception& error) {
    ADD_FAILURE() << "another type of exception: " << error.what();
  }
}

// While it lives: the functions that the calling thread's rank compiles, as traced.
class CompiledGraphs {
 public:
  CompiledGraphs() : options_(detail::RankContext::current().compile_options) {
    detail::RankContext::current().compile_options.on_stage =
        [this](std::string_view stage, const ir::Graph& graph) {
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
