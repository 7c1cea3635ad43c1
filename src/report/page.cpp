#include <algorithm>

#include "n2d2/report/write.hpp"

#include "columns.hpp"
#include "embedded.hpp"
#include "frame.hpp"
#include "pictures.hpp"
#include "sections.hpp"
#include "svg.hpp"

namespace n2d2::report {

namespace {

std::string tiles(const std::vector<Tile>& tiles) {
  if (tiles.empty()) return "";
  std::string out = "<dl class=\"tiles\">\n";
  for (const Tile& tile : tiles) {
    const std::string style = tile.verdict == "good" || tile.verdict == "bad" ? tile.verdict : "";
    const std::string note = tile.note.empty() ? "" : "<small>" + html(tile.note) + "</small>";
    out += fmt::format("<div class=\"{}\"><dt>{}</dt><dd><b>{}</b>{}</dd></div>\n", style, html(tile.name),
                       html(tile.value), note);
  }
  return out + "</dl>\n";
}

std::string buttons_of_overlays(const std::vector<Column>& columns, const Column& first) {
  std::string out =
      "<div class=\"bar-of-buttons\" role=\"group\" aria-label=\"What the bars of the graph show\">\n";
  for (const Column& column : columns)
    if (column.is_overlay)
      out += fmt::format("<button type=\"button\" data-overlay=\"{}\" aria-pressed=\"{}\">{}</button>\n",
                         column.key, column.key == first.key, column.title);
  return out + "</div>\n";
}

std::string graph(const Report& report, const std::vector<Column>& columns) {
  const auto first =
      std::find_if(columns.begin(), columns.end(), [](const Column& column) { return column.is_overlay; });
  if (first == columns.end()) return "";
  return buttons_of_overlays(columns, *first) + "<div class=\"beside\"><div class=\"scroll\">\n" +
         graph_picture(report.layers, *first) +
         "</div>\n<dl id=\"details\" aria-live=\"polite\"></dl></div>\n"
         "<p class=\"dim\">A layer that is clicked, or chosen with the arrow keys, is marked on the whole "
         "page.</p>\n";
}

std::string table(const Report& report, const std::vector<Column>& columns) {
  if (report.layers.empty()) return "";
  std::string out = "<div class=\"scroll\"><table id=\"layers\">\n<thead><tr>";
  for (const Column& column : columns)
    out += fmt::format(
        "<th scope=\"col\" class=\"{}\" data-key=\"{}\" aria-sort=\"none\"><button "
        "type=\"button\">{}</button></th>",
        column.is_text ? "" : "n", column.key, column.title);
  out += "</tr></thead>\n<tbody>\n";
  for (size_t i = 0; i < report.layers.size(); ++i) {
    out += fmt::format("<tr data-i=\"{}\">", i);
    for (const Column& column : columns) {
      const std::string text = html(column.shown_of(report.layers[i]));
      out += column.key == "name" ? "<th scope=\"row\">" + text + "</th>"
             : column.is_text     ? "<td>" + text + "</td>"
                                  : "<td class=\"n\">" + text + "</td>";
    }
    out += "</tr>\n";
  }
  return out +
         "</tbody></table></div>\n<div class=\"bar-of-buttons\"><button type=\"button\" id=\"copy\">copy as "
         "CSV</button></div>\n<textarea id=\"csv\" hidden readonly aria-label=\"The table as "
         "CSV\"></textarea>\n";
}

std::string memory(const MemoryMap& map) {
  if (map.empty()) return "";
  std::string out = memory_picture(map);
  out += "<p id=\"told\" class=\"dim\" aria-live=\"polite\">";
  if (map.peak_step)
    out += html(fmt::format("The peak is at step {}, {}.", *map.peak_step,
                            map.steps.at(static_cast<size_t>(*map.peak_step))));
  return out + "</p>\n";
}

std::string warnings(const std::vector<std::string>& warnings) {
  std::string out;
  for (const std::string& warning : warnings) out += html(warning) + "\n";
  return out.empty() ? "" : "<pre>" + out + "</pre>\n";
}

}  // namespace

std::string write_html(const Report& report) {
  const std::vector<Column> columns = columns_of(report.layers);
  std::string out = head(report.network + ", " + report.title, kScript) + "<body>\n<header>\n";
  out += fmt::format("<h1>{}</h1>\n<p class=\"dim\">{}</p>\n</header>\n<main>\n", html(report.network),
                     html(report.title));
  out += tiles(report.tiles);
  out += section("graph", "Graph", graph(report, columns));
  out += section("memory", "Memory over time", memory(report.memory));
  out += section("layers", "Layers", table(report, columns));
  out += section("histograms", "Measured values and what the integers reach", histograms_section(report));
  out += section("blame", "Where the noise of the outputs comes from", blame_section(report.blame));
  out += section("confusion", "Expected and found classes", confusion_section(report.confusions));
  out += section("curves", "Learning", curves_section(report.curves));
  out += section("points", "Exports that were compared", points_section(report.points));
  out += section("flash", "Flash by kind", flash_section(report.flash));
  out += section("feed", "What to feed", feed_section(report.feed));
  out += section("about", "This run", facts(report.about));
  out += section("warnings", "Warnings", warnings(report.warnings));
  out += section("provenance", "Provenance", facts(report.provenance));
  out +=
      fmt::format("</main>\n<script type=\"application/json\" id=\"data\">{}</script>\n<script>{}</script>\n",
                  write_json(report), kScript);
  return out + "</body>\n</html>\n";
}

}  // namespace n2d2::report
