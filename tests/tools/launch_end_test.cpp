// How `tutti launch` ends: well, by failures, by signals; and that nothing is left behind.

#include <array>
#include <csignal>
#include <functional>
#include <map>

#include "tests/tools/launch_testing.h"
#include <pty.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tutti::test::launch_end_test {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// Says the rank's number, and that of a process that it started.
const std::string kSayNumbers =
    "sleep 1000 &\n"
    "echo $! > $F/child.$RANK\n"
    "echo $$ > $F/rank.$RANK\n";

// Waits, but not for the processes that the rank started.
const std::string kWait = "while :; do read x < $F/pipe; done\n";
// The same where a trap has to run: a signal between its commands and the opening of the pipe would
// not end that.
const std::string kWaitForSignal = "while :; do sleep 0.05; done\n";

class LaunchEnd : public Launch {
 protected:
  void SetUp() override {
    ASSERT_EQ(mkfifo((folder_.path() / "pipe").c_str(), 0600), 0);  // nobody writes to it
  }
  void expect_all_started(int ranks) {
    for (int rank = 0; rank < ranks; ++rank) {
      ASSERT_TRUE(comes_to_say("rank." + std::to_string(rank)));
    }
  }
  void expect_nothing_left(int ranks) {
    for (int rank = 0; rank < ranks; ++rank) {
      for (const std::string kind : {"rank.", "child."}) {
        EXPECT_TRUE(ends(number_in(kind + std::to_string(rank)))) << kind << rank;
      }
    }
  }
};

TEST_F(LaunchEnd, GivesTheExitCode) {
  EXPECT_EQ(launch({"-n", "2"}, "exit 0").status, 0);
  const CommandResult result = launch({"-n", "1"}, "exit 3");
  EXPECT_EQ(result.status, 3);
  EXPECT_EQ(result.errors, "tutti launch: rank 0 exited with code 3; it printed nothing\n");
  EXPECT_EQ(launch({"-n", "2"}, "exit 255").status, 255);
  EXPECT_EQ(launch({"-n", "1"}, "kill -SEGV $$").status, 128 + SIGSEGV);
}

TEST_F(LaunchEnd, ARankMayEndWellBeforeTheOthers) {
  const CommandResult result = launch({"-n", "2"},
                                      "if [ $RANK = 0 ]; then echo $$ > $F/rank.0; exit 0; fi\n"
                                      "until [ -s $F/rank.0 ]; do :; done; read first < $F/rank.0\n"
                                      "while read stat < /proc/$first/stat; do\n"
                                      "  case $stat in *\") Z \"*) break;; esac\n"
                                      "done 2> /dev/null\n"
                                      "echo goes on");
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.output, "[1] goes on\n");
}

TEST_F(LaunchEnd, ADeathEndsAll) {
  const CommandResult result =
      launch({"-n", "3"}, kSayNumbers +
                              "if [ $RANK = 1 ]; then\n"
                              "  until [ -s $F/rank.0 ] && [ -s $F/rank.2 ]; do :; done\n"
                              "  echo last words; kill -9 $$\n"
                              "fi\n" +
                              kWait);
  EXPECT_EQ(result.status, 128 + SIGKILL);
  EXPECT_EQ(result.output, "[1] last words\n");
  EXPECT_THAT(result.errors,
              AllOf(StartsWith("tutti launch: rank 1 was killed by signal 9 (Killed); its last "
                               "lines:\n  | last words\ntutti launch: rank"),
                    ContainsRegex("0.*: killed by signal (15|9) \\(.*\\) by the launcher\n")));
  expect_nothing_left(3);
}

TEST_F(LaunchEnd, EvenOfRanksThatIgnoreSigterm) {
  const CommandResult result =
      launch({"-n", "2"}, "trap '' TERM\n" + kSayNumbers +
                              "if [ $RANK = 0 ]; then\n"
                              "  until [ -s $F/rank.1 ]; do :; done; exit 4\n"
                              "fi\n" +
                              kWait);
  EXPECT_EQ(result.status, 4);
  EXPECT_THAT(result.errors,
              AllOf(StartsWith("tutti launch: rank 0 exited with code 4"),
                    HasSubstr("rank 1: killed by signal 9 (Killed) by the launcher\n")));
  expect_nothing_left(2);
}

TEST_F(LaunchEnd, TheOthersMayStillSaySomething) {
  // Rank 0 reads from a pipe to which only rank 1 writes: like a rank whose peer has left.
  const CommandResult result = launch({"-n", "2"},
                                      "if [ $RANK = 1 ]; then exec > $F/pipe; kill -9 $$; fi\n"
                                      "read x < $F/pipe; echo rank 1 has left >&2; exit 1");
  EXPECT_EQ(result.status, 128 + SIGKILL);
  EXPECT_THAT(result.errors, AllOf(HasSubstr("[0] rank 1 has left\n"),
                                   HasSubstr("rank 1 was killed by signal 9 (Killed)"),
                                   HasSubstr("rank 0: exited with code 1\n")));
}

