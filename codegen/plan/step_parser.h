#pragma once

#include <tutti/codegen/plan/plan.h>
#include <tutti/ir/text/lexer.h>
#include <tutti/ir/text/parse_group.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tutti::codegen {

// Reads the steps of a plan's text into a plan that has their buffers already, and is what the
// steps read their own text with.
class StepParser {
 public:
  StepParser(ir::Lexer& lexer, const ir::GroupParser& groups, Plan& plan)
      : lexer_(lexer), groups_(groups), plan_(plan) {}

  // 3: free b2
  void read();
  // Completes all steps, once the kernels are there.
  void finish();

  ir::Lexer& lexer() { return lexer_; }
  const ir::GroupParser& groups() const { return groups_; }
  Plan& plan() { return plan_; }
  // Has f called by finish(): the kernels come later in the text.
  void when_finished(std::function<void()> f) { at_end_.push_back(std::move(f)); }

  // The buffer that a token names, the next one, and all that come.
  BufferId buffer(const ir::Token& token) const;
  BufferId next_buffer();
  std::vector<BufferId> buffers(bool in_parentheses);
  // The collective that comes next, as in w0, which has started; and one that starts.
  int work();
  int new_work();
  // What waits for the collective of a number, which has started.
  const CollectiveWait& wait_of(int work) const { return waits_[at(work)]; }
  void add_wait(CollectiveWait wait) { waits_.push_back(std::move(wait)); }
  // A number of 0 or more whose double still fits in 64 bits, and with the word `bytes` behind it.
  std::int64_t number(std::string_view what);
  std::int64_t bytes();
  // A number from `least` on that fits in 32 bits.
  int small(std::string_view what, int least);
  // [0, 2]: calls of the traced program.
  std::vector<ir::CallId> calls();
  // 0x7f
  std::uint64_t hexadecimal();
  // [17, 18]: two hashes of 32 bits, the first not 0, of what `what` says.
  std::pair<std::uint32_t, std::uint32_t> hashes(std::string_view what);
  std::string name(std::string_view what);
  // k0, and the kernel of a number once all are read.
  int kernel_number();
  const Kernel& kernel(int number, std::size_t offset) const;
  // r0 @body, a region above.
  int region();
  ir::GroupPtr group();
  // Of what was read last.
  Location location() const;
  // { name = value, ... }: calls f(name) after every '='.
  template <class F>
  void attributes(F&& f);

 private:
  ir::Lexer& lexer_;
  const ir::GroupParser& groups_;
  Plan& plan_;
  std::vector<std::function<void()>> at_end_;
  std::vector<CollectiveWait> waits_;  // by work
};

template <class F>
void StepParser::attributes(F&& f) {
  if (!lexer_.accept("{")) return;
  do {
    const ir::Token name = lexer_.expect(ir::Token::Kind::word, "the name of an attribute");
    lexer_.expect("=", "after the name of an attribute");
    f(name);
  } while (lexer_.accept(","));
  lexer_.expect("}", "or ',' after an attribute");
}

}  // namespace tutti::codegen
