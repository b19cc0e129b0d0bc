#include <tutti/codegen/driver/compile_watch.h>
#include <tutti/codegen/driver/dump.h>
#include <tutti/codegen/driver/reproduce.h>
#include <tutti/ir/names.h>

namespace tutti::codegen {

namespace {

using Clock = std::chrono::steady_clock;

Location line_of(const ir::Graph& graph, const CompileOptions& options) {
  if (options.where.known()) return options.where;
  for (const ir::Value result : graph.results()) {
    const Location line = graph.node(graph.producer(result)).location;
    if (line.known()) return line;
  }
  return {};
}

}  // namespace

CompileWatch::CompileWatch(const ir::Graph& traced, std::int64_t rank,
                           const CompileOptions& options)
    : traced_(traced),
      rank_(rank),
      options_(options),
      logs_(options.log != nullptr && options.log->takes(runtime::LogTopic::compile)) {}

CompileWatch::~CompileWatch() = default;

void CompileWatch::time(const std::string& part) {
  const auto now = Clock::now();
  times_.emplace_back(part, now - since_);
  since_ = now;
}

void CompileWatch::traced() {
  if (options_.on_stage) options_.on_stage("trace", traced_);
  if (options_.dump != nullptr) {
    dump_ = options_.dump->begin(traced_, rank_, line_of(traced_, options_));
  }
  since_ = Clock::now();
}

std::function<void(const ir::PassReport&)> CompileWatch::after_pass() {
  if (!options_.on_stage && !timed()) return {};
  return [this](const ir::PassReport& report) {
    times_.emplace_back(report.pass.name, report.time);
    if (options_.on_stage) options_.on_stage(report.pass.name, report.graph);
    if (dump_ != nullptr) dump_->after_pass(report);
    since_ = Clock::now();
  };
}

void CompileWatch::planned(const Plan& plan) {
  if (!timed()) return;
  time("plan");
  if (dump_ != nullptr) dump_->planned(plan);
  since_ = Clock::now();
}

void CompileWatch::compiled(const Plan& plan) {
  if (!timed()) return;
  time("code");
  if (dump_ != nullptr) dump_->compiled(plan, times_);
  if (!logs_) return;
  std::chrono::nanoseconds total{0};
  std::string parts;
  for (const auto& [part, spent] : times_) {
    total += spent;
    parts += (parts.empty() ? "" : ", ") + part + " " + text_of(spent);
  }
  const Location line = line_of(traced_, options_);
  options_.log->write(runtime::LogTopic::compile, rank_,
                      "@" + traced_.name + (line.known() ? " (" + line.text() + ")" : "") + ": " +
                          ir::counted(traced_.node_count() - traced_.parameters().size(), "node") +
                          ", " + ir::counted(plan.kernels.size(), "kernel") + ", " +
                          ir::counted(plan.steps.size(), "step") + " in " + text_of(total) + " (" +
                          parts + ")");
}

void CompileWatch::failed(const std::string& what) {
  if (dump_ != nullptr) dump_->failed(what);
}

std::string CompileWatch::failed_by_a_bug(const Error& error) {
  failed(error.what());
  const std::string folder = dump_ != nullptr ? dump_->folder() : std::string();
  return error.message() + "\n" + how_to_reproduce(traced_, options_, folder);
}

}  // namespace tutti::codegen
