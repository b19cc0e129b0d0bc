#include "tools/launch/launcher.h"

#include <tutti/runtime/allowed_cores.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>

#include "tools/launch/program.h"
#include "tools/launch/terminal.h"
#include <fcntl.h>

namespace tutti::tools {

namespace {

using std::chrono::milliseconds;

// The others of a failed rank notice by themselves and say so; those that don't are ended, so that
// nothing is left after two seconds.
struct Escalation {
  milliseconds after;
  int signal;
};
constexpr std::array<Escalation, 2> kEscalation = {
    {{milliseconds(1000), SIGTERM}, {milliseconds(1500), SIGKILL}}};

// How long a reader may be silent when somebody wants all this to end.
constexpr milliseconds kReaderPatience(500);

// How often to look whether the launcher's job has its terminal again: a shell gives it back
// without a signal to a job that runs.
constexpr milliseconds kLookAtTerminal(200);

constexpr unsigned long kOwnFiles = 64;  // more than the launcher has open beside two a rank

bool is_ready(const pollfd& polled) { return polled.revents != 0; }

// As TUTTI_TIMEOUT is read.
std::string plain_number(double value) {
  std::array<char, 64> text;
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed).ptr;
  return {text.data(), end};
}

}  // namespace

Launcher::Launcher(const LaunchOptions& options, LaunchObserver* observer)
    : options_(options), observer_(observer) {}

int Launcher::run() {
  start();
  while (!all_ended()) step();
  finish();
  return first_failure_ ? fates_[first_failure_->rank].end->exit_code() : 0;
}

void Launcher::start() {
  const std::string file = find_program(options_.program[0]);
  const std::vector<std::size_t> cores = runtime::allowed_cores();
  const std::size_t threads = std::max<std::size_t>(1, cores.size() / options_.ranks);
  Environment environment = own_environment();
  add_job(environment, options_.ranks);
  if (std::string& of_rank = environment["TUTTI_THREADS"]; options_.threads > 0) {
    of_rank = std::to_string(options_.threads);
  } else if (of_rank.empty()) {
    of_rank = std::to_string(threads);
  }
  if (options_.timeout > 0) environment["TUTTI_TIMEOUT"] = plain_number(options_.timeout);
  if (!options_.profile.empty()) environment["TUTTI_PROFILE"] = options_.profile;
  if (observer_ != nullptr) observer_->before_start(environment);

  if (TerminalInput::is_needed()) terminal_.emplace();
  const FileLimit files = allow_open_files(2 * options_.ranks + kOwnFiles);
  const std::vector<CoreSet> shares = share_out(cores, options_.ranks);
  children_.reserve(options_.ranks);
  for (std::size_t rank = 0; rank < options_.ranks; ++rank) {
    start_rank(rank, environment, file, shares, files);
  }
}

void Launcher::start_rank(std::size_t rank, const Environment& environment, const std::string& file,
                          const std::vector<CoreSet>& shares, const FileLimit& files) {
  Pipe output = make_pipe();
  Pipe errors = make_pipe();
  FileHandle input;
  if (rank == 0 && terminal_) {
    input = terminal_->take_reading_end();
  } else if (rank > 0) {
    input = FileHandle(open("/dev/null", O_RDONLY | O_CLOEXEC));
    if (!input.is_open()) throw EnvironmentError(system_failure("cannot open /dev/null"));
  }
  std::vector<std::string> shell_words = {"/bin/sh", file};
  shell_words.insert(shell_words.end(), options_.program.begin() + 1, options_.program.end());
  const StringPointers arguments(options_.program);
  const StringPointers shell_arguments(std::move(shell_words));
  const StringPointers lines(lines_for_rank(environment, rank));
  children_.emplace_back(ChildSetup{
      .file = file,
      .arguments = arguments,
      .shell_arguments = shell_arguments,
      .environment = lines,
      .input = input.is_open() ? input.get() : STDIN_FILENO,
      .output = output.write.get(),
      .errors = errors.write.get(),
      .guard = guard_.descriptor(),
      .cores = shares.empty() ? nullptr : &shares[rank],
      .signals = signals_.before(),
      .files = files,
  });
  fates_.emplace_back();

  RecentLines& recent = recent_.emplace_back();
  for (auto* const stream : {&output, &errors}) {
    OutputQueue& queue = stream == &output ? output_ : errors_;
    const bool coloured = has_colours(queue.descriptor());
    set_nonblocking(stream->read);
    streams_.emplace_back(std::move(stream->read),
                          options_.prefix ? rank_prefix(rank, coloured) : "", queue, recent);
  }
}

