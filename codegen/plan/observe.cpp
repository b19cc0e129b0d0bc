#include <tutti/codegen/plan/binding.h>
#include <tutti/codegen/plan/native_steps.h>
#include <tutti/codegen/plan/observe.h>
#include <tutti/codegen/plan/plan_checker.h>
#include <tutti/codegen/plan/step_parser.h>
#include <tutti/codegen/plan/step_printer.h>
#include <tutti/ir/names.h>
#include <tutti/ir/text/literal.h>
#include <tutti/ir/text/type_text.h>

#include <cstring>
#include <memory>
#include <string>

namespace tutti::codegen {

namespace {

// On a rank.
struct BoundObserver {
  ir::Observer observer;
  std::string prefix;
  std::size_t bytes;
};

void run_observer(const void* code, void* const* arguments, std::int64_t /*begin*/,
                  std::int64_t /*end*/) {
  const auto& bound = *static_cast<const BoundObserver*>(code);
  bound.observer.look(static_cast<const std::byte*>(arguments[0]), bound.prefix);
  if (arguments[0] != arguments[1] && bound.bytes > 0) {
    std::memcpy(arguments[1], arguments[0], bound.bytes);
  }
}

std::size_t bytes_of(const ir::Observer& observer) {
  return static_cast<std::size_t>(observer.shape.elements() * size_of(observer.dtype));
}

}  // namespace

Observe Observe::of(const ir::Graph& graph, ir::NodeId id, BufferId from, BufferId to) {
  const ir::Attributes attributes = graph.attributes(id);
  const ir::Type& type = graph.type(graph.result(id));
  return {.from = from,
          .to = to,
          .observer = {.what = *ir::observation_from_name(attributes.text("what")),
                       .text = attributes.text("text"),
                       .dtype = type.dtype,
                       .shape = type.shape,
                       .location = graph.node(id).location}};
}

// observe print "h = {}" f32[2,3] (b3) -> b4
Observe Observe::parse(StepParser& parser) {
  ir::Lexer& lexer = parser.lexer();
  lexer.take();
  Observe out;
  const std::size_t offset = lexer.peek().offset;
  const auto what = ir::observation_from_name(parser.name("what to look for"));
  if (!what) lexer.fail(offset, "observe takes print, finite or no_nan");
  out.observer.what = *what;
  out.observer.text = ir::read_text(lexer, "the text, in quotes");
  const ir::WrittenType type = ir::read_type(lexer, parser.groups(), false);
  out.observer.dtype = type.type.dtype;
  out.observer.shape = type.type.shape;
  lexer.expect("(", "and the buffer that is looked at");
  out.from = parser.next_buffer();
  lexer.expect(")", "behind the buffer");
  lexer.expect("->", "and the buffer that is written");
  out.to = parser.next_buffer();
  out.observer.location = parser.location();
  return out;
}

void Observe::print(StepPrinter& printer) const {
  const ir::Type type{.dtype = observer.dtype, .shape = observer.shape};
  printer.add("observe " + std::string(ir::name_of(observer.what)) + " " +
              ir::quoted(observer.text) + " " + type.text() + " (" + StepPrinter::name(from) +
              ") -> " + StepPrinter::name(to));
  printer.end_line(observer.location);
}

bool Observe::same(const Observe& other) const {
  return from == other.from && to == other.to && observer.what == other.observer.what &&
         observer.text == other.observer.text && observer.dtype == other.observer.dtype &&
         observer.shape == other.observer.shape;
}

void Observe::shift(const Shift& by) {
  from += by.buffers;
  to += by.buffers;
}

void Observe::for_each_access(const Plan& /*plan*/, const OnAccess& f) const {
  f(from, false);
  if (to != from) f(to, true);
}

void Observe::check(PlanChecker& checker) const {
  const auto bytes = static_cast<std::int64_t>(bytes_of(observer));
  for (const BufferId id : {from, to}) {
    const std::int64_t own = checker.buffer(id).bytes;
    checker.require(id == to && to != from ? own == bytes : own >= bytes,
                    " has not the size of what is looked at", id);
    checker.require(checker.buffer(id).device.is_cpu(), " does not lie on the host", id);
  }
  checker.read(from);
  if (to != from) checker.write(to);
}

void Observe::bind(Binding& binding) const {
  runtime::Context& context = binding.context();
  runtime::PlanFrame& frame = binding.frame();
  // Threads print to one place; what processes print, their launcher tells apart.
  const bool are_threads = context.ranks() > 1 && context.backend->name() == "local";
  const auto bound = std::make_shared<const BoundObserver>(
      BoundObserver{.observer = observer,
                    .prefix = are_threads ? "[" + std::to_string(context.rank()) + "] " : "",
                    .bytes = bytes_of(observer)});
  const auto number = static_cast<std::int32_t>(frame.launches.size());
  frame.launches.push_back({.kernels = {{.run = run_observer,
                                         .code = bound.get(),
                                         .tiles = 1,
                                         .tiles_in_place = -1,
                                         .arguments = 2}},
                            .tiles = 1,
                            .arguments = 2,
                            .held = bound});
  if (frame.profile != nullptr) {
    const auto source = [&](runtime::ProfileSource::Kind kind) {
      return runtime::ProfileSource{.kind = kind,
                                    .name = "observe",
                                    .detail = observer.text,
                                    .plan = binding.plan().name,
                                    .location = observer.location};
    };
    runtime::Profile& profile = *frame.profile->profile;
    runtime::PlanProfile::LaunchSources sources;
    sources.pieces.push_back(profile.add_source(source(runtime::ProfileSource::Kind::piece)));
    runtime::ProfileSource whole = source(runtime::ProfileSource::Kind::launch);
    whole.parts = sources.pieces;
    sources.whole = profile.add_source(std::move(whole));
    frame.profile->launches.push_back(std::move(sources));
  }
  const auto run = [](Binding& with, const BoundStep& self) {
    with.frame().launch(self.number, with.addresses(self.first_buffer, 2));
  };
  binding.add(
      {.run = run, .number = number, .first_buffer = binding.add_buffers(std::array{from, to})});
}

void Observe::emit(NativeSteps& native) const {
  native.launch("tutti_launch", std::array{from, to});
}

void Observe::hash(const Plan& plan, Hasher& hasher) const {
  add_place(plan, from, hasher);
  add_place(plan, to, hasher);
  hasher.add(hashed(3));  // what it calls is the frame's, as with a launch
}

}  // namespace tutti::codegen
