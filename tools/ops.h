#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

namespace tutti::tools {

enum class OpsFormat : std::uint8_t { text, markdown, json };

struct OpsOptions {
  std::vector<std::string> names;  // empty: all
  OpsFormat format = OpsFormat::text;
};

// Lists the ops of the IR: name, operands, attributes, dtypes, gradient, where they run, meaning.
// Throws UsageError for a name that is no op's.
void list_ops(const OpsOptions& options, std::ostream& out);

}  // namespace tutti::tools
