// `tutti launch`: what ranks get and what becomes of what they print. How launches end is in
// launch_end_test.cpp.

#include <map>
#include <set>

#include "tests/tools/launch_testing.h"
#include <sched.h>

namespace tutti::test::launch_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

std::size_t allowed_cores() {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  sched_getaffinity(0, sizeof(cores), &cores);
  return static_cast<std::size_t>(CPU_COUNT(&cores));
}

// NAME=VALUE lines of every rank.
std::vector<std::map<std::string, std::string>> environments(const CommandResult& result,
                                                             std::size_t ranks) {
  std::vector<std::map<std::string, std::string>> out(ranks);
  std::istringstream in(result.output);
  for (std::string line; std::getline(in, line);) {
    const std::size_t name = line.find("] ") + 2;
    const std::size_t sign = line.find('=', name);
    if (sign == std::string::npos) continue;
    out.at(std::stoul(line.substr(1)))[line.substr(name, sign - name)] = line.substr(sign + 1);
  }
  return out;
}

TEST_F(Launch, TellsRanksTheirPlace) {
  std::set<std::string> jobs;
  for (int time = 0; time < 2; ++time) {
    const CommandResult result =
        launch({"-n", "3", "--threads", "5", "--timeout", "0.5"}, "exec env");
    EXPECT_EQ(result.status, 0) << result.errors;
    auto found = environments(result, 3);
    for (std::size_t rank = 0; rank < 3; ++rank) {
      auto& variables = found[rank];
      EXPECT_EQ(variables["RANK"], std::to_string(rank));
      EXPECT_EQ(variables["LOCAL_RANK"], std::to_string(rank));
      EXPECT_EQ(variables["WORLD_SIZE"], "3");
      EXPECT_EQ(variables["LOCAL_WORLD_SIZE"], "3");
      EXPECT_EQ(variables["MASTER_ADDR"], "127.0.0.1");
      EXPECT_GT(std::stoi(variables["MASTER_PORT"]), 0);
      EXPECT_EQ(variables["MASTER_PORT"], found[0]["MASTER_PORT"]);
      EXPECT_THAT(variables["TUTTI_RENDEZVOUS"], testing::MatchesRegex("[0-9a-f]*"));
      EXPECT_EQ(variables["TUTTI_RENDEZVOUS"].size(), 32);
      EXPECT_EQ(variables["TUTTI_THREADS"], "5");
      EXPECT_EQ(variables["TUTTI_TIMEOUT"], "0.5");
      jobs.insert(variables["TUTTI_RENDEZVOUS"]);
    }
  }
  EXPECT_EQ(jobs.size(), 2);  // each launch is a job of its own
}

TEST_F(Launch, SharesTheCores) {
  const std::size_t cores = allowed_cores();
  const std::string script =
      "echo threads=$TUTTI_THREADS\n"
      "while read name value; do\n"
      "  case $name in Cpus_allowed_list:) echo cores=$value;; esac\n"
      "done < /proc/self/status";
  const auto one = environments(launch({"-n", "1"}, script), 1);
  EXPECT_EQ(one[0].at("threads"), std::to_string(cores));

  if (cores <= 64) {
    std::set<std::string> shares;
    for (auto& rank : environments(launch({"-n", std::to_string(cores)}, script), cores)) {
      EXPECT_EQ(rank["threads"], "1");
      shares.insert(rank["cores"]);
    }
    EXPECT_EQ(shares.size(), cores);
    // More ranks than cores run on any.
    for (auto& rank : environments(launch({"-n", std::to_string(cores + 1)}, script), cores + 1)) {
      EXPECT_EQ(rank["threads"], "1");
      EXPECT_EQ(rank["cores"], one[0].at("cores"));
    }
  }
}

TEST_F(Launch, LeavesThreadsToTheEnvironment) {
  const auto threads = [&](const std::vector<std::string>& options) {
    std::vector<std::string> words = command(options, "exec env");
    words.insert(words.begin(), {"/usr/bin/env", "TUTTI_THREADS=7"});
    return environments(run_command(words), 2)[1].at("TUTTI_THREADS");
  };
  EXPECT_EQ(threads({"-n", "2"}), "7");
  EXPECT_EQ(threads({"-n", "2", "--threads", "5"}), "5");
}

