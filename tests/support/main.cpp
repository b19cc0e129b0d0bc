// The main of the test programs. Whatever programs and plans a test builds are printed, read back
// and compared (codegen/driver/verify_text.h): one whose text does not say all of it fails the
// test. Those that are as long as only tests of time and memory make them say nothing new, and are
// passed by.

#include <tutti/codegen/driver/verify_text.h>
#include <tutti/codegen/plan/test_hook.h>
#include <tutti/ir/support/hash.h>
#include <tutti/ir/test_hook.h>
#include <tutti/runtime/settings.h>

#include <cstddef>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <new>
#include <string>
#include <unordered_set>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tutti {

namespace {

constexpr std::size_t kMostNodes = 10'000;  // nodes or steps

template <class Program>
bool expect_round_trip(const Program& program) {
  try {
    codegen::verify_text(program);
    return true;
  } catch (const std::bad_alloc&) {
    throw;  // a test that takes the memory away
  } catch (const std::exception& error) {
    ADD_FAILURE() << error.what();
    return false;
  }
}

void add(Hasher& hasher, const ir::Sharding& sharding) {
  hasher.add(sharding.size());
  for (const std::vector<std::string>& names : sharding) {
    hasher.add(names.size());
    for (const std::string& name : names) hasher.add(name);
  }
}

// Of all that the text shows.
Hash128 hash_of(const ir::Graph& graph) {
  Hasher hasher;
  hasher.add(structural_hash(graph)).add(graph.name);
  for (const ir::Parameter& parameter : graph.parameters()) {
    hasher.add(parameter.name);
    add(hasher, parameter.sharding);
  }
  for (std::size_t i = 0; i < graph.results().size(); ++i) add(hasher, graph.result_sharding(i));
  for (ir::NodeId id = 0; id < graph.node_count(); ++id) {
    hasher.add(graph.node(id).location.file()).add(graph.node(id).location.line());
  }
  return hasher.finish();
}

// The programs that were looked at: tests verify, run and interpret the same one many times, on the
// threads of many ranks.
class Seen {
 public:
  // Whether this is the first time.
  bool add(const Hash128& program) {
    const std::lock_guard lock(mutex_);
    return programs_.insert(program).second;
  }
  // Every test that meets it is to fail.
  void forget(const Hash128& program) {
    const std::lock_guard lock(mutex_);
    programs_.erase(program);
  }

 private:
  std::mutex mutex_;
  std::unordered_set<Hash128, Hash128Hasher> programs_;
};

}  // namespace

void ir::test_hook(const Graph& graph) {
  static Seen seen;
  if (graph.node_count() > kMostNodes) return;
  const Hash128 hash = hash_of(graph);
  if (seen.add(hash) && !expect_round_trip(graph)) seen.forget(hash);
}

void codegen::test_hook(const Plan& plan) {
  if (plan.steps.size() <= kMostNodes) expect_round_trip(plan);
}

}  // namespace tutti

int main(int count, char** words) {
  testing::InitGoogleMock(&count, words);
  // Tests of kernels ask for no settings.
  tutti::runtime::limit_instructions(
      tutti::runtime::Settings([](const char* name) { return std::getenv(name); }));
  return RUN_ALL_TESTS();
}
