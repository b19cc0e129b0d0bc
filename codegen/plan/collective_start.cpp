#include <tutti/codegen/kernel/text_words.h>
#include <tutti/codegen/plan/binding.h>
#include <tutti/codegen/plan/communicator_of.h>
#include <tutti/codegen/plan/companions.h>
#include <tutti/codegen/plan/launch_text.h>
#include <tutti/codegen/plan/native_steps.h>
#include <tutti/codegen/plan/plan_checker.h>
#include <tutti/codegen/plan/step_parser.h>
#include <tutti/codegen/plan/step_printer.h>
#include <tutti/codegen/plan/text_attributes.h>
#include <tutti/ir/names.h>
#include <tutti/ir/text/literal.h>
#include <tutti/ir/text/type_text.h>
#include <tutti/runtime/comm/transports.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <iterator>
#include <limits>
#include <optional>

namespace tutti::codegen {

namespace {

using ir::Token;

std::optional<kernels::CollectiveKind> kind_from_name(std::string_view name) {
  const auto found = std::ranges::find(kernels::kCollectiveNames, name);
  if (found == kernels::kCollectiveNames.end()) return std::nullopt;
  return static_cast<kernels::CollectiveKind>(found - kernels::kCollectiveNames.begin());
}

// [16, 32 = [1, 4, 8] {sizes = [1, 3]}]
void parse_parts(StepParser& parser, runtime::CollectiveCall& call) {
  ir::Lexer& lexer = parser.lexer();
  lexer.expect("[", "before the numbers of elements");
  do {
    runtime::TensorPart part;
    part.elements = parser.number("a number of elements");
    if (kernels::has_axis(call.kind)) {
      lexer.expect("=", "and three sizes: before, of and behind the axis");
      const std::size_t offset = lexer.peek().offset;
      const std::vector<std::int64_t> sizes = ir::read_integers(lexer);
      if (sizes.size() != 3) lexer.fail(offset, "the sizes before, of and behind the axis are 3");
      part.outer = sizes[0];
      part.axis_size = sizes[1];
      part.inner = sizes[2];
    }
    parser.attributes([&](const Token& name) {
      if (name.text == "sizes") {
        part.sizes = ir::read_integers(lexer);
      } else if (name.text == "receive_sizes") {
        part.receive_sizes = ir::read_integers(lexer);
      } else {
        lexer.fail(name.offset, "a part of a collective has sizes and receive_sizes");
      }
    });
    call.parts.push_back(std::move(part));
  } while (lexer.accept(","));
  lexer.expect("]", "or ',' after a number of elements");
}

void parse_collective_field(StepParser& parser, CollectiveStart& start, const Token& name) {
  ir::Lexer& lexer = parser.lexer();
  runtime::CollectiveCall& call = start.call;
  const std::size_t offset = lexer.peek().offset;
  if (name.text == "dtype") {
    call.dtype = ir::read_dtype(lexer);
  } else if (name.text == "op" && kernels::reduces(call.kind)) {
    const std::string text = ir::read_text(lexer, "a reduction, as in \"sum\"");
    const auto reduction = kernels::reduction_from_name(text);
    if (!reduction) lexer.fail(offset, "there is no reduction " + shown(text));
    call.reduction = *reduction;
  } else if (name.text == "exclusive" && call.kind == runtime::CollectiveKind::scan_ranks) {
    call.scan.exclusive = ir::read_flag(lexer);
  } else if (name.text == "reverse" && call.kind == runtime::CollectiveKind::scan_ranks) {
    call.scan.reverse = ir::read_flag(lexer);
  } else if (name.text == "root") {
    call.root = parser.small("the position of the root", 0);
  } else if (name.text == "pairs") {
    std::vector<int> positions;
    for (const std::int64_t position : ir::read_integers(lexer)) {
      if (position < 0 || position > std::numeric_limits<int>::max()) {
        lexer.fail(offset, "a position is 0 or more, and fits in i32");
      }
      positions.push_back(static_cast<int>(position));
    }
    if (positions.size() % 2 != 0) lexer.fail(offset, "pairs have two positions each");
    for (std::size_t i = 0; i < positions.size(); i += 2) {
      call.pairs.emplace_back(positions[i], positions[i + 1]);
    }
  } else if (name.text == "parts") {
    parse_parts(parser, call);
  } else if (name.text == "agreement") {
    call.agreement = parser.hexadecimal();
  } else if (name.text == "program") {
    const auto [set, order] = parser.hashes("of what a program calls");
    call.program = {.set = set, .order = order};
  } else if (name.text == "calls") {
    start.calls = parser.calls();
  } else {
    lexer.fail(name.offset,
               std::string(name_of(call.kind)) + " has no attribute " + shown(name.text) +
                   "; collectives have dtype, op (where they reduce), exclusive and "
                   "reverse (of scan_ranks), root, pairs, parts, algorithm, agreement, program and "
                   "calls");
  }
}

// On GPUs nothing follows from a limit between the two.
bool says_algorithm(const CollectiveStart& start) {
  if (start.call.parts.empty()) return false;
  const bool is_asked =
      runtime::always_one_shot(start.call) || runtime::always_two_shot(start.call);
  return start.engine == "shm" || (is_asked && runtime::moves_on_devices(start.engine));
}

// What a text says about it: the limit, and what follows from that and the rest of the call.
struct AlgorithmText {
  void parse(ir::Lexer& lexer) {
    if (is_said) lexer.fail(lexer.peek().offset, "the algorithm is said already");
    is_said = true;
    offset = lexer.peek().offset;
    text = ir::read_text(lexer, "an algorithm in quotes");
  }