TEST_F(Launch, PutsTheRankInFrontOfLines) {
  const std::string script = "echo one $RANK; echo; echo wrong >&2; printf 'no end'";
  const CommandResult result = launch({"-n", "2"}, script);
  EXPECT_THAT(sorted_lines(result.output),
              ElementsAre("[0] ", "[0] no end", "[0] one 0", "[1] ", "[1] no end", "[1] one 1"));
  EXPECT_TRUE(result.output.ends_with("\n"));
  EXPECT_THAT(sorted_lines(result.errors), ElementsAre("[0] wrong", "[1] wrong"));

  const CommandResult plain = launch({"-n", "2", "--no-prefix"}, script);
  EXPECT_THAT(sorted_lines(plain.output),
              ElementsAre("", "", "no end", "no end", "one 0", "one 1"));
  EXPECT_EQ(plain.errors, "wrong\nwrong\n");
}

TEST_F(Launch, PassesArgumentsOn) {
  const std::string tutti = TUTTI_BINARY_DIR "/bin/tutti";
  for (const std::vector<std::string>& mark : {std::vector<std::string>{}, {"--"}}) {
    std::vector<std::string> words = {tutti, "launch", "-n", "1"};
    words.insert(words.end(), mark.begin(), mark.end());
    words.insert(words.end(), {"echo", "-n", "7", "--threads", "x y", "--", "--help"});
    EXPECT_EQ(run_command(words).output, "[0] 7 --threads x y -- --help\n");
  }
}

TEST_F(Launch, RunsAScriptWithoutAFirstLine) {
  const std::string script = folder_.write("script", "echo script $1\n");
  std::filesystem::permissions(script, std::filesystem::perms::owner_all);
  const CommandResult result =
      run_command({TUTTI_BINARY_DIR "/bin/tutti", "launch", "-n", "1", script, "runs"});
  EXPECT_EQ(result.output, "[0] script runs\n") << result.errors;
}

TEST_F(Launch, KeepsLongLinesWhole) {
  const CommandResult result = launch(
      {"-n", "3"}, "for i in 1 2; do head -c 1000000 /dev/zero | tr '\\0' $RANK; echo; done");
  std::vector<std::string> lines = sorted_lines(result.output);
  ASSERT_EQ(lines.size(), 6);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const char rank = static_cast<char>('0' + i / 2);
    EXPECT_TRUE(lines[i] == "[" + std::string(1, rank) + "] " + std::string(1'000'000, rank));
  }
}

TEST_F(Launch, CutsEndlessLines) {
  const CommandResult result = launch({"-n", "2"}, "head -c 5000000 /dev/zero");
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(std::ranges::count(result.output, '\0'), 10'000'000);
  EXPECT_GT(std::ranges::count(result.output, '\n'), 8);
}

TEST_F(Launch, GivesStdinToRank0) {
  std::string line;
  for (const std::string& word : command({"-n", "2"}, "read x; echo \"got $x\"")) {
    line += "'";
    for (const char c : word) line += c == '\'' ? std::string("'\\''") : std::string(1, c);
    line += "' ";
  }
  const CommandResult result = run_command({"/bin/sh", "-c", "echo words | " + line});
  EXPECT_THAT(sorted_lines(result.output), ElementsAre("[0] got words", "[1] got "));
}

// A line of /proc/self/status without signals 32 and 33: the C library has them for itself, and
// they are no longer ignored once a process had threads.
std::string without_own_signals(const std::string& line) {
  if (!line.starts_with("Sig")) return line;
  const std::size_t bits = line.find('\t') + 1;
  return line.substr(0, bits) +
         std::to_string(std::stoull(line.substr(bits), nullptr, 16) & ~0x1'8000'0000ULL);
}

TEST_F(Launch, RestoresWhatItChangedForItself) {
  // Signals that it blocks or ignores, and the limit of open files.
  const std::string script = "ulimit -Sn; exec grep -E 'Sig(Blk|Ign)' /proc/self/status";
  const std::string limit = "ulimit -Sn 99; exec ";
  const auto own =
      sorted_lines(run_command({"/bin/sh", "-c", limit + "sh -c \"" + script + "\""}).output);
  ASSERT_EQ(own.size(), 3);
  const CommandResult result = run_command(
      {"/bin/sh", "-c",
       limit + TUTTI_BINARY_DIR "/bin/tutti launch -n 40 --no-prefix -- sh -c \"" + script + "\""});
  EXPECT_EQ(result.status, 0) << result.errors;
  std::map<std::string, int> counts;
  for (const std::string& line : sorted_lines(result.output)) ++counts[without_own_signals(line)];
  for (const std::string& line : own) EXPECT_EQ(counts[without_own_signals(line)], 40) << line;
}

