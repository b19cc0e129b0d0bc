#include <tutti/codegen/plan.h>
#include <tutti/ir/group_names.h>
#include <tutti/ir/literal.h>
#include <tutti/ir/location_text.h>
#include <tutti/ir/names.h>
#include <tutti/ir/type_text.h>

#include <array>
#include <charconv>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace tutti::codegen {

namespace {

using ir::name_or_quoted;

std::string buffer_name(BufferId id) { return "b" + std::to_string(id); }

std::string list(const std::vector<BufferId>& buffers) {
  std::string out;
  for (const BufferId buffer : buffers) out += (out.empty() ? "" : ", ") + buffer_name(buffer);
  return out;
}

std::string device_text(Device device) { return device.is_cpu() ? "" : " on " + device.text(); }

// " {tiles = 4, flops = 128}": what is not as usual, which is 0 of a number.
class Attributes {
 public:
  void add(std::string_view name, const std::string& value) {
    text_ += text_.empty() ? " {" : ", ";
    text_ += name;
    text_ += " = " + value;
  }
  void add(std::string_view name, std::int64_t value, std::int64_t usual = 0) {
    if (value != usual) add(name, std::to_string(value));
  }
  void add(std::string_view name, const std::vector<std::int64_t>& values) {
    if (values.empty()) return;
    std::string text;
    ir::append_integers(text, values);
    add(name, text);
  }
  std::string text() const { return text_.empty() ? "" : text_ + "}"; }

 private:
  std::string text_;
};

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
      : plan_(plan), file_(file), store_(file.store), groups_(file.groups) {}

  std::string run() {
    head();
    for (std::size_t i = 0; i < plan_.buffers.size(); ++i) buffer(i);
    for (std::size_t i = 0; i < plan_.steps.size(); ++i) {
      line("  " + std::to_string(i) + ": ");
      std::visit([&](const auto& step) { this->step(step); }, plan_.steps[i]);
    }
    for (const Donation& donation : plan_.donations) {
      line("  " + buffer_name(donation.buffer) + " may take over input " +
           std::to_string(donation.input));
      out_ += '\n';
    }
    results();
    out_ += "}\n";
    kernels();
    return std::move(out_);
  }

