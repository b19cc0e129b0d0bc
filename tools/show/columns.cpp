#include "tools/show/columns.h"

#include <tutti/ir/names.h>

#include <algorithm>
#include <array>

#include "tools/show/format.h"
#include "tools/show/function_text.h"
#include "tools/show/plan_memory.h"
#include "tools/show/usage.h"

namespace tutti::tools::show {

namespace {

constexpr std::size_t kNumberWidth = 9;  // "93.5 MiB" and a blank

std::string right(std::string text, std::size_t width) {
  if (text.size() < width) text.insert(0, width - text.size(), ' ');
  return text;
}

std::string left(std::string text, std::size_t width) {
  if (text.size() < width) text.append(width - text.size(), ' ');
  return text;
}

// The name of a node for people: that of its first result, or its op.
std::string name_of(const ir::Graph& function, const FunctionText& text, ir::NodeId id) {
  const std::string_view names = text.node(id).names;
  return std::string(names.empty() ? ir::name_of(function.node(id).op)
                                   : names.substr(0, names.find(',')));
}

struct Columns {
  std::string bytes;
  std::string live;
  std::string uses;
  std::string last;
};

constexpr std::size_t kLongestName = 16;

std::string column_line(const Columns& columns, std::string_view text, std::size_t last_width) {
  std::string out = right(columns.bytes, kNumberWidth) + right(columns.live, kNumberWidth + 1) +
                    right(columns.uses, 6) + "  " + left(columns.last, last_width) + "  ";
  out += text;
  out.erase(out.find_last_not_of(' ') + 1);
  return out + "\n";
}

Columns columns_of(const ir::Graph& function, const FunctionText& text, const Usage& usage,
                   ir::NodeId id) {
  const NodeUse& use = usage.nodes[id];
  Columns out{.bytes = bytes_text(use.bytes),
              .live = bytes_text(use.live),
              .uses = std::to_string(use.uses),
              .last = "-"};
  if (use.last_use == kReturned) out.last = "return";
  if (use.last_use >= 0) {
    out.last =
        shortened(name_of(function, text, static_cast<ir::NodeId>(use.last_use)), kLongestName);
  }
  return out;
}

}  // namespace

std::string text_with_columns(const ir::Graph& function) {
  const FunctionText text(function);
  const Usage usage = find_usage(function);
  std::vector<Columns> columns;
  std::size_t last_width = std::string_view("last use").size();
  for (ir::NodeId id = 0; id < function.node_count(); ++id) {
    if (function.node(id).op == ir::Op::parameter) continue;
    columns.push_back(columns_of(function, text, usage, id));
    last_width = std::max(last_width, columns.back().last.size());
  }
  const Columns head{.bytes = "bytes", .live = "live", .uses = "uses", .last = "last use"};
  std::string out = column_line(head, {}, last_width);
  // The nodes are the lines between the signature and the return.
  const std::string_view all = text.text();
  const auto offset = static_cast<std::size_t>(text.signature().data() - all.data());
  const std::string_view body = all.substr(offset + text.signature().size() + 1);
  for (const std::string_view row : lines_of(all.substr(0, offset + text.signature().size()))) {
    out += column_line({}, row, last_width);
  }
  std::size_t next = 0;
  for (const std::string_view row : lines_of(body)) {
    out += column_line(next < columns.size() ? columns[next] : Columns(), row, last_width);
    ++next;
  }
  out += "\n" + ir::counted(columns.size(), "node") + ", " +
         ir::counted(function.parameters().size(), "parameter") + " of " +
         bytes_text(usage.parameter_bytes);
  if (usage.peak > 0) {
    out += ", at most " + bytes_text(usage.peak) + " live, after " +
           name_of(function, text, usage.peak_at);
  }
  return out + "\n";
}

std::string text_with_columns(const codegen::Plan& plan) {
  const PlanMemory memory = find_memory(plan);
  const auto row = [](const std::string& local, const std::string& comm, std::string_view text) {
    std::string out = right(local, kNumberWidth) + right(comm, kNumberWidth + 1) + "  ";
    out += text;
    out.erase(out.find_last_not_of(' ') + 1);
    return out + "\n";
  };
  std::string out = row("local", "comm", "");
  const std::string text = codegen::print(plan);
  std::size_t next = 0;
  for (const std::string_view each : lines_of(text)) {
    const std::string_view trimmed =
        each.substr(std::min(each.find_first_not_of(' '), each.size()));
    const bool starts =
        next < plan.steps.size() && trimmed.starts_with(std::to_string(next) + ": ");
    if (starts) {
      out += row(bytes_text(memory.local[next]), bytes_text(memory.comm[next]), each);
      ++next;
    } else {
      out += row("", "", each);
    }
  }
  const auto most = [](const std::vector<std::int64_t>& of) {
    return of.empty() ? 0 : *std::ranges::max_element(of);
  };
  return out + "\n" + ir::counted(plan.steps.size(), "step") + ", at most " +
         bytes_text(most(memory.local)) + " live in arenas, " + bytes_text(most(memory.comm)) +
         " for collectives, " + bytes_text(most(memory.output)) + " of results\n";
}

}  // namespace tutti::tools::show
