#include <tutti/codegen/kernel/parse_kernel.h>
#include <tutti/codegen/plan/parse_plan.h>
#include <tutti/codegen/plan/step_parser.h>
#include <tutti/ir/function.h>
#include <tutti/ir/literal.h>
#include <tutti/ir/type_text.h>
#include <tutti/ir/version_line.h>

#include <algorithm>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

namespace tutti::codegen {

namespace {

using ir::Token;

// One kernel may stand under many numbers; so many instructions may be copied for that.
constexpr std::size_t kMostCopied = std::size_t{1} << 21;

// What the plans of one text share.
struct ParsedFile {
  explicit ParsedFile(ir::Lexer& lexer) : groups(lexer) {}

  ir::GroupParser groups;
  std::vector<std::shared_ptr<Plan>> functions = {};  // by number
  std::size_t copied = 0;                             // instructions of kernels
};

// Reads one plan with its kernels, after the word `plan`.
class PlanParser {
 public:
  PlanParser(ir::Lexer& lexer, const ir::LoadConstant& load, ParsedFile& file)
      : lexer_(lexer),
        load_(load),
        file_(file),
        groups_(file.groups),
        steps_(lexer, groups_, file.functions, plan_) {}

  Plan run() {
    plan_.mesh = groups_.mesh();
    head();
    while (!lexer_.accept("return")) line();
    results();
    lexer_.expect("}", "or ',' after a result of the plan, which come last");
    number_arguments();
    while (!at_next_plan()) kernel();
    number_kernels();
    steps_.finish();
    return std::move(plan_);
  }

 private:
  // At the end of the text, or before what may follow a plan that is a function.
  bool at_next_plan() const {
    const Token& token = lexer_.peek();
    return token.kind == Token::Kind::end || token.is_word("plan") || token.is_word("mesh") ||
           token.is_word("group") ||
           (token.kind == Token::Kind::word && number_in_name(token.text, 'f') >= 0);
  }

  // @step rank 0 arena 4096 bytes, 1024 bytes on cuda:0 for "sm_90" {
  void head() {
    plan_.name =
        ir::name_in(lexer_, lexer_.expect(Token::Kind::symbol, "the plan's name, as in @step"));
    lexer_.expect("rank", "and the rank that the plan is for");
    plan_.rank = ir::read_integer(lexer_, "the rank that the plan is for");
    lexer_.expect("arena", "and the bytes of the plan's own memory");
    plan_.arena_bytes = steps_.bytes();
    while (lexer_.accept(",")) {
      PlanDevice& device = plan_.devices.emplace_back();
      device.arena_bytes = steps_.bytes();
      lexer_.expect("on", "and the device that has these bytes");
      device.device = ir::read_device(lexer_, false);
      if (lexer_.accept("for")) {
        device.target = ir::read_text(lexer_, "what code is compiled for, as in \"sm_90\"");
      }
    }
    lexer_.expect("{", "before the body of the plan");
  }

  void line() {
    const Token token = lexer_.peek();
    if (token.kind == Token::Kind::number) {
      steps_.read();
    } else if (token.kind == Token::Kind::word && number_in_name(token.text, 'b') >= 0) {
      lexer_.take();
      if (lexer_.accept("=")) {
        buffer(token);
      } else {
        donation(token);
      }
    } else {
      lexer_.fail_expected("a buffer, as in 'b0 = comm', a step, as in '0: wait w0', or 'return'");
    }
  }

