#include "tools/commands/show_command.h"

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <string>

#include "tools/commands/command_help.h"
#include "tools/show/show.h"

namespace tutti::tools {

void add_show(CLI::App& app) {
  auto options = std::make_shared<ShowOptions>();
  auto format = std::make_shared<std::string>("text");
  CLI::App* const command = app.add_subcommand(
      "show", "Shows a program and what the compiler makes of it: as text, drawing or web page");
  command
      ->add_option("FILE", options->file,
                   "The program; -: standard input; a folder that TUTTI_DUMP=plan wrote for a "
                   "rank: where collectives of all its programs have their operands and results")
      ->required()
      ->option_text("FILE");
  CLI::Option* const chosen =
      command
          ->add_option(
              "--format", *format,
              "text: the program with bytes and uses beside it; svg: a drawing; dot: the same "
              "for Graphviz; html: one page with everything, to search and click through; "
              "without it, what the name of the output ends in, or text")
          ->check(CLI::IsMember({"text", "dot", "svg", "html"}))
          ->option_text("text|dot|svg|html");
  command->add_option("-o,--output", options->output, "Where it goes; without it, it is printed")
      ->option_text("FILE");
  command
      ->add_option("--function", options->function, "The function; without it all in text and html")
      ->option_text("NAME");
  command
      ->add_option("--stage", options->stage,
                   "trace: the program as it is, unless you say so; the name of a pass: the "
                   "program after it; kernels, plan: what is run, in text and html. The page has "
                   "all of them and begins with this one")
      ->option_text("STAGE");
  command->add_option("--rank", options->rank, "Whose plan; rank 0 unless you say so")
      ->check(CLI::Range(std::int64_t{0}, std::numeric_limits<std::int64_t>::max()))
      ->option_text("R");
  command->add_flag("--fold", options->fold, "In drawings, each kernel as one box");
  add_examples(*command,
               {"tutti show step.tutti", "tutti show step.tutti --stage fuse --fold -o step.svg",
                "tutti show step.tutti -o step.html", "tutti show tutti-dump/rank0 -o places.svg"});
  command->callback([options, format, chosen] {
    const std::map<std::string, ShowFormat> formats = {{"text", ShowFormat::text},
                                                       {"dot", ShowFormat::dot},
                                                       {"svg", ShowFormat::svg},
                                                       {"html", ShowFormat::html}};
    options->format = formats.at(*format);
    const std::string ending = options->output.extension();
    if (chosen->count() == 0 && !ending.empty() && formats.contains(ending.substr(1))) {
      options->format = formats.at(ending.substr(1));
    }
    show_program(*options);
  });
}

}  // namespace tutti::tools
