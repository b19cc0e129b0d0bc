#include <tutti/codegen/kernel/parse_kernel.h>
#include <tutti/codegen/kernel/text_words.h>
#include <tutti/codegen/plan/parse_plan.h>
#include <tutti/codegen/plan/step_parser.h>
#include <tutti/ir/function.h>
#include <tutti/ir/text/literal.h>
#include <tutti/ir/text/type_text.h>
#include <tutti/ir/text/version_line.h>

#include <algorithm>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace tutti::codegen {

namespace {

using ir::Token;

// One kernel may stand under many numbers; so many instructions may be copied for that.
constexpr std::size_t kMostCopied = std::size_t{1} << 21;

// Reads one plan with its kernels.
class PlanParser {
 public:
  PlanParser(ir::Lexer& lexer, const ir::LoadConstant& load)
      : lexer_(lexer), load_(load), groups_(lexer), steps_(lexer, groups_, plan_) {}

  Plan run() {
    while (!lexer_.accept("plan")) {
      if (lexer_.accept("mesh")) {
        groups_.mesh_line();
      } else if (lexer_.accept("group")) {
        groups_.declaration();
      } else {
        lexer_.fail_expected("'plan', 'group' or 'mesh'");
      }
    }
    plan_.mesh = groups_.mesh();
    head();
    while (lexer_.accept("region")) region();
    body();
    plan_.inputs = arguments();
    number_constants();
    while (lexer_.peek().kind != Token::Kind::end) kernel();
    number_kernels();
    steps_.finish();
    return std::move(plan_);
  }

 private:
  // @step rank 0 arena 4096 bytes, 1024 bytes on cuda:0 for "sm_90" {
  void head() {
    plan_.name =
        ir::name_in(lexer_, lexer_.expect(Token::Kind::symbol, "the plan's name, as in @step"));
    lexer_.expect("rank", "and the rank that the plan is for");
    plan_.rank = ir::read_integer(lexer_, "the rank that the plan is for");
    lexer_.expect("arena", "and the bytes of the plan's own memory");
    plan_.arena_bytes = steps_.bytes();
    while (lexer_.accept(",")) {
      const std::int64_t bytes = steps_.bytes();
      if (lexer_.accept("in")) {
        area(bytes);
        continue;
      }
      PlanDevice& device = plan_.devices.emplace_back();
      device.arena_bytes = bytes;
      lexer_.expect("on", "and the device that has these bytes, or 'in' and the group");
      device.device = ir::read_device(lexer_, false);
      if (lexer_.accept("for")) {
        device.target = ir::read_text(lexer_, "what code is compiled for, as in \"sm_90\"");
      }
    }
    lexer_.expect("{", "before the body of the plan");
  }

  // @dp of member 1
  PlanArea area() {
    PlanArea out{.group = steps_.group()};
    if (!lexer_.accept("of")) return out;
    lexer_.expect("member", "whose memory it is");
    const std::size_t offset = lexer_.peek().offset;
    out.member = steps_.small("the place of a member in its group", 0);
    if (out.member >= out.group->size()) {
      lexer_.fail(offset, "the group has " + std::to_string(out.group->size()) + " members");
    }
    return out;
  }

  // 128 bytes in @dp on cuda:0 as [17, 18]
  void area(std::int64_t bytes) {
    const std::size_t offset = lexer_.peek().offset;
    PlanArea area = this->area();
    area.bytes = bytes;
    if (lexer_.accept("on")) area.device = ir::read_device(lexer_, false);
    if (area_of(plan_, *area.group, area.member, area.device) >= 0) {
      lexer_.fail(offset, "this group's memory is said twice");
    }
    if (lexer_.accept("as")) {
      const auto [skeleton, layout] = steps_.hashes("of what is done, and of the places");
      area.placement = {.skeleton = skeleton, .layout = layout};
    }
    plan_.areas.push_back(std::move(area));
  }

  // r0 @body { ... }
  void region() {
    const Token token = lexer_.expect(Token::Kind::word, "a region, as in r0");
    if (number_in_name(token.text, 'r') != std::ssize(plan_.regions)) {
      lexer_.fail(token.offset, "regions are numbered in order; the next is r" +
                                    std::to_string(plan_.regions.size()));
    }
    Region region{.name = ir::name_in(
                      lexer_, lexer_.expect(Token::Kind::symbol, "the region's name, as in @body")),
                  .first_step = static_cast<int>(plan_.steps.size()),
                  .first_buffer = static_cast<BufferId>(plan_.buffers.size())};
    lexer_.expect("{", "before the body of the region");
    region_ = &region;
    body();
    region_ = nullptr;
    region.end_step = static_cast<int>(plan_.steps.size());
    region.end_buffer = static_cast<BufferId>(plan_.buffers.size());
    region.inputs = arguments();
    region.parameters = std::move(parameters_);
    parameters_.clear();
    check_depth(region, token.offset);
    plan_.regions.push_back(std::move(region));
  }

  // Regions enter each other by calls inside each other.
  void check_depth(const Region& region, std::size_t offset) {
    int depth = 1;
    for (int step = region.first_step; step < region.end_step; ++step) {
      const Control* const control = control_of(plan_.steps[at(step)]);
      if (control == nullptr) continue;
      for (const int inner : control->regions) depth = std::max(depth, 1 + depths_[at(inner)]);
    }
    if (depth > ir::Function::kMostLevels) {
      lexer_.fail(offset, "regions are nested at most " +
                              std::to_string(ir::Function::kMostLevels) + " deep");
    }
    depths_.push_back(depth);
  }

