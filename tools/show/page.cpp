#include "tools/show/page.h"

#include <tutti/codegen/driver/dump_page.h>
#include <tutti/ir/support/error.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "tools/show/format.h"
#include "tools/show/page/embedded.h"
#include "tools/show/page_data.h"

namespace tutti::tools::show {

namespace {

std::string_view embedded(std::string_view name) {
  for (const EmbeddedText& text : embedded_texts()) {
    if (text.name == name) return text.text;
  }
  throw InternalError("the text '" + std::string(name) + "' of the page is not embedded");
}

// Where a script element could end before its time.
std::string without_markup(const std::string& json) {
  std::string out;
  out.reserve(json.size());
  for (const char c : json) {
    if (c == '<') {
      out += "\\u003c";
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace

std::string page_text(std::span<const ir::Graph* const> functions, const PageOptions& options) {
  std::string script;
  // In this order: later files use what earlier ones define.
  for (const char* const file :
       {"model", "list", "program", "changes", "picture", "plan", "main", "check"}) {
    script += embedded(file);
  }
  const std::pair<std::string_view, std::string> parts[] = {
      {"<!--title-->", codegen::page::escaped(printable(options.file))},
      {"<!--style-->", std::string(embedded("style"))},
      {"<!--data-->", without_markup(page_data(functions, options))},
      {"<!--script-->", script},
  };
  std::string out;
  std::string_view rest = embedded("skeleton");
  for (const auto& [mark, text] : parts) {
    const std::size_t at = rest.find(mark);
    if (at == rest.npos) throw InternalError("the page lacks " + std::string(mark));
    out += rest.substr(0, at);
    out += text;
    rest.remove_prefix(at + mark.size());
  }
  return out += rest;
}

}  // namespace tutti::tools::show
