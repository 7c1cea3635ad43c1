#include "n2d2/targets/footprint.hpp"

#include <fmt/format.h>

#include "n2d2/base/text.hpp"

namespace n2d2::targets {

namespace {

std::string kib(int64_t bytes) {
  return fmt::format("{:.1f} KiB", static_cast<double>(bytes) / 1024);
}

double milliseconds(const Footprint& footprint, const Part& part) {
  return footprint.instructions() / (1000.0 * part.megahertz);
}

std::string time_text(const Footprint& footprint, const Part& part) {
  return fmt::format(
      "{} {:.2f} ms. Instructions are no cycles: loads, wide products and waits for the flash take several{}",
      footprint.issues_two ? "at an instruction a cycle" : "at least", milliseconds(footprint, part),
      footprint.issues_two ? ", and some cycles execute two" : "");
}

}  // namespace

std::string instructions_csv(const Footprint& footprint) {
  std::string out = "layer,kernel,factors,work,times,each,instructions\n";
  for (const LayerInstructions& layer : footprint.layers)
    for (const LayerInstructions::Term& term : layer.terms)
      out += fmt::format("{},{},{},{},{},{},{:.0f}\n", layer.name, term.kernel, term.factors, term.what,
                         term.times, term.each, term.times * term.each);
  return out;
}

std::string instructions_text(double instructions, bool is_rough) {
  return (is_rough ? "~" : "") + with_thousands(static_cast<int64_t>(instructions + 0.5));
}

std::vector<std::pair<std::string, std::string>> figures_of(const Footprint& f) {
  const auto of = [](int64_t bytes, int64_t all) {
    return all == 0 ? with_thousands(bytes) + " bytes"
                    : fmt::format("{} of {} bytes", with_thousands(bytes), with_thousands(all));
  };
  const Part part = f.board.value_or(Part{});
  std::vector<std::pair<std::string, std::string>> out;
  out.emplace_back("RAM in all", fmt::format("{}: arena {}, stack at most {}", of(f.ram(), part.ram),
                                             with_thousands(f.arena), with_thousands(f.stack)));
  out.emplace_back(
      "flash in all",
      fmt::format("{}: code about {} (g++ -O2), weights {}, biases and factors {}, between them {}",
                  of(f.flash(), part.flash), with_thousands(f.code), with_thousands(f.weights),
                  with_thousands(f.biases), with_thousands(f.filling)));
  out.emplace_back("instructions of an inference",
                   instructions_text(f.instructions(), f.is_rough()) +
                       (f.is_rough() ? ", roughly: nothing was counted of some kernels" : ""));
  if (f.board)
    out.emplace_back(fmt::format("time on {}, {} MHz", part.name, part.megahertz), time_text(f, part));
  std::string fitting;
  for (const Part& known : f.fitting) fitting += fmt::format("{}{}", fitting.empty() ? "" : ", ", known.name);
  out.emplace_back("known parts with such a core that hold it", fitting.empty() ? "none" : fitting);
  return out;
}

std::string summary_of(const Footprint& f) {
  std::string out = fmt::format("On {}: {} of RAM, {} of flash, {} instructions",
                                f.board ? f.board->name : std::string_view(f.core), kib(f.ram()),
                                kib(f.flash()), instructions_text(f.instructions(), f.is_rough()));
  if (f.board)
    out += fmt::format(", {:.2f} ms at an instruction a cycle; {}", milliseconds(f, *f.board),
                       f.fits(*f.board) ? "it fits" : "it does NOT fit");
  else
    out += f.fitting.empty() ? "; no known part with such a core has that"
                             : fmt::format("; {} known parts have that, {} the least", f.fitting.size(),
                                           f.fitting.front().name);
  return out + "\n";
}

}  // namespace n2d2::targets