  // Up to the end of a plan or region.
  void body() {
    while (!lexer_.accept("return")) line();
    results(region_ != nullptr ? region_->results : plan_.results);
    lexer_.expect("}", "or ',' after a result, which come last");
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
    PlanArea place;  // that a symmetric one lies in
    std::size_t place_offset = 0;
    const Token kind = lexer_.expect(Token::Kind::word, "the kind of a buffer");
    if (region_ == nullptr && (kind.text == "parameter" || kind.text == "result")) {
      lexer_.fail(kind.offset, "only regions have parameters and results of this kind");
    }
    if (region_ != nullptr && (kind.text == "input" || kind.text == "output")) {
      lexer_.fail(kind.offset, "regions have parameters and results, not inputs and outputs");
    }
    if (kind.text == "input" || kind.text == "parameter") {
      buffer.kind = kind.text == "input" ? PlanBuffer::Kind::input : PlanBuffer::Kind::parameter;
      buffer.index = index("the number of an argument");
      if (kind.text == "parameter") {
        if (buffer.index != std::ssize(parameters_)) {
          lexer_.fail(kind.offset, "parameters come in order; the next is parameter " +
                                       std::to_string(parameters_.size()));
        }
        parameters_.push_back(static_cast<BufferId>(number));
      }
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
    } else if (kind.text == "peer") {
      buffer.kind = PlanBuffer::Kind::peer;
      buffer.index = steps_.small("the place of a member in its group", 0);
    } else if (kind.text == "symmetric") {
      buffer.kind = PlanBuffer::Kind::symmetric;
      lexer_.expect("at", "and the place in a group's memory");
      buffer.offset = steps_.number("an offset in bytes");
      lexer_.expect("in", "and the group");
      place_offset = lexer_.peek().offset;
      place = area();
    } else if (kind.text == "comm") {
      buffer.kind = PlanBuffer::Kind::comm;
    } else if (kind.text == "output") {
      buffer.kind = PlanBuffer::Kind::output;
    } else if (kind.text == "result") {
      buffer.kind = PlanBuffer::Kind::result;
    } else {
      lexer_.fail(kind.offset,
                  "a buffer is an input, constant, parameter, local, symmetric, peer, comm, "
                  "output or result");
    }
    lexer_.expect(",", "and the bytes of a buffer");
    buffer.bytes = steps_.bytes();
    if (lexer_.accept("on")) buffer.device = ir::read_device(lexer_, false);
    if (place.group != nullptr) {
      buffer.index = area_of(plan_, *place.group, place.member, buffer.device);
      if (buffer.index < 0) lexer_.fail(place_offset, "the plan's head says nothing of its memory");
    }
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
    const std::string argument = region_ != nullptr ? "parameter" : "input";
    lexer_.expect(argument, "after 'over'");
    const std::size_t offset = lexer_.peek().offset;
    donation.input = steps_.small("the number of an argument", 0);
    if (!inputs_.contains(donation.input)) {
      lexer_.fail(offset, "there is no " + argument + " " + std::to_string(donation.input));
    }
    (region_ != nullptr ? region_->donations : plan_.donations).push_back(donation);
  }

  void results(std::vector<PlanResult>& to) {
    if (lexer_.peek().kind != Token::Kind::word) return;
    do {
      PlanResult result;
      result.buffer = steps_.buffer(lexer_.expect(Token::Kind::word, "a buffer, as in b0"));
      lexer_.expect(":", "and the type of a result");
      result.type = ir::read_type(lexer_, groups_, true).type;
      if (lexer_.accept("of")) result.work = steps_.work();
      to.push_back(result);
    } while (lexer_.accept(","));
  }

  std::vector<ir::Type> arguments() {
    std::vector<ir::Type> out;
    for (auto& [index, type] : inputs_) {
      require_next(index, out.size(), "argument");
      out.push_back(type);
    }
    inputs_.clear();
    return out;
  }
  void number_constants() {
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
    copied_ += (numbers.size() - 1) * size_of_kernel(distinct_.back());
    if (copied_ > kMostCopied) {
      lexer_.fail(offset, "kernels stand under too many numbers: their copies have at most " +
                              std::to_string(kMostCopied) + " instructions");
    }
  }
  // In instructions; what else a kernel may have much of takes no more memory.
  static std::size_t size_of_kernel(const Kernel& kernel) {
    std::size_t size = 1 + kernel.name.size() / sizeof(Instruction) + kernel.buffers.size();
    for (const KernelBuffer& buffer : kernel.buffers) size += buffer.starts.size();
    for (const Segment& segment : kernel.segments) {
      size += 1 + segment.body.size() + segment.stores.size() + segment.reductions.size();
      for (const Instruction& instruction : segment.body) size += instruction.bounds.size();
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
  ir::GroupParser groups_;
  Plan plan_;
  StepParser steps_;
  Region* region_ = nullptr;          // that is being read
  std::vector<int> depths_;           // by region: how deep it nests others
  std::map<int, ir::Type> inputs_;    // of the region, or of the plan
  std::vector<BufferId> parameters_;  // of the region
  std::map<int, ir::ArrayPtr> constants_;
  std::vector<Kernel> distinct_;
  std::map<int, std::size_t> kernels_;  // by number: the place in `distinct_`
  std::size_t copied_ = 0;              // instructions of kernels
};

}  // namespace

Plan parse_plan(std::string_view text, std::string file_name, const ir::LoadConstant& load) {
  ir::Lexer lexer(text, std::move(file_name));
  ir::check_version_line(lexer, text, "tutti plan");
  return PlanParser(lexer, load).run();
}

}  // namespace tutti::codegen