  void give(const ir::Lexer& lexer, CollectiveStart& start) const {
    if (!is_said) return;
    const auto limit = runtime::one_shot_limit(text);
    if (limit) start.call.one_shot_up_to = *limit;
    if (!says_algorithm(start)) {
      lexer.fail(offset, "what moves no tensors, or by another engine, has no algorithm");
    }
    const auto members = static_cast<int>(start.group->size());
    const std::string right = runtime::algorithm_text(start.call, members);
    if (!limit || right != text) {
      lexer.fail(offset, "an algorithm is named with its limit, and this call's " +
                             std::string(limit ? "is " : "might be ") + ir::quoted(right));
    }
  }

  bool is_said = false;
  std::size_t offset = 0;
  std::string text;
};

// [16, 32 = [1, 4, 8], 32 = [1, 4, 8] {sizes = [1, 3]}]
std::string parts_text(const runtime::CollectiveCall& call) {
  std::string out;
  for (const runtime::TensorPart& part : call.parts) {
    out += (out.empty() ? "[" : ", ") + std::to_string(part.elements);
    if (kernels::has_axis(call.kind)) {
      out += " = ";
      ir::append_integers(out, {part.outer, part.axis_size, part.inner});
    }
    TextAttributes attributes;
    attributes.add("sizes", part.sizes);
    attributes.add("receive_sizes", part.receive_sizes);
    out += attributes.text();
  }
  return out + "]";
}

std::string hexadecimal(std::uint64_t number) {
  std::array<char, 16> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number, 16);
  return "0x" + std::string(digits.data(), end.ptr);
}

bool same_group(const ir::GroupPtr& a, const ir::GroupPtr& b) {
  return a == b || (a != nullptr && b != nullptr && *a == *b);
}

bool same_tensor_part(const runtime::TensorPart& a, const runtime::TensorPart& b) {
  return a.elements == b.elements && a.outer == b.outer && a.axis_size == b.axis_size &&
         a.inner == b.inner && a.sizes == b.sizes && a.receive_sizes == b.receive_sizes;
}

bool same_call(const runtime::CollectiveCall& a, const runtime::CollectiveCall& b) {
  return a.kind == b.kind && a.reduction == b.reduction && a.scan == b.scan && a.dtype == b.dtype &&
         a.root == b.root && a.pairs == b.pairs && a.description == b.description &&
         a.agreement == b.agreement && a.program == b.program &&
         a.one_shot_up_to == b.one_shot_up_to &&
         std::ranges::equal(a.parts, b.parts, same_tensor_part);
}

void add_collective_sources(const CollectiveStart& start, runtime::Profile& profile,
                            runtime::PlanProfile::WorkSources& out) {
  using Kind = runtime::ProfileSource::Kind;
  runtime::ProfileSource source{.kind = Kind::collective,
                                .name = runtime::describe(start.call),
                                .location = start.call.location,
                                .group = start.group->tag};
  for (const runtime::TensorPart& part : start.call.parts) {
    source.bytes += part.elements * size_of(start.call.dtype);
  }
  const std::string name = source.name;
  out.collective = profile.add_source(source);
  source.kind = Kind::start;
  source.name = "start " + name;
  out.start = profile.add_source(source);
  source.kind = Kind::wait;
  source.name = "wait " + name;
  out.wait = profile.add_source(source);
}

}  // namespace

