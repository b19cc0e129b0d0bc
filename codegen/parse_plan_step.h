#pragma once

#include <tutti/codegen/plan.h>
#include <tutti/ir/lexer.h>
#include <tutti/ir/parse_group.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string_view>
#include <vector>

namespace tutti::codegen {

// Reads the steps of a plan's text into a plan that has their buffers already. The kernels come
// later in the text; only they say which of its buffers a launch reads and which it writes, so
// launches are completed when all is read.
class StepParser {
 public:
  // `functions` are those of the text above, by number; the plan gets what its steps run.
  StepParser(ir::Lexer& lexer, const ir::GroupParser& groups,
             const std::vector<std::shared_ptr<Plan>>& functions, Plan& plan)
      : lexer_(lexer), groups_(groups), functions_(functions), plan_(plan) {}

  // 3: free b2
  void read();
  // Completes all steps, once the kernels are there.
  void finish();

  // The buffer that a token names.
  BufferId buffer(const ir::Token& token) const;
  // The collective that comes next, as in w0, which has started.
  int work();
  // A number of 0 or more whose double still fits in 64 bits, and with the word `bytes` behind it.
  std::int64_t number(std::string_view what);
  std::int64_t bytes();
  // A number from `least` on that fits in 32 bits.
  int small(std::string_view what, int least);

 private:
  // What a launch's text says of its buffers.
  struct Pending {
    std::size_t step = 0;
    std::size_t part = 0;
    std::size_t offset = 0;  // in the text
    std::vector<BufferId> read;
    std::vector<BufferId> written;
  };

  BufferId next_buffer();
  std::vector<BufferId> buffers(bool in_parentheses);
  std::string name(std::string_view what);
  int kernel_number();
  Location location() const;

  Launch launch();
  LaunchPart part(Device& device);
  void field(LaunchPart& part, const ir::Token& name);
  Copy copy();
  void place(BufferId id);
  CollectiveStart start();
  void field(CollectiveStart& start, const ir::Token& name);
  void tensors(runtime::CollectiveCall& call);
  Control control();
  void field(Control& control, const ir::Token& name);
  int function();
  std::uint64_t hexadecimal();
  // { name = value, ... }: calls f(name) after every '='.
  template <class F>
  void attributes(F&& f);

  void complete(const Pending& pending);
  const Kernel& kernel(int number, std::size_t offset) const;

  ir::Lexer& lexer_;
  const ir::GroupParser& groups_;
  const std::vector<std::shared_ptr<Plan>>& functions_;
  Plan& plan_;
  std::vector<Pending> pending_;
  std::map<int, int> places_;  // of functions in the plan, by their numbers in the text
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