TEST_F(LaunchEnd, ShowsTheLastLines) {
  const CommandResult result =
      launch({"-n", "1"},
             "for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do echo o$i; done\n"
             "for i in 1 2 3 4 5 6 7 8 9 10; do echo e$i >&2; done; exit 1");
  const std::string summary = result.errors.substr(result.errors.find("its last lines"));
  EXPECT_EQ(sorted_lines(summary).size(), 21);  // the first one says what follows
  EXPECT_THAT(summary, HasSubstr("  | e10\n"));
}

TEST_F(LaunchEnd, NothingOutlivesAKilledLauncher) {
  RunningCommand launcher(command({"-n", "3"}, kSayNumbers + kWait));
  expect_all_started(3);
  launcher.send(SIGKILL);
  EXPECT_EQ(launcher.wait().status, 128 + SIGKILL);
  expect_nothing_left(3);
}

TEST_F(LaunchEnd, DoesNotWaitForProcessesInTheBackground) {
  const CommandResult result = launch({"-n", "2"}, kSayNumbers + "echo done");
  EXPECT_EQ(result.status, 0) << result.errors;
  EXPECT_THAT(sorted_lines(result.output), testing::ElementsAre("[0] done", "[1] done"));
  expect_nothing_left(2);
  // One that prints for ever, and has left the rank's process group.
  const CommandResult noisy = launch({"-n", "1"},
                                     "setsid sh -c 'echo $$ > $0/noisy; exec yes' $F &\n"
                                     "until [ -s $F/noisy ]; do :; done");
  EXPECT_EQ(noisy.status, 0);
  EXPECT_TRUE(ends(number_in("noisy")));  // of the closed pipe
}

TEST_F(LaunchEnd, PassesSignalsOn) {
  for (const std::string signal : {"INT", "TERM", "HUP", "USR1", "USR2"}) {
    const std::map<std::string, int> numbers = {
        {"INT", SIGINT}, {"TERM", SIGTERM}, {"HUP", SIGHUP}, {"USR1", SIGUSR1}, {"USR2", SIGUSR2}};
    const std::string ready = "ready." + signal;
    RunningCommand launcher(command({"-n", "2"}, "trap 'echo got " + signal + "; exit 0' " +
                                                     signal + "\n" + "echo > $F/" + ready +
                                                     ".$RANK\n" + kWaitForSignal));
    ASSERT_TRUE(comes_to_say(ready + ".0"));
    ASSERT_TRUE(comes_to_say(ready + ".1"));
    launcher.send(numbers.at(signal));
    const CommandResult result = launcher.wait();
    EXPECT_EQ(result.status, 0) << result.errors;
    EXPECT_THAT(sorted_lines(result.output),
                testing::ElementsAre("[0] got " + signal, "[1] got " + signal));
  }
}

TEST_F(LaunchEnd, ASignalThatEndsRanksIsNamed) {
  RunningCommand launcher(command({"-n", "2"}, kSayNumbers + kWait));
  expect_all_started(2);
  launcher.send(SIGTERM);
  const CommandResult result = launcher.wait();
  EXPECT_EQ(result.status, 128 + SIGTERM);
  EXPECT_THAT(result.errors,  // either may be seen first
              testing::MatchesRegex("tutti launch: rank [01] was killed by signal 15 "
                                    "\\(Terminated\\), after SIGTERM was passed on\n"));
  expect_nothing_left(2);
}

TEST_F(LaunchEnd, AFailureBehindASignalThatWasSurvivedIsExplained) {
  RunningCommand launcher(command({"-n", "1"},
                                  "trap 'heard=1' HUP\necho > $F/ready.0\n"
                                  "until [ \"$heard\" ]; do sleep 0.05; done\n"
                                  "echo last words; exit 3"));
  ASSERT_TRUE(comes_to_say("ready.0"));
  launcher.send(SIGHUP);
  const CommandResult result = launcher.wait();
  EXPECT_EQ(result.status, 3);
  EXPECT_THAT(result.errors, AllOf(HasSubstr("tutti launch: rank 0 exited with code 3, after "
                                             "SIGHUP was passed on; its last lines:\n"),
                                   HasSubstr("  | last words\n")));
}

TEST_F(LaunchEnd, ASecondInterruptKills) {
  RunningCommand launcher(
      command({"-n", "2"}, "trap 'echo > $F/interrupted.$RANK' INT\n" + kSayNumbers + kWait));
  expect_all_started(2);
  launcher.send(SIGINT);
  ASSERT_TRUE(comes_to_say("interrupted.0"));
  ASSERT_TRUE(comes_to_say("interrupted.1"));
  launcher.send(SIGINT);
  EXPECT_EQ(launcher.wait().status, 128 + SIGKILL);
  expect_nothing_left(2);
}

