// Answers: what did the user ask of the test driver?
// Part of an exported project; may be used without condition.
#pragma once

#include <string>

namespace N2D2_Export {

struct Options {
  bool help;
  std::string stimulus;  // one file instead of the directory
  std::string compare;   // folder of reference maps
  std::string classes;   // file for the results of propagate() for each stimulus
  std::string results;   // file for the figures of the run
  std::string isa;       // instruction set; "": the best one
  int top;               // -topn: the expected class among the N best counts as success; 1: the class itself
  bool confusion;
  int repetitions;  // -time; 0: no timing
  int count;        // -nb: largest number of stimuli; 0: all

  Options() : help(false), results("results.json"), top(1), confusion(false), repetitions(0), count(0) {}
};

// Fails for an unknown option, a missing value or a value that is not a positive integer.
Options read_options(int argc, const char* const* argv);

const char* usage();

}  // namespace N2D2_Export
