#pragma once

// What is wrong with plans that are made wrong on purpose.

#include <tutti/codegen/plan/check_plan.h>
#include <tutti/codegen/plan/parse_plan.h>
#include <tutti/ir/support/error.h>

#include <string>

#include <gtest/gtest.h>

namespace tutti::test {

// "" if the plan is accepted.
inline std::string complaint(const codegen::Plan& plan) {
  try {
    codegen::check(plan);
  } catch (const InternalError& error) {
    return error.what();
  }
  return "";
}
inline std::string complaint(const std::string& text) {
  return complaint(codegen::parse_plan(text));
}

// The text with one piece of it replaced, which must be there once.
inline std::string with(std::string text, const std::string& piece, const std::string& by) {
  const std::size_t at = text.find(piece);
  EXPECT_NE(at, text.npos) << piece;
  EXPECT_EQ(text.find(piece, at + 1), text.npos) << piece;
  return text.replace(at, piece.size(), by);
}

}  // namespace tutti::test