TEST_F(LaunchEnd, StopsAndContinues) {
  RunningCommand launcher(command({"-n", "2"}, "trap 'exit 0' USR1\n" + kSayNumbers + kWait));
  expect_all_started(2);
  const auto all_are = [&](char state) {
    return (state_of(launcher.id()) == 'T') == (state == 'T') &&
           (state_of(number_in("rank.0")) == 'T') == (state == 'T') &&
           (state_of(number_in("rank.1")) == 'T') == (state == 'T');
  };
  launcher.send(SIGTSTP);
  EXPECT_TRUE(comes_true([&] { return all_are('T'); }));
  launcher.send(SIGCONT);
  EXPECT_TRUE(comes_true([&] { return all_are('S'); }));
  launcher.send(SIGUSR1);
  EXPECT_EQ(launcher.wait().status, 0);
}

TEST_F(LaunchEnd, EndsThoughNobodyReadsItsOutput) {
  std::array<int, 2> pipe{};
  ASSERT_EQ(::pipe(pipe.data()), 0);
  {
    RunningCommand launcher(command({"-n", "2"}, kSayNumbers + "exec yes"), pipe[1]);
    expect_all_started(2);
    launcher.send(SIGTERM);
    EXPECT_EQ(launcher.wait().status, 128 + SIGTERM);
    expect_nothing_left(2);
  }
  close(pipe[0]);
  close(pipe[1]);
}

[[noreturn]] void become(const std::vector<std::string>& words) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  execv(arguments[0], arguments.data());
  _exit(127);
}

// What a process shows in a terminal of its own, in which something is typed.
std::string shown_in_terminal(const std::function<void()>& process, const std::string& typed) {
  int terminal = -1;
  const pid_t launcher = forkpty(&terminal, nullptr, nullptr, nullptr);
  EXPECT_GE(launcher, 0);
  if (launcher == 0) process();
  EXPECT_EQ(write(terminal, typed.data(), typed.size()), static_cast<ssize_t>(typed.size()));
  std::string shown;
  std::array<char, 1024> bytes;
  while (true) {  // an error at the end, when nobody has the terminal open
    const ssize_t taken = read(terminal, bytes.data(), bytes.size());
    if (taken <= 0) break;
    shown.append(bytes.data(), static_cast<std::size_t>(taken));
  }
  int status = -1;
  waitpid(launcher, &status, 0);
  close(terminal);
  EXPECT_EQ(status, 0);
  return shown;
}

TEST_F(LaunchEnd, HandsOnWhatIsTyped) {
  std::vector<std::string> words =
      command({"-n", "2"}, "while read x; do echo \"got $x\"; done; echo end");
  const std::string typed = "first\nsecond\n\004";  // control-D
  words.insert(words.begin(), {"/usr/bin/env", "TERM=xterm", "NO_COLOR="});
  const std::string shown = shown_in_terminal([&] { become(words); }, typed);
  for (const char* const line :
       {"\033[31m[0]\033[0m got first\r\n", "\033[31m[0]\033[0m got second\r\n",
        "\033[31m[0]\033[0m end\r\n", "\033[32m[1]\033[0m end\r\n"}) {
    EXPECT_THAT(shown, HasSubstr(line));
  }
  words[2] = "NO_COLOR=1";
  const std::string plain = shown_in_terminal([&] { become(words); }, typed);
  EXPECT_THAT(plain, AllOf(HasSubstr("[0] got first\r\n"), Not(HasSubstr("\033"))));
}

TEST_F(LaunchEnd, HearsWhatIsTypedOnceItComesToTheForeground) {
  const std::vector<std::string> words =
      command({"-n", "1"}, "echo > $F/ready.0; read x; echo \"got $x\"");
  // As a shell does with a job in the background.
  const auto shell = [&] {
    alarm(60);
    const pid_t launcher = fork();
    if (launcher == 0) {
      setpgid(0, 0);
      become(words);
    }
    setpgid(launcher, launcher);
    const bool waits = comes_to_say("ready.0") &&
                       comes_true([&] { return state_of(launcher) == 'S'; }) &&
                       tcsetpgrp(STDIN_FILENO, launcher) == 0;
    int status = -1;
    if (waits) waitpid(launcher, &status, 0);
    _exit(status == 0 ? 0 : 1);
  };
  EXPECT_THAT(shown_in_terminal(shell, "word\n"), HasSubstr("got word\r\n"));
}

}  // namespace
}  // namespace tutti::test::launch_end_test
