#include <tutti/codegen/plan/step_printer.h>
#include <tutti/ir/names.h>
#include <tutti/ir/text/location_text.h>

namespace tutti::codegen {

std::string StepPrinter::names(const std::vector<BufferId>& buffers) {
  std::string out;
  for (const BufferId buffer : buffers) out += (out.empty() ? "" : ", ") + name(buffer);
  return out;
}

std::string StepPrinter::on(Device device) { return device.is_cpu() ? "" : " on " + device.text(); }

std::string StepPrinter::region(int number) const {
  return "r" + std::to_string(number) + " @" + ir::name_or_quoted(plan_.regions[at(number)].name);
}

void StepPrinter::begin_line(std::string_view text) {
  line_ = out_.size();
  out_.append(indent_, ' ');
  out_ += text;
}

void StepPrinter::end_line(const Location& location) {
  ir::append_location(out_, location, out_.size() - line_);
  out_ += '\n';
}

}  // namespace tutti::codegen
