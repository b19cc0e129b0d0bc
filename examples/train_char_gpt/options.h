#pragma once

#include <string>
#include <vector>

#include "../gpt_sizes.h"

// What train_char_gpt is asked to do. The command line and the record of the losses are in a file
// of their own, because the libraries for both take longer to compile than everything else.
struct Options {
  int ranks = 0, steps = 200, sample = 200;
  std::string text, json, device;
  GptSizes sizes;
};

// Exits after --help, and after a message if the command line is wrong.
Options options_of(int argc, char** argv);

// Writes {"loss": [...]}; throws std::runtime_error if the file can't be written.
void write_losses(const std::string& file, const std::vector<float>& losses);
