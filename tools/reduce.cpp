#include "tools/reduce.h"

#include <tutti/ir/debug/reduce_programs.h>
#include <tutti/ir/names.h>
#include <tutti/ir/support/error.h>
#include <tutti/runtime/files/write_file.h>
#include <tutti/runtime/new_file.h>

#include <cerrno>
#include <system_error>

#include "tools/check_command.h"
#include "tools/launch/file_handle.h"
#include "tools/random_inputs.h"
#include "tools/rank_programs.h"
#include "tools/read_program.h"
#include "tools/scratch_folder.h"
#include <fcntl.h>
#include <stdio.h>  // NOLINT(modernize-deprecated-headers): renameat2
#include <sys/stat.h>

namespace tutti::tools {

namespace {

namespace fs = std::filesystem;

ir::Programs read_programs(const ReduceOptions& options) {
  ir::Programs out;
  if (options.ranks.empty()) {
    out.push_back(read_program(options.file));
  } else {
    out = read_all(find_ranks(options.ranks));
    for (ir::Module& module : out) name_apart(module);
  }
  // Where sizes vary, the largest ones are a smaller program.
  for (ir::Module& module : out) {
    for (ir::Graph& function : module.functions) function = with_sizes(function, {});
  }
  return out;
}

fs::path without_slash(const fs::path& folder) {
  return folder.has_filename() ? folder : folder.parent_path();
}

fs::path output_of(const ReduceOptions& options) {
  if (!options.output.empty()) return without_slash(options.output);
  if (!options.ranks.empty()) return without_slash(options.ranks).string() + ".reduced";
  if (options.file == "-")
    throw UsageError("of what is read from stdin -o has to say where it goes");
  fs::path out = options.file;
  const bool named = out.extension() == ".tutti";
  return out.replace_extension(named ? ".reduced.tutti"
                                     : options.file.extension().string() + ".reduced.tutti");
}

// Programs as files: where candidates are checked, and where the result goes.
class Files {
 public:
  Files(const ReduceOptions& options, fs::path output)
      : is_folder_(!options.ranks.empty()),
        output_(std::move(output)),
        candidate_(scratch_.path() / (is_folder_ ? "ranks" : "program.tutti")) {
    if (is_folder_ && fs::exists(output_)) {
      throw UsageError(output_.string() + ": is there already; -o names another folder");
    }
  }

  const fs::path& output() const { return output_; }

  // Writes a candidate and gives its name.
  const fs::path& write_candidate(const ir::Programs& programs) {
    write(candidate_, programs);
    return candidate_;
  }

  // The whole folder at a time, or the file.
  void keep(const ir::Programs& programs) {
    if (!is_folder_) {
      write(output_, programs);
      return;
    }
    const fs::path partial = runtime::unfinished_name(output_.string());
    if (partial.empty() || mkdir(partial.c_str(), 0777) != 0) {
      throw EnvironmentError(system_failure("cannot make " + output_.string()));
    }
    std::error_code error;
    try {
      write(partial, programs);
      put(partial);
    } catch (...) {
      fs::remove_all(partial, error);
      throw;
    }
    fs::remove_all(partial, error);
  }

 private:
  // Gives a folder the name of the output; what had that is there in its place.
  void put(const fs::path& partial) const {
    const bool exists = fs::exists(output_);
    if (renameat2(AT_FDCWD, partial.c_str(), AT_FDCWD, output_.c_str(),
                  exists ? RENAME_EXCHANGE : RENAME_NOREPLACE) == 0) {
      return;
    }
    // Network file systems can do neither, but one step after the other.
    if (errno == EINVAL || errno == ENOSYS) {
      std::error_code error;
      if (exists) fs::remove_all(output_, error);  // an earlier result of this run
      if (rename(partial.c_str(), output_.c_str()) == 0) return;
    }
    throw EnvironmentError(system_failure("cannot make " + output_.string()));
  }

  void write(const fs::path& path, const ir::Programs& programs) const {
    if (!is_folder_) {
      runtime::write_file(path, ir::print(programs[0]));
      return;
    }
    std::error_code error;
    fs::create_directories(path, error);
    if (error) throw EnvironmentError(path.string() + ": cannot be made: " + error.message());
    for (std::size_t rank = 0; rank < programs.size(); ++rank) {
      runtime::write_file(path / ("rank" + std::to_string(rank) + ".tutti"),
                          ir::print(programs[rank]));
    }
  }

  const bool is_folder_;
  const ScratchFolder scratch_;
  const fs::path output_;
  const fs::path candidate_;
};

// As the text shows them: all but parameters.
std::size_t nodes_of(const ir::Programs& programs) {
  const ir::ProgramSize size = ir::size_of(programs);
  return size.nodes + size.constants;
}

// The first check: of the programs as they are.
bool check_original(const ir::Programs& programs, CheckCommand& command, Files& files) {
  const CheckCommand::Answer answer = command.run(files.write_candidate(programs), true);
  switch (answer.outcome) {
    case CheckCommand::Outcome::zero:
      return true;
    case CheckCommand::Outcome::interrupted:
      return false;
    default:
      throw UsageError("the program itself is not interesting: the command " + answer.text +
                       " for it, but it has to exit with 0 for what is to be kept");
  }
}

}  // namespace

bool reduce(const ReduceOptions& options, std::ostream& out) {
  Files files(options, output_of(options));
  ir::Programs programs = read_programs(options);
  CheckCommand command(options.check, options.most_time);
  const std::size_t before = nodes_of(programs);
  if (!check_original(programs, command, files)) {
    out << "interrupted; nothing was written\n";
    return false;
  }
  files.keep(programs);
  std::size_t checks = 1;
  std::size_t nodes = before;
  const ir::Reduction reduction =
      ir::reduce_programs(std::move(programs), [&](const ir::Programs& smaller) {
        ++checks;
        switch (command.run(files.write_candidate(smaller), false).outcome) {
          case CheckCommand::Outcome::zero:
            files.keep(smaller);
            if (nodes_of(smaller) < nodes) {
              nodes = nodes_of(smaller);
              out << "  " << ir::counted(nodes, "node") << " after " << ir::counted(checks, "check")
                  << std::endl;
            }
            return ir::Verdict::interesting;
          case CheckCommand::Outcome::interrupted:
            return ir::Verdict::stop;
          default:
            return ir::Verdict::boring;
        }
      });
  out << (reduction.stopped ? "interrupted; " : "") << "from " << ir::counted(before, "node")
      << " to " << nodes_of(reduction.programs) << " in " << ir::counted(checks, "check") << ": "
      << files.output().string() << "\n";
  return !reduction.stopped;
}

}  // namespace tutti::tools
