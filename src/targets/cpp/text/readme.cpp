#include "readme.hpp"

#include "n2d2/base/text.hpp"
#include "n2d2/export/file_tree.hpp"
#include "n2d2/export/template.hpp"
#include "n2d2/program/constants.hpp"
#include "n2d2/targets/footprint.hpp"

#include "choose/choose_forms.hpp"
#include "choose/output_bits.hpp"
#include "memory_text.hpp"

namespace n2d2::targets::cpp {

namespace {

constexpr std::string_view kNextHeading = "## Build and run\n";

std::string row(const std::string& what, const std::string& value) {
  return fmt::format("| {} | {} |\n", what, value);
}

std::string bits_of_outputs(const PlannedNetwork& network) {
  std::vector<std::string> bits;
  for (const Output& output : network.program().outputs) {
    const auto& quant = network.graph().value(output.value).type.quant;
    bits.push_back(quant ? std::to_string(quant->bits) : "32 (float)");
  }
  return join(bits, ", ");
}

/// What stands for a value in the text that is shipped.
void put(std::string& text, std::string_view place, const std::string& value) {
  const size_t at = text.find(place);
  N2D2_CHECK(at != std::string::npos, "README.md has no '{}'", place);
  text.replace(at, place.size(), value);
}

/// README.md as it is shipped, with the number of scores of this network.
std::string shipped_text(const PlannedNetwork& network) {
  const std::filesystem::path& own = network.options.platform.static_folder;
  std::string text =
      exporter::read_file(exporter::shipped(own.empty() ? "src/targets/cpp/static" : own) / "README.md");
  const Shape& scores = network.graph().value(network.program().outputs.at(0).value).type.shape;
  put(text, "{scores}", std::to_string(scores.c() * scores.h() * scores.w()));
  return text;
}

/// A line for each call: what computes it.
std::string kernel_table(const PlannedNetwork& network) {
  std::string out = "| layer | kernel | form | why |\n|---|---|---|---|\n";
  for (const FormOfCall& call : forms_of_calls(network.program(), network.why))
    out += fmt::format("| {} | {} | {} | {} |\n", markdown_code(call.layer), call.kernel, call.form,
                       markdown_code(call.why));
  return out;
}

std::string instructions_table(const Footprint& footprint) {
  std::string out = fmt::format(
      "Instructions that an inference executes on {}, as shapes tell (`statistics/instructions.csv` has what "
      "is "
      "added up; ~: nothing was counted of the kernel; `make qemu` counts them):\n\n| layer | instructions "
      "|\n|---|--:|\n",
      footprint.core);
  for (const LayerInstructions& layer : footprint.layers)
    out += row(markdown_code(layer.layer), instructions_text(layer.instructions, layer.is_rough));
  return out + row("all", instructions_text(footprint.instructions(), footprint.is_rough())) + "\n";
}

}  // namespace

std::string markdown_code(const std::string& text) {
  std::string out;
  for (const char c : presentable(text)) out += c == '`' || c == '|' || c == '\n' || c == '\t' ? '?' : c;
  return "`" + out + "`";
}

int64_t parameter_bytes(const PlannedNetwork& network, bool weights) {
  int64_t bytes = 0;
  for (const program::Constant& constant : network.program().constants)
    if ((constant.role.starts_with("weights") || constant.role == "recurrent") == weights)
      bytes += program::stored_bytes(constant);
  return bytes;
}

std::string call_example(const PlannedNetwork& network) {
  constexpr std::string_view kBegin = "```cpp\n", kEnd = "```", kName = "N2D2_Export";
  const std::string text = shipped_text(network);
  const size_t begin = text.find(kBegin);
  if (begin == std::string::npos) return "";
  std::string out =
      text.substr(begin + kBegin.size(), text.find(kEnd, begin + kBegin.size()) - begin - kBegin.size());
  const std::string& name = network.options.parameters.namespace_name;
  for (size_t at = out.find(kName); at != std::string::npos; at = out.find(kName, at + name.size()))
    out.replace(at, kName.size(), name);
  return out;
}

std::vector<std::pair<std::string, std::string>> figures_of(const PlannedNetwork& network) {
  std::vector<std::pair<std::string, std::string>> out;
  const auto row = [&](std::string what, std::string value) {
    out.emplace_back(std::move(what), std::move(value));
  };
  const int bits = network.options.bits;
  row("bits of weights and layers", bits > 0 ? std::to_string(bits) : fmt::format("{} (float)", -bits));
  row("bits of outputs", bits_of_outputs(network));
  for (const program::Memory& memory : network.program().memories)
    row(network.program().memories.size() > 1 ? fmt::format("RAM, memory {}", memory.name) : "RAM",
        with_thousands(memory.peak) + " bytes");
  if (network.program().streams_input()) {
    const program::View& input = network.program().map_of(network.program().input());
    row("input", fmt::format("row by row (`propagate_rows`), {} of {} rows at a time",
                             input.ring > 0 ? input.ring : input.h, input.h));
  }
  for (const WideMap& map : wide_maps(network.program(), bits))
    row(fmt::format("of it the output {}", markdown_code(map.name)),
        fmt::format("{} bytes in {} bits; {} with `OutputNbBits={}`", with_thousands(map.bytes), map.bits,
                    with_thousands(map.bytes_of_layers), bits <= 8 ? 8 : 16));
  const StackText stack = stack_text(network.options.platform);
  row(stack.of.empty() ? "stack" : "stack, " + stack.of, stack.bound + " (g++ -Os, -O2 or -O3)");
  row("flash for weights", with_thousands(parameter_bytes(network, true)) + " bytes");
  row("flash for biases and factors", with_thousands(parameter_bytes(network, false)) + " bytes");
  if (network.options.platform.footprint)
    for (auto& [what, value] : targets::figures_of(network.options.platform.footprint(network.program())))
      row(what, value);
  return out;
}

std::string readme(const PlannedNetwork& network,
                   const std::vector<std::pair<std::string, std::string>>& about,
                   const std::string& stimulus) {
  std::string text = shipped_text(network);
  put(text, "{stimulus}", stimulus.empty() ? "FILE" : stimulus);
  const size_t at = text.find(kNextHeading);
  N2D2_CHECK(at != std::string::npos, "README.md has no '{}'", kNextHeading);
  std::string table = "## This network\n\n| | |\n|---|---|\n";
  for (const auto& [what, value] : about) table += row(what, markdown_code(value));
  for (const auto& [what, value] : figures_of(network)) table += row(what, value);
  std::string instructions;
  if (network.options.platform.footprint)
    instructions = instructions_table(network.options.platform.footprint(network.program()));
  table +=
      "\n`provenance.json`, where there is one, has the options, the seed, and SHA-256 of what this was made "
      "of.\n\n"
      "What computes each layer (`statistics/kernels.csv`). All forms give the same bytes; where the "
      "compiler "
      "is not given "
      "the instructions of a form, the next one computes, and `bin/run_export -time 1` says which.\n\n" +
      kernel_table(network) + "\n" + instructions;
  return text.insert(at, table);
}

}  // namespace n2d2::targets::cpp