// start w0 = all_reduce "all_reduce sum f32[4]" over @dp (b3) -> b4 {dtype = f32, parts = [4]}
CollectiveStart CollectiveStart::parse(StepParser& parser) {
  ir::Lexer& lexer = parser.lexer();
  lexer.take();
  CollectiveStart out;
  out.work = parser.new_work();
  lexer.expect("=", "and what is started");
  const Token kind = lexer.expect(Token::Kind::word, "a collective, as in all_reduce");
  const auto known = kind_from_name(kind.text);
  if (!known) {
    lexer.fail(kind.offset, "there is no collective " + shown(kind.text) +
                                ir::suggestion(kind.text, kernels::kCollectiveNames));
  }
  out.call.kind = *known;
  out.call.description = ir::read_text(lexer, "what is started, in quotes");
  lexer.expect("over", "and the group of a collective");
  out.group = parser.group();
  if (lexer.accept("of")) out.parent = parser.group();
  if (lexer.accept("by")) out.engine = parser.name("the engine of a collective");
  out.operands = parser.buffers(true);
  if (lexer.accept("->")) out.results = parser.buffers(false);
  CollectiveWait wait = CollectiveWait::of(out);
  AlgorithmText algorithm;
  parser.attributes([&](const Token& field) {
    if (field.text == "algorithm") {
      algorithm.parse(lexer);
    } else {
      parse_collective_field(parser, out, field);
    }
  });
  algorithm.give(lexer, out);
  out.call.location = parser.location();
  parse_companions(parser, out, wait);
  parser.add_wait(std::move(wait));
  return out;
}

void CollectiveStart::print(StepPrinter& printer) const {
  printer.add("start w" + std::to_string(work) + " = ");
  printer.add(name_of(call.kind));
  printer.add(" " + ir::quoted(call.description) + " over " + printer.group(group));
  if (parent != nullptr) printer.add(" of " + printer.group(parent));
  if (engine != "shm") printer.add(" by " + ir::name_or_quoted(engine));
  printer.add(" (" + StepPrinter::names(operands) + ")");
  if (!results.empty()) printer.add(" -> " + StepPrinter::names(results));
  TextAttributes attributes;
  attributes.add("dtype", std::string(name_of(call.dtype)));
  if (kernels::reduces(call.kind)) attributes.add("op", ir::quoted(name_of(call.reduction)));
  if (call.scan.exclusive) attributes.add("exclusive", "true");
  if (call.scan.reverse) attributes.add("reverse", "true");
  attributes.add("root", call.root);
  std::vector<std::int64_t> pairs;
  for (const auto& [from, to] : call.pairs) pairs.insert(pairs.end(), {from, to});
  attributes.add("pairs", pairs);
  if (!call.parts.empty()) attributes.add("parts", parts_text(call));
  const auto members = static_cast<int>(group->size());
  if (says_algorithm(*this)) {
    attributes.add("algorithm", ir::quoted(runtime::algorithm_text(call, members)));
  }
  if (call.agreement != 0) attributes.add("agreement", hexadecimal(call.agreement));
  if (call.program.set != 0) {
    attributes.add("program", std::vector<std::int64_t>{call.program.set, call.program.order});
  }
  attributes.add("calls", std::vector<std::int64_t>(calls.begin(), calls.end()));
  printer.add(attributes.text());
  printer.end_line(call.location);
  print_companions(*this, printer);
}

bool CollectiveStart::same(const CollectiveStart& other) const {
  const auto same_part = [](const std::optional<LaunchPart>& a,
                            const std::optional<LaunchPart>& b) {
    return a.has_value() == b.has_value() && (!a || same_launch_part(*a, *b));
  };
  return same_call(call, other.call) && same_group(group, other.group) &&
         same_group(parent, other.parent) && operands == other.operands &&
         results == other.results && engine == other.engine && work == other.work &&
         calls == other.calls && same_part(leader, other.leader) &&
         same_part(follower, other.follower);
}

