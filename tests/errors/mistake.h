#pragma once

#include <tutti/tutti.h>

#include <vector>

// A refused program per file, as a test and as a sample of its message:
// tests/errors/lazy/<name>.cpp begins with
//   // TypeError: <regular expression that the message matches>
// and the message begins with the line that is marked `// here`, if one is.
namespace tutti::test {

struct Mistake {
  const char* file;
  void (*run)();
};
std::vector<Mistake>& mistakes();

struct AddMistake {
  AddMistake(const char* file, void (*run)()) { mistakes().push_back({file, run}); }
};

}  // namespace tutti::test

// The body follows: TUTTI_MISTAKE { ... }. Several files may be compiled as one.
#define TUTTI_MISTAKE TUTTI_COUNTED_MISTAKE(__COUNTER__)
#define TUTTI_COUNTED_MISTAKE(number) TUTTI_NUMBERED_MISTAKE(number)
#define TUTTI_NUMBERED_MISTAKE(number) TUTTI_MISTAKE_NAMED(mistake_##number, added_##number)
#define TUTTI_MISTAKE_NAMED(mistake, added)                        \
  using namespace tutti;                                           \
  static void mistake();                                           \
  static const ::tutti::test::AddMistake added(__FILE__, mistake); \
  static void mistake()