  // b2 = local at 4096, 1024 bytes on cuda:0, steps 2..6
  void buffer(const Token& name) {
    const std::size_t number = plan_.buffers.size();
    if (number_in_name(name.text, 'b') != static_cast<int>(number)) {
      lexer_.fail(name.offset,
                  "buffers are numbered in order; the next is b" + std::to_string(number));
    }
    PlanBuffer& buffer = plan_.buffers.emplace_back();
    const Token kind = lexer_.expect(Token::Kind::word, "the kind of a buffer");
    if (kind.text == "input") {
      buffer.kind = PlanBuffer::Kind::input;
      buffer.index = index("the number of an argument");
      const Token at = lexer_.peek();
      const ir::Type type = ir::read_type(lexer_, groups_, true).type;
      add(inputs_, buffer.index, type, at, "argument");
    } else if (kind.text == "constant") {
      buffer.kind = PlanBuffer::Kind::constant;
      buffer.index = index("the number of a constant");
      const Token at = lexer_.peek();
      add(constants_, buffer.index,
          std::make_shared<const ir::Array>(ir::read_array(lexer_, load_)), at, "constant");
    } else if (kind.text == "local") {
      lexer_.expect("at", "and the place in the arena");
      buffer.offset = steps_.number("an offset in bytes");
    } else if (kind.text == "comm") {
      buffer.kind = PlanBuffer::Kind::comm;
    } else if (kind.text == "owned") {
      buffer.kind = PlanBuffer::Kind::owned;
    } else if (kind.text == "output") {
      buffer.kind = PlanBuffer::Kind::output;
    } else {
      lexer_.fail(kind.offset, "a buffer is an input, constant, local, comm, owned or output");
    }
    lexer_.expect(",", "and the bytes of a buffer");
    buffer.bytes = steps_.bytes();
    if (lexer_.accept("on")) buffer.device = ir::read_device(lexer_, false);
    if (lexer_.accept(",")) life(buffer);
  }

  // steps 2..6, or until step 6
  void life(PlanBuffer& buffer) {
    if (lexer_.accept("until")) {
      lexer_.expect("step", "after 'until'");
    } else {
      lexer_.expect("steps", "or 'until step' after a buffer");
      buffer.defined_at = steps_.small("the step that writes a buffer first", 0);
      lexer_.expect("..", "and the step that uses a buffer last");
    }
    buffer.last_use = steps_.small("the step that uses a buffer last", -1);
  }

  int index(std::string_view what) {
    const int out = steps_.small(what, 0);
    lexer_.expect(":", "after " + std::string(what));
    return out;
  }

  template <class T>
  void add(std::map<int, T>& to, int index, T value, const Token& at, const std::string& what) {
    if (to.emplace(index, std::move(value)).second) return;
    lexer_.fail(at.offset, what + " " + std::to_string(index) + " has a buffer already");
  }

  // b5 may take over input 0
  void donation(const Token& name) {
    Donation donation;
    donation.buffer = steps_.buffer(name);
    lexer_.expect("may", "or '=' after the name of a buffer");
    lexer_.expect("take", "after 'may'");
    lexer_.expect("over", "after 'take'");
    lexer_.expect("input", "after 'over'");
    const std::size_t offset = lexer_.peek().offset;
    donation.input = steps_.small("the number of an argument", 0);
    if (!inputs_.contains(donation.input)) {
      lexer_.fail(offset, "there is no input " + std::to_string(donation.input));
    }
    plan_.donations.push_back(donation);
  }

  void results() {
    if (lexer_.peek().kind != Token::Kind::word) return;
    do {
      PlanResult result;
      result.buffer = steps_.buffer(lexer_.expect(Token::Kind::word, "a buffer, as in b0"));
      lexer_.expect(":", "and the type of a result");
      result.type = ir::read_type(lexer_, groups_, true).type;
      if (lexer_.accept("of")) result.work = steps_.work();
      plan_.results.push_back(result);
    } while (lexer_.accept(","));
  }

  void number_arguments() {
    for (auto& [index, type] : inputs_) {
      require_next(index, plan_.inputs.size(), "argument");
      plan_.inputs.push_back(type);
    }
    for (auto& [index, array] : constants_) {
      require_next(index, plan_.constants.size(), "constant");
      plan_.constants.push_back(std::move(array));
    }
  }
  void require_next(int index, std::size_t next, const std::string& what) const {
    if (index == static_cast<int>(next)) return;
    lexer_.fail(lexer_.peek().offset, "no buffer above has " + what + " " + std::to_string(next) +
                                          ", but one has " + std::to_string(index));
  }

