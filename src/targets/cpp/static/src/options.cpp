// Part of an exported project; may be used without condition.
#include "../include/options.hpp"

#include <cstdlib>

#include "../include/fail.hpp"

namespace N2D2_Export {
namespace {

int positive(const std::string& option, const std::string& text) {
  char* end = 0;
  const long value = std::strtol(text.c_str(), &end, 10);
  if (text.empty() || *end != '\0' || value < 1 || value > 1000000000)
    fail(option + ": expected a positive integer, found '" + text + "'");
  return static_cast<int>(value);
}

}  // namespace

Options read_options(int argc, const char* const* argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string option = argv[i];
    if (option == "-h" || option == "-help") {
      options.help = true;
      continue;
    }
    if (option == "-confusion") {
      options.confusion = true;
      continue;
    }
    const bool known = option == "-stimulus" || option == "-compare" || option == "-classes" ||
                       option == "-results" || option == "-topn" || option == "-time" || option == "-nb" ||
                       option == "-isa";
    if (!known) fail(option + ": unknown option\n" + usage());
    if (++i == argc) fail(option + ": expected a value");
    const std::string value = argv[i];
    if (option == "-stimulus") options.stimulus = value;
    if (option == "-compare") options.compare = value;
    if (option == "-classes") options.classes = value;
    if (option == "-results") options.results = value;
    if (option == "-isa") options.isa = value;
    if (option == "-topn") options.top = positive(option, value);
    if (option == "-time") options.repetitions = positive(option, value);
    if (option == "-nb") options.count = positive(option, value);
  }
  return options;
}

const char* usage() {
  return "usage: run_export [options]\n"
         "  (none)          runs all stimuli of the stimuli directory and prints the score\n"
         "  -stimulus FILE  runs one stimulus\n"
         "  -nb N           runs at most N stimuli\n"
         "  -topn N         counts a stimulus as success if its class is among the N best\n"
         "  -confusion      prints the confusion matrix\n"
         "  -classes FILE   writes a line for each stimulus: its name, then what was found for each target\n"
         "  -results FILE   where the figures of the run go as JSON [results.json]\n"
         "  -compare DIR    compares each cell's output with DIR/<stimulus>/<cell>.txt\n"
         "  -time N         runs the first stimulus N times, zeros where there is none; prints min, median, "
         "mean, p95 per\n"
         "                  cell and in all, and which form of its kernel computes each cell\n"
         "  -isa NAME       computes with that instruction set of a program that `make DISPATCH=1` built\n"
         "  -h, -help       prints this text\n"
         "exit status: 0 done, 1 an output differs from its reference, 2 an error of usage or of a file\n";
}

}  // namespace N2D2_Export
