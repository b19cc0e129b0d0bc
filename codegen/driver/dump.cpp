#include <tutti/codegen/cuda/source.h>
#include <tutti/codegen/driver/artifacts.h>
#include <tutti/codegen/driver/dump.h>
#include <tutti/codegen/driver/dump_page.h>
#include <tutti/ir/names.h>
#include <tutti/ir/support/error.h>
#include <tutti/ir/text/print.h>
#include <tutti/runtime/log.h>
#include <tutti/runtime/new_file.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <span>
#include <system_error>

#include <fcntl.h>

namespace tutti::codegen {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void fail(const fs::path& path, int error) {
  throw EnvironmentError(path.string() + ": " + runtime::failure_text(error));
}

void write_whole(const std::string& path, std::span<const std::byte> bytes) {
  runtime::NewFile file(path);
  file.write(bytes);
  if (!file.finish()) fail(path, file.error());
}

// What may stand in a file's name: letters, digits, '.', '_' and '-'.
std::string file_name_from(std::string_view text) {
  constexpr std::size_t kLongest = 60;
  std::string out(text.substr(0, kLongest));
  for (char& c : out) {
    const bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                       c == '.' || c == '_';
    if (!plain) c = '-';
  }
  return out;
}

std::string padded(std::size_t number, std::size_t digits) {
  std::string out = std::to_string(number);
  if (out.size() < digits) out.insert(0, digits - out.size(), '0');
  return out;
}

// The number behind the last folder of an executable there.
std::size_t last_number(const fs::path& folder) {
  std::size_t last = 0;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    last = std::max<std::size_t>(last, std::strtoul(name.c_str(), nullptr, 10));
  }
  return last;
}

// A new folder `NNNN-name`, whose number no earlier one has.
fs::path make_numbered_folder(const fs::path& in, const std::string& name) {
  fs::create_directories(in);
  for (std::size_t number = last_number(in) + 1;; ++number) {
    fs::path folder = in / (padded(number, 4) + "-" + name);
    if (fs::create_directory(folder)) return folder;  // else another one was quicker
  }
}

// Makes a file with its beginning unless somebody has: never is there one without.
void begin_once(const fs::path& path, const std::string& text) {
  if (fs::exists(path)) return;
  runtime::NewFile file(path.string());
  file.write(text);
  if (!file.finish_if_first() && file.error() != 0) fail(path, file.error());
}

std::size_t nodes_of(const ir::Graph& graph) {
  return graph.node_count() - graph.parameters().size();
}

}  // namespace

Dump::Dump(fs::path folder, std::vector<std::string> stages)
    : folder_(std::move(folder)), stages_(std::move(stages)) {}

bool Dump::has(std::string_view stage) const {
  return std::ranges::find(stages_, stage) != stages_.end();
}

std::unique_ptr<ExecutableDump> Dump::begin(const ir::Graph& traced, std::int64_t rank,
                                            Location line) {
  return std::make_unique<ExecutableDump>(shared_from_this(), traced, rank, line);
}

void Dump::give_up(const std::string& why) {
  if (works_.exchange(false)) {
    runtime::warn("TUTTI_DUMP: " + why + "; nothing more is written");
  }
}

