#include <tutti/codegen/plan/plan.h>
#include <tutti/codegen/plan/step_printer.h>
#include <tutti/ir/names.h>
#include <tutti/ir/text/literal.h>
#include <tutti/ir/text/type_text.h>

#include <string>
#include <unordered_map>
#include <utility>

namespace tutti::codegen {

namespace {

using ir::name_or_quoted;

class Printer {
 public:
  Printer(const Plan& plan, const ir::StoreConstant& store)
      : plan_(plan), store_(store), text_(plan, groups_, out_) {}

  std::string run() {
    head();
    for (std::size_t i = 0; i < plan_.regions.size(); ++i) region(i);
    indent_ = 2;
    body(plan_.main_buffer(), static_cast<BufferId>(plan_.buffers.size()), plan_.main_step(),
         static_cast<int>(plan_.steps.size()));
    end(plan_.donations, "input", plan_.results);
    out_ += "}\n";
    kernels();
    std::string top = "// tutti plan 1\n";
    if (plan_.mesh != nullptr) ir::append_mesh(top, *plan_.mesh);
    return top + groups_.declarations() + "\n" + out_;
  }

 private:
  void head() {
    out_ += "plan @" + name_or_quoted(plan_.name) + " rank " + std::to_string(plan_.rank) +
            " arena " + std::to_string(plan_.arena_bytes) + " bytes";
    for (const PlanDevice& device : plan_.devices) {
      out_ += ", " + std::to_string(device.arena_bytes) + " bytes on " + device.device.text();
      if (!device.target.empty()) out_ += " for " + ir::quoted(device.target);
    }
    for (const PlanArea& area : plan_.areas) {
      out_ += ", " + std::to_string(area.bytes) + " bytes in " + area_text(area) +
              StepPrinter::on(area.device);
      const auto& [skeleton, layout] = area.placement;
      if (skeleton == 0) continue;
      out_ += " as ";
      ir::append_integers(out_, {skeleton, layout});
    }
    out_ += " {\n";
  }

  // @dp of member 1
  std::string area_text(const PlanArea& area) {
    const std::string group = text_.group(area.group);
    return area.member < 0 ? group : group + " of member " + std::to_string(area.member);
  }

  // region r0 @cell { ... }
  void region(std::size_t number) {
    const Region& region = plan_.regions[number];
    region_ = &region;
    out_ += "  region r" + std::to_string(number) + " @" + name_or_quoted(region.name) + " {\n";
    indent_ = 4;
    body(region.first_buffer, region.end_buffer, region.first_step, region.end_step);
    end(region.donations, "parameter", region.results);
    out_ += "  }\n";
    region_ = nullptr;
  }

  void body(BufferId first_buffer, BufferId end_buffer, int first_step, int end_step) {
    for (BufferId id = first_buffer; id < end_buffer; ++id) buffer(id);
    text_.indent(indent_);
    for (int step = first_step; step < end_step; ++step) {
      text_.begin_line(std::to_string(step) + ": ");
      std::visit([&](const auto& each) { each.print(text_); }, plan_.steps[at(step)]);
    }
  }

  void end(const std::vector<Donation>& donations, const char* argument,
           const std::vector<PlanResult>& results) {
    for (const Donation& donation : donations) {
      line(StepPrinter::name(donation.buffer) + " may take over " + argument + " " +
           std::to_string(donation.input) + "\n");
    }
    line("return");
    for (std::size_t i = 0; i < results.size(); ++i) {
      const PlanResult& result = results[i];
      out_ += (i == 0 ? " " : ", ") + StepPrinter::name(result.buffer) + ": ";
      type(result.type);
      if (result.work >= 0) out_ += " of w" + std::to_string(result.work);
    }
    out_ += '\n';
  }

  void line(const std::string& text) {
    out_.append(indent_, ' ');
    out_ += text;
  }

  void buffer(BufferId id) {
    const PlanBuffer& buffer = plan_.buffers[at(id)];
    line(StepPrinter::name(id) + " = ");
    switch (buffer.kind) {
      case PlanBuffer::Kind::input:
        out_ += "input " + std::to_string(buffer.index) + ": ";
        type(plan_.inputs[at(buffer.index)]);
        break;
      case PlanBuffer::Kind::parameter:
        out_ += "parameter " + std::to_string(buffer.index) + ": ";
        type(region_->inputs[at(buffer.index)]);
        break;
      case PlanBuffer::Kind::constant:
        out_ += "constant " + std::to_string(buffer.index) + ": ";
        ir::append_array(out_, *plan_.constants[at(buffer.index)], store_);
        break;
      case PlanBuffer::Kind::local:
        out_ += "local at " + std::to_string(buffer.offset);
        break;
      case PlanBuffer::Kind::comm:
        out_ += "comm";
        break;
      case PlanBuffer::Kind::peer:
        out_ += "peer " + std::to_string(buffer.index);
        break;
      case PlanBuffer::Kind::symmetric:
        out_ += "symmetric at " + std::to_string(buffer.offset) + " in " +
                area_text(plan_.areas[at(buffer.index)]);
        break;
      case PlanBuffer::Kind::output:
        out_ += "output";
        break;
      case PlanBuffer::Kind::result:
        out_ += "result";
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
  const ir::StoreConstant& store_;
  ir::GroupNames groups_;
  std::string out_;
  StepPrinter text_;  // to `out_`
  std::size_t indent_ = 2;
  const Region* region_ = nullptr;  // that is being printed
};

}  // namespace

std::string print(const Plan& plan, const ir::StoreConstant& store) {
  return Printer(plan, store).run();
}

}  // namespace tutti::codegen
