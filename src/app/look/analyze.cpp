#include "analyze.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "n2d2/base/log.hpp"
#include "n2d2/loader/graph_file.hpp"
#include "n2d2/report/write.hpp"

#include "analysis_network.hpp"
#include "export_type.hpp"
#include "files.hpp"

namespace n2d2::app {

namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kColumns = 10;
using Row = std::array<std::string, kColumns>;
constexpr std::array<bool, kColumns> kLeft{true, true, true, true, false, false, false, true, true, false};

/// "16x14x14" of 1,16,14,14.
std::string map_text(const Shape& shape) {
  if (shape.rank() != 4) return shape.text();
  return fmt::format("{}x{}x{}", shape.c(), shape.h(), shape.w());
}

std::string learns_text(Learns learns) {
  return learns == Learns::NothingToLearn ? "-" : learns == Learns::Yes ? "yes" : "no";
}

std::string becomes_text(const LayerAnalysis& layer, bool is_integer) {
  if (is_integer && !layer.has_integers) return "no integer form";
  return layer.becomes.empty() ? layer.is_exportable ? "yes" : "?" : layer.becomes;
}

std::string kib(int64_t bytes) {
  return fmt::format("{:.2f} KiB", static_cast<double>(bytes) / 1024);
}

std::string inputs_text(const LayerAnalysis& layer) {
  std::string out;
  for (const Shape& shape : layer.inputs) out += (out.empty() ? "" : "+") + map_text(shape);
  return out;
}

/// Texts wider than a column may be go on in lines below.
std::vector<Row> folded(const std::vector<Row>& rows) {
  constexpr size_t kWidest = 36;
  std::vector<Row> out;
  for (const Row& row : rows) {
    size_t longest = 1;
    for (const std::string& text : row) longest = std::max(longest, text.size());
    for (size_t at = 0; at < longest; at += kWidest) {
      Row& line = out.emplace_back();
      for (size_t c = 0; c < kColumns; ++c)
        if (at < row[c].size()) line[c] = row[c].substr(at, kWidest);
    }
  }
  return out;
}

std::string table(const std::vector<Row>& all) {
  const std::vector<Row> rows = folded(all);
  std::array<size_t, kColumns> widths{};
  for (const Row& row : rows)
    for (size_t c = 0; c < kColumns; ++c) widths[c] = std::max(widths[c], row[c].size());
  std::string out;
  for (const Row& row : rows) {
    std::string line;
    for (size_t c = 0; c < kColumns; ++c) {
      const std::string space(widths[c] - row[c].size(), ' ');
      line += (c == 0 ? "" : "  ") + (kLeft[c] ? row[c] + space : space + row[c]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

/// Bytes of one value in the export.
int64_t element_bytes(const Analysis& analysis) {
  return analysis.bits > 8 ? 2 : analysis.bits > 0 ? 1 : 4;
}

std::string form_text(const Analysis& analysis) {
  return fmt::format("-export {} -nbbits {}", analysis.export_type, analysis.bits);
}

std::string sizes_text(const Analysis& analysis) {
  if (!analysis.sizes) return "";
  const ExportSizes& sizes = *analysis.sizes;
  std::string out = fmt::format("RAM of {}: {} for intermediate results (lower bound {})\n",
                                form_text(analysis), kib(sizes.ram), kib(sizes.lower_bound));
  out +=
      fmt::format("Flash: {}, of which weights {}, biases and factors {}; code comes on top\n",
                  kib(sizes.weights + sizes.other_constants), kib(sizes.weights), kib(sizes.other_constants));
  if (analysis.bits > 0)
    out += "Ranges of values are made up: they change integers, not how many there are\n";
  if (!sizes.knows_bytes)
    out += "No picture tells what bytes of the input stand for: layers that pad it may have more biases\n";
  return out;
}

Json shape_json(const Shape& shape) {
  return Json(shape.dims());
}

/// "" where the target is no microcontroller.
std::string footprint_text(const Analysis& analysis) {
  if (!analysis.footprint) return "";
  const targets::Footprint& footprint = *analysis.footprint;
  std::string out = fmt::format("On a core '{}':\n", footprint.core);
  for (const auto& [what, value] : targets::figures_of(footprint))
    out += fmt::format("  {}: {}\n", what, value);
  for (const char* end : {"env", "classes"})
    for (const targets::LayerInstructions& layer : footprint.layers)
      if (layer.name == end)
        out += fmt::format("  of the instructions, {}: {}\n",
                           layer.name == "env" ? "copy of the input" : "choice of classes",
                           targets::instructions_text(layer.instructions, layer.is_rough));
  return out;
}

std::string counted_text(const Analysis& analysis, double instructions, bool is_rough) {
  return analysis.footprint && instructions > 0 ? targets::instructions_text(instructions, is_rough) : "";
}

Json footprint_json(const targets::Footprint& footprint) {
  Json out{{"core", footprint.core}};
  out["ram_bytes"] = footprint.ram(), out["arena_bytes"] = footprint.arena;
  out["stack_bytes"] = footprint.stack;
  out["flash_bytes"] = footprint.flash(), out["code_bytes"] = footprint.code;
  out["parameters_bytes"] = footprint.parameters();
  out["instructions"] = std::llround(footprint.instructions());
  out["instructions_are_rough"] = footprint.is_rough();
  if (footprint.board) {
    const targets::Part& board = *footprint.board;
    out["board"] = {{"name", board.name},         {"core", board.core},     {"megahertz", board.megahertz},
                    {"flash_bytes", board.flash}, {"ram_bytes", board.ram}, {"fits", footprint.fits(board)}};
  }
  out["fitting"] = Json::array();
  for (const targets::Part& part : footprint.fitting) out["fitting"].push_back(part.name);
  return out;
}

Json layer_json(const LayerAnalysis& layer, const Analysis& analysis) {
  Json out{{"name", presentable(layer.name)}, {"type", layer.type}};
  out["place"] = fmt::format("{}:{}", presentable(layer.where.file), layer.where.line);
  out["parents"] = Json::array();
  for (const std::string& parent : layer.parents) out["parents"].push_back(presentable(parent));
  out["inputs"] = Json::array();
  for (const Shape& shape : layer.inputs) out["inputs"].push_back(shape_json(shape));
  out["output"] = shape_json(layer.output);
  out["parameters"] = layer.parameters;
  out["mac"] = layer.products;
  out["activation_bytes"] = layer.elements * element_bytes(analysis);
  out["trainable"] =
      layer.learns == Learns::NothingToLearn ? Json(nullptr) : Json(layer.learns == Learns::Yes);
  out["quantizable"] = layer.has_integers;
  out["exportable"] = layer.is_exportable && (analysis.bits < 0 || layer.has_integers);
  out["becomes"] = presentable(layer.becomes);
  if (analysis.footprint) out["instructions"] = std::llround(layer.instructions);
  return out;
}

report::Report report_of(const Analysis& analysis) {
  report::Report out = analysis.report;
  out.kind = "analysis", out.network = analysis.network;
  out.title = form_text(analysis) + ", analyzed without samples: ranges of values are made up";
  out.about = {{"input", presentable(analysis.input) + " " + map_text(analysis.input_shape)},
               {"parameters", with_thousands(analysis.parameters())}};
  for (const Diagnostic& finding : analysis.refused)
    out.warnings.push_back("refused: " + finding.message +
                           (finding.hint.empty() ? "" : "\n  hint: " + finding.hint));
  if (!analysis.refused.empty())
    out.tiles.insert(out.tiles.begin(), {"export", "refused", "see the warnings", "bad", {}});
  return out;
}

/// While it lives, what is only information is not logged: standard output is for a program to read.
class NoInformation {
 public:
  NoInformation() : console_(log::set_sink({})) {
    log::set_sink([this](log::Level level, std::string_view text) {
      if (level > log::Level::Info) console_(level, text);
    });
  }
  ~NoInformation() { log::set_sink(std::move(console_)); }
  NoInformation(const NoInformation&) = delete;
  NoInformation& operator=(const NoInformation&) = delete;

 private:
  log::Sink console_;
};

}  // namespace

Options options_of_analysis(const Options& options) {
  Options out = options;
  if (out.export_type.empty()) out.export_type = kAnalyzedExport;
  return out;
}

std::string analysis_text(const Analysis& analysis) {
  std::vector<Row> rows{{"layer", "type", "inputs", "output", "parameters", "MAC", "bytes", "learns",
                         "export", analysis.footprint ? "instructions" : ""}};
  const int64_t element = element_bytes(analysis);
  for (const LayerAnalysis& layer : analysis.layers)
    rows.push_back({presentable(layer.name), layer.type, inputs_text(layer), map_text(layer.output),
                    with_thousands(layer.parameters), with_thousands(layer.products),
                    with_thousands(layer.elements * element), learns_text(layer.learns),
                    presentable(becomes_text(layer, analysis.bits > 0)),
                    counted_text(analysis, layer.instructions, layer.is_rough)});
  rows.push_back({"all", "", "", "", with_thousands(analysis.parameters()),
                  with_thousands(analysis.products()), with_thousands(analysis.elements() * element), "", "",
                  analysis.footprint ? counted_text(analysis, analysis.footprint->instructions(),
                                                    analysis.footprint->is_rough())
                                     : ""});
  std::string out = fmt::format("Network '{}', input '{}' {}\n", presentable(analysis.network),
                                presentable(analysis.input), map_text(analysis.input_shape));
  out += table(rows) + sizes_text(analysis) + footprint_text(analysis);
  if (analysis.refused.empty()) return out;
  out += fmt::format("{} refuses:\n", form_text(analysis));
  return out + ExportError(analysis.refused).what() + "\n";
}

std::string analysis_json(const Analysis& analysis) {
  Json out{{"network", presentable(analysis.network)},
           {"input", {{"name", presentable(analysis.input)}, {"shape", shape_json(analysis.input_shape)}}},
           {"layers", Json::array()}};
  for (const LayerAnalysis& layer : analysis.layers) out["layers"].push_back(layer_json(layer, analysis));
  out["totals"] = {{"parameters", analysis.parameters()},
                   {"mac", analysis.products()},
                   {"activation_bytes", analysis.elements() * element_bytes(analysis)}};
  Json form{{"type", analysis.export_type}, {"nbbits", analysis.bits}, {"ranges", "made up"}};
  if (analysis.bits < 0) form["ranges"] = nullptr;
  if (analysis.sizes) {
    const ExportSizes& sizes = *analysis.sizes;
    form["ram_bytes"] = sizes.ram, form["ram_lower_bound_bytes"] = sizes.lower_bound;
    form["weights_bytes"] = sizes.weights, form["other_constants_bytes"] = sizes.other_constants;
    form["knows_bytes_of_input"] = sizes.knows_bytes;
  }
  if (analysis.footprint) form["footprint"] = footprint_json(*analysis.footprint);
  out["export"] = std::move(form);
  out["refused"] = Json::array();
  for (const Diagnostic& finding : analysis.refused)
    out["refused"].push_back({{"file", presentable(finding.where.file)},
                              {"line", finding.where.line},
                              {"message", presentable(finding.message)},
                              {"hint", presentable(finding.hint)}});
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

void analyze(const Options& given, config::IniDocument ini, std::optional<graph::Graph> graph) {
  const Options o = options_of_analysis(given);
  std::optional<NoInformation> quiet;
  if (o.analyze != "text") quiet.emplace();
  const std::unique_ptr<const targets::Export> target = configure_export(o);
  const loader::Options options{1, o.strict, {}, true, o.no_exif, o.output};
  loader::Network net = graph            ? loader::network(std::move(*graph), ini, options)
                        : o.reads_onnx() ? loader::network(ini, options)
                                         : network_without_samples(std::move(ini), options);
  loader::fill(net);
  const Analysis analysis = analyse(std::move(net), *target, o);
  print(o.analyze == "json"   ? analysis_json(analysis)
        : o.analyze == "html" ? report::write_html(report_of(analysis))
                              : analysis_text(analysis));
}

}  // namespace n2d2::app