void CollectiveStart::shift(const Shift& by) {
  work += by.works;
  for (BufferId& id : operands) id += by.buffers;
  for (BufferId& id : results) id += by.buffers;
  for (std::optional<LaunchPart>* const part : {&leader, &follower}) {
    if (!*part) continue;
    (*part)->kernel += by.kernels;
    for (BufferId& id : (*part)->buffers) id += by.buffers;
  }
}

void CollectiveStart::for_each_access(const Plan& plan, const OnAccess& f) const {
  for (const BufferId id : leader_reads(plan)) f(id, false);
  for (const BufferId id : follower_buffers(plan, false)) f(id, false);
  for (const BufferId id : operands) {
    if (leader) f(id, true);
    f(id, false);
  }
  for (const BufferId id : results) f(id, true);
  for (const BufferId id : follower_buffers(plan, true)) f(id, true);
}

bool CollectiveStart::reads(const Plan& plan) const {
  return !results.empty() && plan.buffers[at(results[0])].kind == PlanBuffer::Kind::peer;
}

void CollectiveStart::check(PlanChecker& checker) const { checker.start(*this); }

void CollectiveStart::bind(Binding& binding) const {
  runtime::Context& context = binding.context();
  runtime::PlanFrame& frame = binding.frame();
  runtime::BoundCollective& bound = frame.collectives[at(work)];
  if (runtime::moves_on_devices(engine)) {
    const BufferId any = operands.empty() ? results[0] : operands[0];
    bound.device = binding.plan().buffers[at(any)].device;
  }
  bound.operands = operands;
  bound.results = results;
  bound.communicator = communicator_of(context, *group, parent.get(), engine);
  runtime::CollectiveCall prepared = call;
  prepared.timeout = std::chrono::milliseconds(group->timeout);
  prepared.programs_differ = prepared.programs_differ || context.programs_differ;
  const auto lies_in_area = [&](BufferId id) {
    return binding.plan().buffers[at(id)].kind == PlanBuffer::Kind::symmetric;
  };
  const Plan& plan = binding.plan();
  if (parent == nullptr) {
    prepared.placement =
        runtime::of_call(placement_in(plan, *group), binding.number_in_group(work));
  }
  if (bound.device.is_cpu() && std::ranges::any_of(operands, lies_in_area)) {
    bound.area = area_of(plan, *group);
  }
  bound.reads = reads(plan);
  bound.places_results = std::ranges::any_of(results, lies_in_area);
  // Places that no step acquires.
  const auto add_place = [&](BufferId id) {
    const PlanBuffer& place = plan.buffers[at(id)];
    if (!lies_in_area(id) || frame.allocations[at(id)].place >= 0) return;
    frame.add_place({.buffer = id,
                     .area = static_cast<std::size_t>(place.index),
                     .offset = static_cast<std::size_t>(place.offset),
                     .bytes = static_cast<std::size_t>(place.bytes),
                     .readers = {},
                     .where = call.location});
  };
  std::ranges::for_each(operands, add_place);
  std::ranges::for_each(results, add_place);
  bind_companions(*this, binding, bound);
  bound.call = bound.communicator->prepare(std::move(prepared));
  if (frame.profile != nullptr) {
    add_collective_sources(*this, *frame.profile->profile, frame.profile->works[at(work)]);
  }
  BoundStart start{.works = {work}, .calls = calls};
  std::ranges::copy_if(results, std::back_inserter(start.placed), lies_in_area);
  const auto in_common = [&](BufferId id) { return is_common(plan, id); };
  if (std::ranges::any_of(results, in_common)) start.overwritten_at = 0;
  binding.add_start(std::move(start));
  const auto run = [](Binding& with, const BoundStep& self) { with.frame().start(self.number); };
  binding.add({.run = run, .number = work, .kind = BoundStep::Kind::start});
}

void CollectiveStart::emit(NativeSteps& native) const { native.call("tutti_start", work); }

void CollectiveStart::hash(const Plan& /*plan*/, Hasher& hasher) const { hasher.add(hashed(work)); }

}  // namespace tutti::codegen