TEST_F(Launch, SurvivesClosedOutput) {
  const std::string tutti = TUTTI_BINARY_DIR "/bin/tutti";
  const std::string loop = " launch -n 2 -- sh -c 'for i in 1 2 3 4 5 6; do echo $i; done; exit 6'";
  EXPECT_EQ(run_command({"/bin/sh", "-c", tutti + loop + " >&-"}).status, 6);
  EXPECT_EQ(run_command({"/bin/sh", "-c", tutti + loop + " <&- >&- 2>&-"}).status, 6);
  EXPECT_EQ(run_command({"/bin/sh", "-c", tutti + loop + " > /dev/full"}).status, 6);
  const std::string status = folder_.path() / "status";
  run_command({"/bin/sh", "-c", "{ " + tutti + loop + "; echo $? > " + status + "; } | true"});
  EXPECT_EQ(folder_.read("status"), "6\n");
}

TEST_F(Launch, RefusesWrongUsage) {
  const std::string tutti = TUTTI_BINARY_DIR "/bin/tutti";
  const std::vector<std::pair<std::vector<std::string>, std::string>> rows = {
      {{"-n", "0", "true"}, "not in range 1 to 1024"},
      {{"-n", "1025", "true"}, "not in range 1 to 1024"},
      {{"-n", "two", "true"}, "--ranks"},
      {{"true"}, "how many ranks?"},
      {{"true", "-n", "2"}, "what stands behind the program's name is for the program"},
      {{"-n", "2"}, "no program; write tutti launch -n N -- PROGRAM"},
      {{"-n", "2", "--"}, "no program"},
      {{"-n", "2", "--thread", "2", "true"}, "unknown option --thread"},
      {{"-n", "2", "--threads", "0", "true"}, "--threads"},
      {{"-n", "2", "--timeout", "-1", "true"}, "--timeout"},
      {{"-n", "2", "--timeout", "soon", "true"}, "--timeout"},
  };
  for (const auto& [arguments, message] : rows) {
    std::vector<std::string> words = {tutti, "launch"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    const CommandResult result = run_command(words);
    EXPECT_EQ(result.status, 2) << testing::PrintToString(arguments);
    EXPECT_THAT(result.errors, HasSubstr(message));
    EXPECT_EQ(result.output, "");
  }
}

TEST_F(Launch, SaysWhyAProgramDoesNotStart) {
  const std::string plain = folder_.write("plain", "echo no\n");
  const std::string lost = folder_.write("lost", "#!/no/such/interpreter\n");
  std::filesystem::permissions(lost, std::filesystem::perms::owner_all);
  const std::vector<std::tuple<std::string, int, std::string>> rows = {
      {"no_such_program", 127, "cannot start 'no_such_program': it is not on PATH"},
      {"/no/such/program", 127, "cannot start '/no/such/program': No such file"},
      {lost, 127, "cannot start '" + lost + "': No such file"},
      {plain, 126, "Permission denied; a program must be executable"},
      {folder_.path(), 126, "it is a folder"},
      {"", 127, "cannot start ''"},
  };
  for (const auto& [program, status, message] : rows) {
    const CommandResult result =
        run_command({TUTTI_BINARY_DIR "/bin/tutti", "launch", "-n", "3", "--", program});
    EXPECT_EQ(result.status, status) << program;
    EXPECT_THAT(result.errors, StartsWith("tutti launch: "));
    EXPECT_THAT(result.errors, HasSubstr(message));
    EXPECT_EQ(result.output, "");
  }
}

TEST_F(Launch, SaysThatWhatRunsAProgramOnPathIsMissing) {
  const std::string lost = folder_.write("lost", "#!/no/such/interpreter\n");
  std::filesystem::permissions(lost, std::filesystem::perms::owner_all);
  const CommandResult result =
      run_command({"/usr/bin/env", "PATH=" + folder_.path().string(), TUTTI_BINARY_DIR "/bin/tutti",
                   "launch", "-n", "1", "--", "lost"});
  EXPECT_EQ(result.status, 127);
  EXPECT_THAT(result.errors, HasSubstr("cannot start '" + lost + "': No such file"));
  EXPECT_THAT(result.errors, HasSubstr("what is to run it, as its first line says, is not there"));
}

}  // namespace
}  // namespace tutti::test::launch_test