 private:
  void line(const std::string& text) {
    line_ = out_.size();
    out_ += text;
  }
  void end_of_line(const Location& location) {
    ir::append_location(out_, location, out_.size() - line_);
    out_ += '\n';
  }

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
        ir::append_array(out_, *plan_.constants[index], store_);
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
    out_ += ", " + std::to_string(buffer.bytes) + " bytes" + device_text(buffer.device);
    if (buffer.defined_at >= 0) {
      out_ +=
          ", steps " + std::to_string(buffer.defined_at) + ".." + std::to_string(buffer.last_use);
    } else if (buffer.last_use >= 0) {
      out_ += ", until step " + std::to_string(buffer.last_use);
    }
    out_ += '\n';
  }

  void step(const Allocate& allocate) { out_ += "allocate " + buffer_name(allocate.buffer) + "\n"; }
  void step(const Free& free) { out_ += "free " + buffer_name(free.buffer) + "\n"; }
  void step(const CollectiveWait& wait) { out_ += "wait w" + std::to_string(wait.work) + "\n"; }

  void step(const Copy& copy) {
    const auto place = [&](BufferId id) {
      return buffer_name(id) + " on " + plan_.buffers[static_cast<std::size_t>(id)].device.text();
    };
    out_ += "copy " + place(copy.from) + " -> " + place(copy.to);
    end_of_line(copy.location);
  }

  void step(const Launch& launch) {
    if (launch.parts.size() == 1) return part(launch.parts[0], launch.device);
    out_ += "together\n";
    for (const LaunchPart& each : launch.parts) {
      line("       ");
      part(each, launch.device);
    }
  }

  void part(const LaunchPart& part, Device device) {
    std::vector<BufferId> read;
    std::vector<BufferId> written;
    for (std::size_t i = 0; i < part.buffers.size(); ++i) {
      (writes(plan_, part, i) ? written : read).push_back(part.buffers[i]);
    }
    if (part.kernel < 0) {
      out_ += "call " + name_or_quoted(part.name) + " " + ir::quoted(part.detail);
    } else {
      out_ += "launch " + name_or_quoted(part.name) + " k" + std::to_string(part.kernel);
    }
    if (part.epilogue >= 0) {
      const Kernel& kernel = plan_.kernels[static_cast<std::size_t>(part.epilogue)];
      out_ += " then " + name_or_quoted(kernel.name) + " k" + std::to_string(part.epilogue);
    }
    out_ += " (" + list(read) + ") -> " + list(written) + device_text(device);
    Attributes attributes;
    attributes.add("tiles", part.tiles);
    attributes.add("tiles_in_place", part.tiles_in_place, -1);
    attributes.add("results", part.results, 1);
    attributes.add("work", part.work);
    attributes.add("reads", part.counts.bytes_read);
    attributes.add("writes", part.counts.bytes_written);
    attributes.add("flops", part.counts.flops);
    attributes.add("double_flops", part.counts.double_flops);
    out_ += attributes.text();
    end_of_line(part.location);
  }

  void step(const CollectiveStart& start) {
    const runtime::CollectiveCall& call = start.call;
    out_ += "start w" + std::to_string(start.work) + " = ";
    out_ += name_of(call.kind);
    out_ += " " + ir::quoted(call.description) + " over @" + groups_.name(start.group);
    if (start.parent != nullptr) out_ += " of @" + groups_.name(start.parent);
    if (start.engine != "shm") out_ += " by " + name_or_quoted(start.engine);
    out_ += " (" + list(start.operands) + ")";
    if (!start.results.empty()) out_ += " -> " + list(start.results);
    Attributes attributes;
    attributes.add("dtype", std::string(name_of(call.dtype)));
    if (kernels::reduces(call.kind)) {
      attributes.add("op", ir::quoted(name_of(call.reduction)));
    }
    attributes.add("root", call.root);
    std::vector<std::int64_t> pairs;
    for (const auto& [from, to] : call.pairs) pairs.insert(pairs.end(), {from, to});
    attributes.add("pairs", pairs);
    if (!call.parts.empty()) attributes.add("parts", parts(call));
    if (call.agreement != 0) attributes.add("agreement", hexadecimal(call.agreement));
    attributes.add("number", start.collective);
    out_ += attributes.text();
    end_of_line(call.location);
  }

  void step(const Control& control) {
    switch (control.kind) {
      case Control::Kind::scan:
        out_ += "scan " + function(control.functions[0]);
        break;
      case Control::Kind::while_loop:
        out_ += "while " + function(control.functions[0]);
        out_ += " do " + function(control.functions[1]);
        break;
      case Control::Kind::conditional:
        out_ += "conditional ";
        for (std::size_t i = 0; i < control.functions.size(); ++i) {
          out_ += (i == 0 ? "" : ", ") + function(control.functions[i]);
        }
        break;
    }
    out_ += " (" + list(control.operands) + ")";
    if (!control.results.empty()) out_ += " -> " + list(control.results);
    Attributes attributes;
    attributes.add("carries", control.carries);
    attributes.add("sequences", control.sequences);
    attributes.add("length", control.length);
    if (control.reverse) attributes.add("reverse", "true");
    out_ += attributes.text();
    end_of_line(control.location);
  }

  // f0 @body
  std::string function(int number) {
    const Plan& function = *plan_.functions[static_cast<std::size_t>(number)];
    return "f" + std::to_string(function_number(file_, function)) + " @" +
           name_or_quoted(function.name);
  }

  // [16, 32 = [1, 4, 8], 32 = [1, 4, 8] {sizes = [1, 3]}]
  static std::string parts(const runtime::CollectiveCall& call) {
    std::string out;
    for (const runtime::TensorPart& part : call.parts) {
      out += (out.empty() ? "[" : ", ") + std::to_string(part.elements);
      if (kernels::has_axis(call.kind)) {
        out += " = ";
        ir::append_integers(out, {part.outer, part.axis_size, part.inner});
      }
      Attributes attributes;
      attributes.add("sizes", part.sizes);
      attributes.add("receive_sizes", part.receive_sizes);
      out += attributes.text();
    }
    return out + "]";
  }

  static std::string hexadecimal(std::uint64_t number) {
    std::array<char, 16> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number, 16);
    return "0x" + std::string(digits.data(), end.ptr);
  }

  void results() {
    line("  return");
    for (std::size_t i = 0; i < plan_.results.size(); ++i) {
      const PlanResult& result = plan_.results[i];
      out_ += (i == 0 ? " " : ", ") + buffer_name(result.buffer) + ": ";
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
  const ir::StoreConstant& store_;
  ir::GroupNames& groups_;
  std::string out_;
  std::size_t line_ = 0;  // where the line at the end begins
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
