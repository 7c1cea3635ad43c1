// Does a network run on that part? What it takes of memories, and where it fits.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace n2d2::targets {

/// A part that a maker sells, or a board with one.
struct Part {
  std::string_view name;  ///< "STM32F446RE"
  std::string_view core;  ///< as `Core=` names it
  int megahertz = 0;      ///< the highest clock of the core
  int64_t flash = 0;      ///< bytes that programs are stored in; 0: the board has a chip for that
  int64_t ram = 0;        ///< bytes of the largest range of addresses without a gap
};

/// Instructions that a layer executes for one input, and what they are added up of.
struct LayerInstructions {
  struct Term {
    std::string kernel, factors;  ///< "conv2d_dsp"; "float", "fixed"
    std::string what;             ///< "pairs of tiles"
    double times = 0, each = 0;
  };
  std::string name;   ///< its C identifier
  std::string layer;  ///< as the network names it
  double instructions = 0;
  bool is_rough = false;  ///< nothing was counted of its kernel on such a core
  std::vector<Term> terms;
};

/// What an exported program takes of a microcontroller, in bytes.
struct Footprint {
  std::string core;
  bool issues_two = false;  ///< a cycle of the core may execute two instructions
  int64_t arena = 0;        ///< of all memories together
  int64_t stack = 0;        ///< of a call of propagate() at most
  int64_t code = 0;         ///< with tables, g++ -O2; not exactly known before it is compiled
  int64_t weights = 0;      ///< arrays of weights
  int64_t biases = 0;       ///< arrays of biases and factors
  int64_t filling = 0;      ///< between these arrays, each of which starts at a multiple
  /// In order of execution: the copy of the input, the layers of the program, the choice of classes.
  std::vector<LayerInstructions> layers;
  std::optional<Part> board;
  std::vector<Part> fitting;  ///< known parts with such a core whose memories hold it, the smallest first

  int64_t ram() const { return arena + stack; }
  int64_t parameters() const { return weights + biases + filling; }
  int64_t flash() const { return code + parameters(); }
  double instructions() const {
    double all = 0;
    for (const LayerInstructions& layer : layers) all += layer.instructions;
    return all;
  }
  /// Whether nothing was counted of some kernel.
  bool is_rough() const {
    return std::any_of(layers.begin(), layers.end(), [](const LayerInstructions& l) { return l.is_rough; });
  }
  bool fits(const Part& part) const {
    return ram() <= part.ram && (part.flash == 0 || flash() <= part.flash);
  }
};

/// statistics/instructions.csv: a line for each term of each layer.
std::string instructions_csv(const Footprint& footprint);
/// "12,345", "~12,345" where it is rough.
std::string instructions_text(double instructions, bool is_rough);
/// RAM, flash, instructions, time on the board and parts that hold it: what each is, and its figure.
std::vector<std::pair<std::string, std::string>> figures_of(const Footprint& footprint);
/// A line for the console.
std::string summary_of(const Footprint& footprint);

}  // namespace n2d2::targets
