#include <tutti/codegen/driver/dump_page.h>

namespace tutti::codegen::page {

namespace {

constexpr std::string_view kStyle = R"(<style>
:root{color-scheme:light dark;--line:light-dark(#ddd,#3a3a3a);--soft:light-dark(#667,#9aa);--box:light-dark(#fafafa,#1b1d20);--mark:light-dark(#fff1b8,#4a3f12);--link:light-dark(#0b57a4,#8ab4f8)}
*{box-sizing:border-box}
body{margin:0 auto;padding:1rem;max-width:100rem;font:16px/1.45 system-ui,sans-serif}
a{color:var(--link);text-decoration:none}a:hover{text-decoration:underline}
h1{font-size:1.3rem;margin:0}h2{font-size:1.05rem;margin:0}
small,.soft{color:var(--soft);font-size:.9rem}
nav{display:flex;flex-wrap:wrap;gap:.3rem .9rem;margin:.5rem 0}article nav{margin:.2rem 0;font-size:.9rem}
pre{margin:.5rem 0 0;padding:.7rem;overflow:auto;max-height:75vh;background:var(--box);border:1px solid var(--line);border-radius:6px;font:12.5px/1.5 ui-monospace,monospace}
section,article{margin:.8rem 0 0;padding:.6rem 0 0;border-top:1px solid var(--line)}
section>header{display:flex;flex-wrap:wrap;gap:0 .8rem;align-items:baseline}
details{margin:.4rem 0;border:1px solid var(--line);border-radius:6px;padding:.4rem .7rem}
summary{cursor:pointer;overflow-wrap:anywhere}
.texts{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(30rem,100%),1fr));gap:.8rem}
.texts>div{min-width:0}
.at{cursor:pointer}.at:hover,.on{background:var(--mark)}
table{border-collapse:collapse}td{padding:.1rem 1.5rem .1rem 0;font-variant-numeric:tabular-nums}
.bad{color:light-dark(#b3261e,#f2857c);white-space:pre-wrap;overflow-wrap:anywhere}
label{cursor:pointer}
@media(min-width:60rem){body:has(#side:checked){display:flex;gap:1rem;max-width:none;overflow-x:auto;align-items:flex-start}
body:has(#side:checked)>header{flex:0 0 15rem}body:has(#side:checked)>header nav{flex-direction:column}
body:has(#side:checked)>section{flex:0 0 44rem;min-width:0;margin:0}
body:has(#side:checked)>section:not(:has(pre,details)){flex-basis:9rem}body:has(#side:checked) .texts{grid-template-columns:1fr}}
@media(max-width:60rem){label{display:none}}
</style>
)";

// A click on a line of the user's program marks everything that came of it.
constexpr std::string_view kMarkLines = R"(<script>
addEventListener('click',e=>{const t=e.target.closest('.at');if(!t)return;const on=!t.classList.contains('on');
document.querySelectorAll('.on').forEach(x=>x.classList.remove('on'));
if(on)document.querySelectorAll('.at').forEach(x=>{if(x.dataset.at.split(' ').some(a=>t.dataset.at.split(' ').includes(a)))x.classList.add('on')})})
</script>
)";

constexpr std::string_view kFillRows = R"(<script>
function done(id,text,bad){for(const row of document.querySelectorAll('article'))if(row.id===id){const p=row.querySelector('.state');p.textContent=text;if(bad)p.classList.add('bad')}}
</script>
)";

std::string start(std::string_view title) {
  return "<!DOCTYPE html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\">"
         "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">"
         "<title>" +
         escaped(title) + "</title>\n" + std::string(kStyle) + "</head>\n<body>\n";
}

// A string of JavaScript inside a script element.
std::string script_string(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = byte >= ' ' && c != '"' && c != '\\' && c != '<' && c != '>' && c != '&';
    if (plain) {
      out += c;
    } else {
      out += "\\x";
      out += kDigits[byte >> 4];
      out += kDigits[byte & 15];
    }
  }
  return out + "\"";
}

// "train.cpp:41" from a line that ends with "// train.cpp:41"; else nothing.
std::string_view source_of(std::string_view line) {
  constexpr std::string_view kSign = "// ";
  const std::size_t at = line.rfind(kSign);
  if (at == line.npos) return {};
  const std::string_view source = line.substr(at + kSign.size());
  const bool is_one = source.find(':') != source.npos && source.find(' ') == source.npos;
  return is_one ? source : std::string_view();
}

std::string marked(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    if (const std::string_view source = source_of(line); source.empty()) {
      out += escaped(line);
    } else {
      out += "<span class=\"at\" data-at=\"" + escaped(source) + "\">" + escaped(line) + "</span>";
    }
    out += '\n';
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
  }
  return out;
}

std::string file_link(const std::string& file) {
  if (file.empty()) return {};
  return " <a href=\"" + escaped(file) + "\">" + escaped(file) + "</a>";
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string index_begin() {
  return start("Tutti: what was compiled") + std::string(kFillRows) +
         "<h1>What was compiled</h1>\n<p class=\"soft\">Oldest first. Each links to its stages on "
         "one page; a later run adds its own below.</p>\n";
}

std::string index_row(const IndexRow& row) {
  const std::string link = escaped(row.link);
  std::string out = "<article id=\"" + link + "\"><a href=\"" + link + "/index.html\"><b>" +
                    escaped(row.name) + "</b></a>";
  if (!row.line.empty()) out += " " + escaped(row.line);
  out += " <small>rank " + std::to_string(row.rank) + ", " + std::to_string(row.nodes) +
         (row.nodes == 1 ? " node" : " nodes") + ", " + link + "</small>\n<nav>";
  for (const std::string& stage : row.stages) {
    out += "<a href=\"" + link + "/index.html#" + escaped(stage) + "\">" + escaped(stage) + "</a> ";
  }
  return out + "</nav><small class=\"state\">not compiled to the end</small></article>\n";
}

std::string index_result(const std::string& link, const std::string& result) {
  return "<script>done(" + script_string(link) + "," + script_string(result) + ")</script>\n";
}

std::string index_failure(const std::string& link, const std::string& what) {
  return "<script>done(" + script_string(link) + "," + script_string("failed: " + what) +
         ",true)</script>\n";
}

std::string begin(const Heading& heading) {
  std::string title = heading.title;
  if (!heading.line.empty()) title += " " + heading.line;
  std::string out = start(title) + std::string(kMarkLines) + "<header>\n<h1>" +
                    escaped(heading.title) + "</h1>\n<div class=\"soft\">" +
                    (heading.line.empty() ? "" : escaped(heading.line) + ", ") + "rank " +
                    std::to_string(heading.rank) +
                    "</div>\n<nav><a href=\"../../index.html\">all executables</a>";
  for (const std::string& stage : heading.stages) {
    out += " <a href=\"#" + escaped(stage) + "\">" + escaped(stage) + "</a>";
  }
  return out +
         "</nav>\n<label><input type=\"checkbox\" id=\"side\"> side by side</label>\n<div "
         "class=\"soft\">Click a line to mark everything that came of the same line of the "
         "program.</div>\n</header>\n";
}

std::string stage(const std::string& name, const std::string& note, const std::string& file,
                  std::string_view text) {
  std::string out = "<section id=\"" + escaped(name) + "\"><header><h2>" + escaped(name) +
                    "</h2><small>" + escaped(note) + file_link(file) + "</small></header>";
  if (!text.empty()) out += "<pre>" + marked(text) + "</pre>";
  return out + "</section>\n";
}

std::string kernels_begin(std::size_t distinct, std::size_t all) {
  return "<section id=\"kernels\"><header><h2>kernels</h2><small>" + std::to_string(distinct) +
         (distinct == all ? "" : " different ones of " + std::to_string(all)) +
         "</small></header>\n";
}

std::string kernel(const std::string& title, const std::vector<std::string>& lines,
                   const std::vector<KernelText>& texts) {
  std::string sources;
  for (const std::string& line : lines) sources += (sources.empty() ? "" : " ") + line;
  std::string out = "<details><summary class=\"at\" data-at=\"" + escaped(sources) + "\">" +
                    escaped(title) + " <small>" + escaped(sources) +
                    "</small></summary><div class=\"texts\">\n";
  for (const KernelText& text : texts) {
    out += "<div><small>" + escaped(text.name) + file_link(text.file) + "</small><pre>" +
           escaped(text.text) + "</pre></div>\n";
  }
  return out + "</div></details>\n";
}

std::string kernels_end() { return "</section>\n"; }

std::string times(const std::vector<std::pair<std::string, std::string>>& rows) {
  std::string out =
      "<section id=\"times\"><header><h2>times</h2><small>of compiling</small></header><table>";
  for (const auto& [part, time] : rows) {
    out += "<tr><td>" + escaped(part) + "</td><td>" + escaped(time) + "</td></tr>";
  }
  return out + "</table></section>\n";
}

std::string failure(std::string_view what) {
  return "<section id=\"failure\"><header><h2>failed</h2></header><div class=\"bad\">" +
         escaped(what) + "</div></section>\n";
}

}  // namespace tutti::codegen::page
