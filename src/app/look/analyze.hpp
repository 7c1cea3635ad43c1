// How is the analysis of a network told? A table for people, or JSON.
#pragma once

#include <optional>
#include <string>

#include "n2d2/config/ini_document.hpp"
#include "n2d2/graph/graph.hpp"

#include "analysis.hpp"
#include "command_line/options.hpp"

namespace n2d2::app {

/// The export that -analyze looks at where -export names none.
inline constexpr const char* kAnalyzedExport = "CPP";

/// Options of the export that is looked at: those of the command line, `-export CPP` where it names none.
Options options_of_analysis(const Options& options);

/// Lines of a table, totals, memory of the export, and what is refused with its hints.
std::string analysis_text(const Analysis& analysis);
/// Returns the facts of analysis_text() as JSON:
/// {"network", "input", "layers": [...], "totals", "export": {...}, "refused": [...]}.
std::string analysis_json(const Analysis& analysis);

/// `-analyze`: prints one of them for the network of a document, or of a graph file. Findings about the
/// document as ever;
/// what the export refuses is part of the analysis.
void analyze(const Options& options, config::IniDocument ini, std::optional<graph::Graph> graph);

}  // namespace n2d2::app
