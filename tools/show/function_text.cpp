#include "tools/show/function_text.h"

#include <tutti/ir/names.h>
#include <tutti/ir/support/error.h>
#include <tutti/ir/text/print.h>

#include <algorithm>

namespace tutti::tools::show {

namespace {

constexpr std::string_view kBlank = " \n";

// The place behind the string that begins there, or `at` itself if none does.
std::size_t behind_string(std::string_view text, std::size_t at) {
  if (text[at] != '"') return at;
  for (++at; at < text.size() && text[at] != '"'; ++at) {
    if (text[at] == '\\') ++at;
  }
  return std::min(at + 1, text.size());
}

// The first place from `at` on, outside strings and brackets, where `is_end` holds.
template <class IsEnd>
std::size_t find_outside(std::string_view text, std::size_t at, IsEnd&& is_end) {
  int depth = 0;
  while (at < text.size()) {
    if (const std::size_t behind = behind_string(text, at); behind != at) {
      at = behind;
      continue;
    }
    const char c = text[at];
    if (depth == 0 && is_end(at)) return at;
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '}') --depth;
    ++at;
  }
  return text.size();
}

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = std::min(text.find_first_not_of(kBlank), text.size());
  text.remove_prefix(begin);
  return text.substr(0, text.find_last_not_of(kBlank) + 1);
}

NodeText parameter_text(std::string_view text) {
  const std::size_t colon = text.find(": ");
  NodeText out{
      .code = text, .names = text.substr(0, colon), .attributes = {}, .types = {}, .source = {}};
  out.types = text.substr(std::min(colon + 2, text.size()));
  return out;
}

// The number of a node's kernel comes last.
std::string_view without_kernel(std::string_view attributes) {
  constexpr std::string_view kKernel = "fusion = ";
  const std::size_t at = attributes.rfind(kKernel);
  if (at == attributes.npos) return attributes;
  const std::string_view number = attributes.substr(at + kKernel.size());
  const bool is_last = number.find_first_not_of("0123456789") == number.npos;
  const bool is_own = at == 0 || attributes.substr(0, at).ends_with(", ");
  return is_last && is_own ? attributes.substr(0, at == 0 ? 0 : at - 2) : attributes;
}

NodeText node_text(std::string_view line) {
  NodeText out;
  const std::size_t comment =
      find_outside(line, 0, [&](std::size_t at) { return line.substr(at).starts_with("// "); });
  out.code = trimmed(line.substr(0, comment));
  if (comment < line.size()) out.source = trimmed(line.substr(comment + 3));
  std::string_view rest = out.code;
  if (rest.starts_with('%')) {
    const std::size_t sign = rest.find(" = ");
    out.names = rest.substr(0, sign);
    rest.remove_prefix(sign);
  }
  rest.remove_prefix(std::min(rest.find(')'), rest.size() - 1) + 1);  // behind the operands
  if (rest.starts_with(" {")) {
    rest.remove_prefix(2);
    const std::size_t end = find_outside(rest, 0, [&](std::size_t at) { return rest[at] == '}'; });
    out.attributes = without_kernel(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  if (rest.starts_with(" : ")) out.types = rest.substr(3);
  return out;
}

}  // namespace

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    out.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

FunctionText::FunctionText(const ir::Graph& function) : text_(ir::print(function)) {
  const std::string head = "\nfunc @" + ir::name_or_quoted(function.name) + "(";
  const std::size_t begin = text_.find(head);
  if (begin == text_.npos) throw InternalError("the text of @" + function.name + " lacks it");
  const std::string_view text = std::string_view(text_).substr(begin + 1);
  std::size_t at = head.size() - 1;
  std::vector<std::string_view> parameters;
  while (at < text.size() && text[at] != ')') {
    const std::size_t end = find_outside(
        text, at, [&](std::size_t place) { return text[place] == ',' || text[place] == ')'; });
    parameters.push_back(trimmed(text.substr(at, end - at)));
    at = end < text.size() && text[end] == ',' ? end + 1 : end;
  }
  at = std::min(text.find('\n', at), text.size() - 1);
  signature_ = text.substr(0, at);
  const std::vector<std::string_view> lines = lines_of(text.substr(at + 1));
  std::size_t parameter = 0;
  std::size_t line = 0;
  for (ir::NodeId id = 0; id < function.node_count(); ++id) {
    const bool is_parameter = function.node(id).op == ir::Op::parameter;
    const bool there = is_parameter ? parameter < parameters.size() : line < lines.size();
    if (!there) throw InternalError("the text of @" + function.name + " lacks a node");
    nodes_.push_back(is_parameter ? parameter_text(parameters[parameter++])
                                  : node_text(lines[line++]));
  }
}

}  // namespace tutti::tools::show
