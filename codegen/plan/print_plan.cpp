#include <tutti/codegen/plan/plan.h>
#include <tutti/codegen/plan/step_printer.h>
#include <tutti/ir/literal.h>
#include <tutti/ir/names.h>
#include <tutti/ir/type_text.h>

#include <string>
#include <unordered_map>
#include <utility>

namespace tutti::codegen {

namespace {

using ir::name_or_quoted;

// What the plans of one file share: names of groups, and the functions that are printed already.
struct PrintedFile {
  const ir::StoreConstant& store;
  ir::GroupNames groups = {};
  std::unordered_map<const Plan*, std::size_t> functions = {};  // their numbers
  std::unordered_map<std::string, std::size_t> texts = {};      // the same; what is equal is one
  std::string out = {};
};

std::size_t function_number(PrintedFile& file, const Plan& function);

// Prints one plan, without the functions that it runs.
class Printer {
 public:
  Printer(const Plan& plan, PrintedFile& file)
      : plan_(plan),
        file_(file),
        text_(plan, file.groups, [this](int number) { return function_name(number); }, out_) {}

  std::string run() {
    head();
    for (std::size_t i = 0; i < plan_.buffers.size(); ++i) buffer(i);
    for (std::size_t i = 0; i < plan_.steps.size(); ++i) {
      text_.begin_line("  " + std::to_string(i) + ": ");
      std::visit([&](const auto& step) { step.print(text_); }, plan_.steps[i]);
    }
    for (const Donation& donation : plan_.donations) {
      out_ += "  " + StepPrinter::name(donation.buffer) + " may take over input " +
              std::to_string(donation.input) + "\n";
    }
    results();
    out_ += "}\n";
    kernels();
    return std::move(out_);
  }

 private:
  void head() {
    out_ += "plan @" + name_or_quoted(plan_.name) + " rank " + std::to_string(plan_.rank) +
            " arena " + std::to_string(plan_.arena_bytes) + " bytes";
    for (const PlanDevice& device : plan_.devices) {
      out_ += ", " + std::to_string(device.arena_bytes) + " bytes on " + device.device.text();
      if (!device.target.empty()) out_ += " for " + ir::quoted(device.target);
    }
    out_ += " {\n";
  }

  void buffer(std::size_t id) {
    const PlanBuffer& buffer = plan_.buffers[id];
    const auto index = static_cast<std::size_t>(buffer.index);
    out_ += "  b" + std::to_string(id) + " = ";
    switch (buffer.kind) {
      case PlanBuffer::Kind::input:
        out_ += "input " + std::to_string(buffer.index) + ": ";
        type(plan_.inputs[index]);
        break;
      case PlanBuffer::Kind::constant:
        out_ += "constant " + std::to_string(buffer.index) + ": ";
        ir::append_array(out_, *plan_.constants[index], file_.store);
        break;
      case PlanBuffer::Kind::local:
        out_ += "local at " + std::to_string(buffer.offset);
        break;
      case PlanBuffer::Kind::comm:
        out_ += "comm";
        break;
      case PlanBuffer::Kind::owned:
        out_ += "owned";
        break;
      case PlanBuffer::Kind::output:
        out_ += "output";
        break;
    }
    out_ += ", " + std::to_string(buffer.bytes) + " bytes" + StepPrinter::on(buffer.device);
    if (buffer.defined_at >= 0) {
      out_ +=
          ", steps " + std::to_string(buffer.defined_at) + ".." + std::to_string(buffer.last_use);
    } else if (buffer.last_use >= 0) {
      out_ += ", until step " + std::to_string(buffer.last_use);
    }
    out_ += '\n';
  }

  // f0 @body
  std::string function_name(int number) {
    const Plan& function = *plan_.functions[at(number)];
    return "f" + std::to_string(function_number(file_, function)) + " @" +
           name_or_quoted(function.name);
  }

  void results() {
    out_ += "  return";
    for (std::size_t i = 0; i < plan_.results.size(); ++i) {
      const PlanResult& result = plan_.results[i];
      out_ += (i == 0 ? " " : ", ") + StepPrinter::name(result.buffer) + ": ";
      type(result.type);
      if (result.work >= 0) out_ += " of w" + std::to_string(result.work);
    }
    out_ += '\n';
  }

  void type(const ir::Type& type) {
    ir::append_type(out_, type, plan_.mesh.get(), type.replication.literal, !type.device.is_cpu());
  }

  // Each distinct one once, under all its numbers.
  void kernels() {
    std::unordered_map<std::string, std::size_t> places;
    std::vector<std::pair<std::string, std::string>> distinct;  // numbers, text
    for (std::size_t i = 0; i < plan_.kernels.size(); ++i) {
      std::string text = codegen::print(plan_.kernels[i]);
      const auto [found, inserted] = places.try_emplace(text, distinct.size());
      if (inserted) distinct.emplace_back("", std::move(text));
      std::string& numbers = distinct[found->second].first;
      numbers += (inserted ? "k" : ", k") + std::to_string(i);
    }
    for (const auto& [numbers, text] : distinct) out_ += "\n" + numbers + " = " + text;
  }

  const Plan& plan_;
  PrintedFile& file_;
  std::string out_;
  StepPrinter text_;  // to `out_`
};

// Prints a function when it is used first; those that it runs itself are printed before it.
std::size_t function_number(PrintedFile& file, const Plan& function) {
  const auto known = file.functions.find(&function);
  if (known != file.functions.end()) return known->second;
  std::string text = Printer(function, file).run();
  const auto [place, inserted] = file.texts.try_emplace(std::move(text), file.texts.size());
  if (inserted) {
    file.out += "\nf" + std::to_string(place->second) + " = " + place->first;
  }
  file.functions.emplace(&function, place->second);
  return place->second;
}

}  // namespace

std::string print(const Plan& plan, const ir::StoreConstant& store) {
  PrintedFile file{.store = store};
  const std::string main = Printer(plan, file).run();
  std::string top = "// tutti plan 1\n";
  if (plan.mesh != nullptr) ir::append_mesh(top, *plan.mesh);
  return top + file.groups.declarations() + file.out + "\n" + main;
}

}  // namespace tutti::codegen