  // k0, k3 = kernel ...
  void kernel() {
    std::vector<int> numbers;
    do {
      const Token token = lexer_.peek();
      const int number = token.kind == Token::Kind::word ? number_in_name(token.text, 'k') : -1;
      if (number < 0) lexer_.fail_expected("a kernel's number, as in k0, or the end");
      lexer_.take();
      if (!kernels_.try_emplace(number, distinct_.size()).second) {
        lexer_.fail(token.offset, "there are two kernels k" + std::to_string(number));
      }
      numbers.push_back(number);
    } while (lexer_.accept(","));
    lexer_.expect("=", "or ',' after a kernel's number");
    lexer_.expect("kernel", "after '='");
    const std::size_t offset = lexer_.peek().offset;
    distinct_.push_back(read_kernel(lexer_));
    file_.copied += (numbers.size() - 1) * (size_of_kernel(distinct_.back()));
    if (file_.copied > kMostCopied) {
      lexer_.fail(offset, "kernels stand under too many numbers: their copies have at most " +
                              std::to_string(kMostCopied) + " instructions");
    }
  }
  static std::size_t size_of_kernel(const Kernel& kernel) {
    std::size_t size = 1 + kernel.buffers.size();
    for (const Segment& segment : kernel.segments) {
      size += 1 + segment.body.size() + segment.stores.size() + segment.reductions.size();
    }
    return size;
  }

  void number_kernels() {
    for (const auto& [number, place] : kernels_) {
      if (number != static_cast<int>(plan_.kernels.size())) {
        lexer_.fail(lexer_.peek().offset, "there is a kernel k" + std::to_string(number) +
                                              ", but no k" + std::to_string(plan_.kernels.size()));
      }
      plan_.kernels.push_back(distinct_[place]);
    }
  }

  ir::Lexer& lexer_;
  const ir::LoadConstant& load_;
  ParsedFile& file_;
  ir::GroupParser& groups_;
  Plan plan_;
  StepParser steps_;
  std::map<int, ir::Type> inputs_;
  std::map<int, ir::ArrayPtr> constants_;
  std::vector<Kernel> distinct_;
  std::map<int, std::size_t> kernels_;  // by number: the place in `distinct_`
};

// Reads a whole text.
class FileParser {
 public:
  FileParser(ir::Lexer& lexer, const ir::LoadConstant& load)
      : lexer_(lexer), load_(load), file_(lexer) {}

  Plan run() {
    while (!lexer_.accept("plan")) {
      if (lexer_.accept("mesh")) {
        if (!file_.functions.empty()) {
          lexer_.fail(lexer_.peek().offset, "the mesh comes before the plans, which share it");
        }
        file_.groups.mesh_line();
      } else if (lexer_.accept("group")) {
        file_.groups.declaration();
      } else {
        function();
      }
    }
    Plan out = PlanParser(lexer_, load_, file_).run();
    if (lexer_.peek().kind != Token::Kind::end) {
      lexer_.fail_expected("a kernel's number, as in k0, or the end");
    }
    return out;
  }

 private:
  // f0 = plan ...
  void function() {
    const Token token = lexer_.peek();
    const int number = token.kind == Token::Kind::word ? number_in_name(token.text, 'f') : -1;
    if (number < 0) lexer_.fail_expected("'plan', 'group', 'mesh' or a function, as in f0");
    lexer_.take();
    if (number != std::ssize(file_.functions)) {
      lexer_.fail(token.offset, "functions are numbered in order; the next is f" +
                                    std::to_string(file_.functions.size()));
    }
    lexer_.expect("=", "after the number of a function");
    lexer_.expect("plan", "after '='");
    auto plan = std::make_shared<Plan>(PlanParser(lexer_, load_, file_).run());
    int level = 1;
    for (const std::shared_ptr<Plan>& inner : plan->functions) {
      level = std::max(level, 1 + levels_.at(inner.get()));
    }
    if (level > ir::Function::kMostLevels) {
      lexer_.fail(token.offset, "functions are nested at most " +
                                    std::to_string(ir::Function::kMostLevels) + " deep");
    }
    levels_.emplace(plan.get(), level);
    file_.functions.push_back(std::move(plan));
  }

  ir::Lexer& lexer_;
  const ir::LoadConstant& load_;
  ParsedFile file_;
  std::unordered_map<const Plan*, int> levels_;  // how deep functions nest others
};

}  // namespace

Plan parse_plan(std::string_view text, std::string file_name, const ir::LoadConstant& load) {
  ir::Lexer lexer(text, std::move(file_name));
  ir::check_version_line(lexer, text, "tutti plan");
  return FileParser(lexer, load).run();
}

}  // namespace tutti::codegen