ExecutableDump::ExecutableDump(std::shared_ptr<Dump> dump, const ir::Graph& traced,
                               std::int64_t rank, Location line)
    : dump_(std::move(dump)), nodes_(nodes_of(traced)) {
  if (!dump_->works()) return;
  try {
    const std::string in = "rank" + std::to_string(rank);
    const std::string name = traced.name + (line.known() ? "-" + line.text() : "");
    folder_ = make_numbered_folder(dump_->folder() / in, file_name_from(name));
    link_ = in + "/" + folder_.filename().string();

    page::Heading heading{
        .title = "@" + traced.name, .line = line.text(), .rank = rank, .stages = {}};
    if (dump_->has("trace")) heading.stages.emplace_back("trace");
    if (dump_->has("passes")) {
      for (const ir::Pass& pass : ir::all_passes()) heading.stages.emplace_back(pass.name);
    }
    if (dump_->has("plan")) heading.stages.emplace_back("plan");
    constexpr std::array kOfKernels = {"kernels", "llvm", "asm", "cuda", "ptx"};
    if (std::ranges::any_of(kOfKernels, [&](const char* stage) { return dump_->has(stage); })) {
      heading.stages.emplace_back("kernels");
    }
    heading.stages.emplace_back("times");
    begin_once(folder_ / "index.html", page::begin(heading));

    const fs::path index = dump_->folder() / "index.html";
    begin_once(index, page::index_begin());
    append(index, page::index_row({.link = link_,
                                   .name = heading.title,
                                   .line = heading.line,
                                   .rank = rank,
                                   .nodes = nodes_,
                                   .stages = heading.stages}));
  } catch (const std::exception& error) {
    dump_->give_up(error.what());
    return;
  }
  if (dump_->has("trace")) {
    add_stage("trace", "as recorded, " + ir::counted(nodes_, "node"), "00-trace.tutti",
              text(traced));
  }
}

template <class Program>
std::string ExecutableDump::text(const Program& program) {
  if (!dump_->works()) return {};
  const runtime::FileSizeErrors errors;
  try {
    return print(program, ir::store_constants_beside(folder_.string()));
  } catch (const EnvironmentError& error) {
    dump_->give_up(error.what());
    return {};
  }
}

void ExecutableDump::write(const std::string& file, std::string_view text) {
  if (!dump_->works()) return;
  try {
    write_whole((folder_ / file).string(), std::as_bytes(std::span(text)));
  } catch (const EnvironmentError& error) {
    dump_->give_up(error.what());
  }
}

// In one piece, which the system puts behind what others append at the same time.
void ExecutableDump::append(const fs::path& page, const std::string& piece) {
  if (!dump_->works()) return;
  try {
    const runtime::Descriptor file(
        open(page.c_str(), O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC));
    if (!file.valid() || !runtime::write_all(file.number(), std::as_bytes(std::span(piece)))) {
      fail(page, errno);
    }
  } catch (const EnvironmentError& error) {
    dump_->give_up(error.what());
  }
}

void ExecutableDump::add_stage(const std::string& name, const std::string& note,
                               const std::string& file, const std::string& text) {
  if (!file.empty()) write(file, text);
  append(folder_ / "index.html", page::stage(name, note, file, text));
}

void ExecutableDump::after_pass(const ir::PassReport& report) {
  nodes_ = nodes_of(report.graph);
  ++stages_;
  if (!dump_->has("passes") || !dump_->works()) return;
  const std::string name(report.pass.name);
  const std::string time = text_of(report.time);
  if (report.changed) {
    add_stage(name, ir::counted(nodes_, "node") + ", " + time,
              padded(stages_, 2) + "-" + file_name_from(name) + ".tutti", text(report.graph));
  } else {
    add_stage(name, "unchanged, " + time, "", "");
  }
}

void ExecutableDump::planned(const Plan& plan) {
  if (!dump_->works()) return;
  if (dump_->has("plan")) {
    add_stage("plan",
              ir::counted(plan.steps.size(), "step") + ", arena of " +
                  ir::counted(static_cast<std::size_t>(plan.arena_bytes), "byte"),
              "plan.txt", text(plan));
  }
  if (!dump_->has("kernels")) return;
  // Now, since the compiler may not come back from a kernel.
  try {
    fs::create_directories(folder_ / "kernels");
  } catch (const fs::filesystem_error& error) {
    dump_->give_up(error.what());
  }
  for (const DistinctKernel& distinct : distinct_kernels(plan)) {
    const auto number = static_cast<std::size_t>(distinct.numbers.front());
    write("kernels/" + padded(number, 2) + "-" + file_name_from(distinct.kernel->name) + ".kernel",
          print(*distinct.kernel));
  }
}

