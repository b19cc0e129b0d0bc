#pragma once

#include <tutti/ir/verify/verify_spmd.h>

#include <string>
#include <vector>

// Short programs of several ranks, to be compared.
namespace tutti::test {

// Compares files, one a rank; a rank runs all functions of its file.
ir::SpmdReport compare_files(const std::vector<std::string>& files);

// The same of one function a rank, `(%x: f32[4], %y: i32[4])`, whose bodies are given, with the
// groups that all of them declare.
ir::SpmdReport compare(const std::string& groups, const std::vector<std::string>& bodies);

// The text of that function.
std::string spmd_file(const std::string& groups, const std::string& body);

// A message of %x, f32[4], in group @pp, at a.cpp:line.
std::string send(const std::string& to, const std::string& line);
std::string receive(const std::string& name, const std::string& from, const std::string& line,
                    const std::string& shape = "[4]");
// Waits for what was received, and uses it.
std::string use(const std::string& name);

}  // namespace tutti::test