void Launcher::step() {
  std::vector<pollfd> polled = {{.fd = signals_.descriptor(), .events = POLLIN, .revents = 0}};
  for (const OutputQueue* const queue : {&output_, &errors_}) {
    if (queue->is_empty()) continue;
    polled.push_back({.fd = queue->descriptor(), .events = POLLOUT, .revents = 0});
  }
  const std::size_t observed = polled.size();
  if (observer_ != nullptr) {
    polled.push_back({.fd = observer_->descriptor(), .events = POLLIN, .revents = 0});
  }
  const std::size_t first_terminal = polled.size();
  if (terminal_) terminal_->add_to(polled);
  const std::size_t first_stream = polled.size();
  std::vector<RankStream*> reading;
  for (RankStream& stream : streams_) {
    if (!stream.wants_to_read()) continue;
    reading.push_back(&stream);
    polled.push_back({.fd = stream.descriptor(), .events = POLLIN, .revents = 0});
  }

  int wait = -1;
  if (first_failure_ && escalated_ < kEscalation.size()) {
    const auto left = first_failure_time_ + kEscalation[escalated_].after - Clock::now();
    wait =
        static_cast<int>(std::max(std::chrono::ceil<milliseconds>(left), milliseconds(0)).count());
  }
  if (terminal_ && terminal_->waits_for_terminal()) {
    const auto look = static_cast<int>(kLookAtTerminal.count());
    wait = wait < 0 ? look : std::min(wait, look);
  }
  if (poll(polled.data(), polled.size(), wait) < 0 && errno != EINTR) {
    throw EnvironmentError(system_failure("cannot wait for the ranks"));
  }

  if (observer_ != nullptr && is_ready(polled[observed])) observer_->handle();
  for (std::size_t i = first_terminal; i < first_stream; ++i) terminal_->handle(polled[i]);
  for (std::size_t i = 0; i < reading.size(); ++i) {
    if (is_ready(polled[first_stream + i])) reading[i]->read_some();
  }
  output_.write_some();
  errors_.write_some();
  if (is_ready(polled[0])) handle_signals();
  escalate();
}

void Launcher::handle_signals() {
  while (const std::optional<int> signal = signals_.next()) {
    if (*signal == SIGCHLD) {
      find_ended();
    } else {
      pass_on(*signal);
    }
  }
}

void Launcher::pass_on(int signal) {
  if (signal == SIGINT && ++interrupts_ > 1) {
    end_all(SIGKILL);
    return;
  }
  if (signal == SIGINT || signal == SIGTERM || signal == SIGHUP) passed_on_ = signal;
  for (const ChildProcess& child : children_) child.send(signal);
  // Stops the launcher too, until SIGCONT comes, which is passed on then.
  if (signal == SIGTSTP) first_failure_time_ += stop_until_continued();
}

void Launcher::find_ended() {
  std::optional<std::size_t> failed;
  for (std::size_t rank = 0; rank < children_.size(); ++rank) {
    RankFate& fate = fates_[rank];
    if (fate.end) continue;
    fate.end = children_[rank].end();
    if (!fate.end) continue;
    ++ended_;
    if (observer_ != nullptr) observer_->rank_ended(rank);
    // Of those that ended at once, a rank that died of a signal was likely the first: the others
    // exit because of it.
    if (fate.end->failed() && (!failed || (fate.end->by_signal && !fates_[*failed].end->by_signal)))
      failed = rank;
  }
  if (!failed || first_failure_) return;
  first_failure_ = FirstFailure{.rank = *failed, .passed_on = passed_on_};
  first_failure_time_ = Clock::now();
}

void Launcher::escalate() {
  if (!first_failure_ || escalated_ == kEscalation.size() || all_ended()) return;
  const Escalation& next = kEscalation[escalated_];
  if (Clock::now() < first_failure_time_ + next.after) return;
  ++escalated_;
  end_all(next.signal);
}

void Launcher::end_all(int signal) {
  for (std::size_t rank = 0; rank < children_.size(); ++rank) {
    children_[rank].send(signal);
    if (!fates_[rank].end) fates_[rank].sent = signal;
  }
}

void Launcher::finish() {
  for (const ChildProcess& child : children_) child.send(SIGKILL);
  for (RankStream& stream : streams_) stream.finish();
  if (first_failure_) {
    const std::size_t rank = first_failure_->rank;
    errors_.add(summary(*first_failure_, fates_, recent_[rank]));
    if (observer_ != nullptr) errors_.add(observer_->after_failure(rank));
  }
  flush();
}

void Launcher::flush() {
  while (true) {
    std::vector<pollfd> polled = {{.fd = signals_.descriptor(), .events = POLLIN, .revents = 0}};
    for (OutputQueue* const queue : {&output_, &errors_}) {
      queue->write_some();
      if (queue->is_empty()) continue;
      polled.push_back({.fd = queue->descriptor(), .events = POLLOUT, .revents = 0});
    }
    if (polled.size() == 1) return;
    const int wait = passed_on_ != 0 ? static_cast<int>(kReaderPatience.count()) : -1;
    if (poll(polled.data(), polled.size(), wait) == 0) return;
    while (const std::optional<int> signal = signals_.next()) {
      if (*signal == SIGINT || *signal == SIGTERM || *signal == SIGHUP) passed_on_ = *signal;
    }
  }
}

int launch(const LaunchOptions& options, LaunchObserver* observer) {
  return Launcher(options, observer).run();
}

}  // namespace tutti::tools