void ExecutableDump::add_kernels(const Plan& plan) {
  const bool llvm = dump_->has("llvm") && TUTTI_HAS_LLVM != 0;
  const bool assembly = dump_->has("asm") && TUTTI_HAS_LLVM != 0;
  const bool device = dump_->has("cuda") || dump_->has("ptx");
  if (!llvm && !assembly && !device && !dump_->has("kernels")) return;
  fs::create_directories(folder_ / "kernels");
  const auto all = distinct_kernels(plan);
  std::string piece = page::kernels_begin(all.size(), plan.kernels.size());
  for (const DistinctKernel& distinct : all) {
    const auto number = static_cast<std::size_t>(distinct.numbers.front());
    const std::string file =
        "kernels/" + padded(number, 2) + "-" + file_name_from(distinct.kernel->name);
    std::vector<page::KernelText> texts;
    if (dump_->has("kernels")) {
      texts.push_back({"loop nest", file + ".kernel", print(*distinct.kernel)});
    }
    if (llvm && distinct.on_host) {
      texts.push_back({"LLVM IR", file + ".ll", llvm_text(*distinct.kernel)});
      write(texts.back().file, texts.back().text);
    }
    if (assembly && distinct.on_host) {
      texts.push_back({"assembly", file + ".s", assembly_text(*distinct.kernel)});
      write(texts.back().file, texts.back().text);
    }
    std::string title;
    for (const int k : distinct.numbers) title += (title.empty() ? "k" : ", k") + std::to_string(k);
    std::vector<std::string> lines;
    for (const Location line : distinct.locations) lines.push_back(line.text());
    piece += page::kernel(title + " " + distinct.kernel->name, lines, texts);
  }
  if (llvm || assembly) {
    std::vector<page::KernelText> texts;
    if (llvm) texts.push_back({"LLVM IR", "plan.ll", steps_llvm_text(plan)});
    if (assembly) texts.push_back({"assembly", "plan.s", steps_assembly_text(plan)});
    for (const page::KernelText& text : texts) write(text.file, text.text);
    piece += page::kernel("the function that runs the steps", {}, texts);
  }
  append(folder_ / "index.html", piece + device_kernels(plan) + page::kernels_end());
}

// What is compiled for GPUs, as a piece of the page; writes the files.
std::string ExecutableDump::device_kernels(const Plan& plan) {
  std::string piece;
  std::size_t number = 0;
  for (const DistinctSource& distinct : distinct_sources(plan)) {
    const std::string file =
        "kernels/gpu-" + padded(number++, 2) + "-" + file_name_from(distinct.source->name);
    std::vector<page::KernelText> texts;
    if (dump_->has("cuda")) texts.push_back({"CUDA C++", file + ".cu", distinct.source->text});
    if (dump_->has("ptx")) texts.push_back({"PTX", file + ".ptx", ptx_text(distinct)});
    if (texts.empty()) return {};
    for (const page::KernelText& text : texts) write(text.file, text.text);
    std::vector<std::string> lines;
    for (const Location line : distinct.locations) lines.push_back(line.text());
    piece += page::kernel(distinct.source->name + " for " + distinct.target, lines, texts);
  }
  return piece;
}

void ExecutableDump::compiled(const Plan& plan, const CompileTimes& times) {
  if (!dump_->works()) return;
  try {
    add_kernels(plan);
  } catch (const fs::filesystem_error& error) {
    dump_->give_up(error.what());
    return;
  }
  std::chrono::nanoseconds total{0};
  std::vector<std::pair<std::string, std::string>> rows;
  std::string parts;
  for (const auto& [part, time] : times) {
    total += time;
    rows.emplace_back(part, text_of(time));
    parts += (parts.empty() ? "" : ", ") + part + " " + text_of(time);
  }
  rows.emplace_back("all", text_of(total));
  append(folder_ / "index.html", page::times(rows));
  append(dump_->folder() / "index.html",
         page::index_result(link_, ir::counted(nodes_, "node") + " after passes, " +
                                       ir::counted(plan.kernels.size(), "kernel") + ", " +
                                       ir::counted(plan.steps.size(), "step") + ", " +
                                       text_of(total) + " (" + parts + ")"));
}

void ExecutableDump::failed(const std::string& what) {
  if (!dump_->works()) return;
  append(folder_ / "index.html", page::failure(what));
  append(dump_->folder() / "index.html", page::index_failure(link_, what));
}

}  // namespace tutti::codegen
