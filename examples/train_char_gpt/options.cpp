#include "options.h"

#include <tutti/ir/device.h>

#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <string>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

Options options_of(int argc, char** argv) {
  Options options;
  CLI::App app("Trains a character-level GPT, data parallel over the ranks that it is started as.");
  app.option_defaults()->always_capture_default();
  app.add_option("--ranks", options.ranks, "threads of this process as ranks (0: launched ones)");
  app.add_option("--steps", options.steps, "training steps")->check(CLI::Range(1, 1'000'000));
  app.add_option("--text", options.text, "the file to learn (else the system's licence texts)");
  app.add_option("--sample", options.sample, "characters to write")->check(CLI::Range(0, 100'000));
  app.add_option("--json", options.json, "the file to write the loss of every step to");
  app.add_option("--device", options.device,
                 "cpu, cuda (each rank's own) or cuda:1 (else what TUTTI_DEVICE says)")
      ->check([](const std::string& text) {
        return tutti::Device::from_text(text) ? ""
                                              : text + " is no device; write cpu, cuda or cuda:1";
      });
  GptSizes& sizes = options.sizes;
  const CLI::Range few(1, 1'000), many(1, 100'000);
  app.add_option("--layers", sizes.layers, "of the model")->check(few);
  app.add_option("--width", sizes.width, "numbers that it has of each character")->check(many);
  app.add_option("--heads", sizes.heads, "of attention, which share the width")->check(many);
  app.add_option("--context", sizes.context, "characters that it sees at once")->check(many);
  app.add_option("--batch", sizes.batch, "texts of a step, which the ranks share")->check(many);
  try {
    app.parse(argc, argv);
    if (sizes.width % sizes.heads != 0) {
      throw CLI::ValidationError("--heads", std::to_string(sizes.heads) + " of them can't share " +
                                                "a width of " + std::to_string(sizes.width));
    }
  } catch (const CLI::ParseError& error) {
    std::exit(app.exit(error));
  }
  return options;
}

void write_losses(const std::string& file, const std::vector<float>& losses) {
  const nlohmann::json record = {{"loss", losses}};
  if (!(std::ofstream(file) << record << std::endl)) {
    throw std::runtime_error("cannot write " + file);
  }
}
