#include "sections.hpp"

#include <algorithm>

#include "n2d2/base/text.hpp"

#include "pictures.hpp"
#include "svg.hpp"

namespace n2d2::report {

namespace {

/// A table with the titles above; columns from `numbers` on are numbers.
std::string table_of(const std::vector<std::string>& titles, size_t numbers,
                     const std::vector<std::vector<std::string>>& rows) {
  const auto style = [&](size_t column) { return column >= numbers ? " class=\"n\"" : ""; };
  std::string out = "<div class=\"scroll\"><table>\n<thead><tr>";
  for (size_t c = 0; c < titles.size(); ++c)
    out += fmt::format("<th scope=\"col\"{}>{}</th>", style(c), titles[c]);
  out += "</tr></thead>\n<tbody>\n";
  for (const std::vector<std::string>& row : rows) {
    out += "<tr>";
    for (size_t c = 0; c < row.size(); ++c) out += fmt::format("<td{}>{}</td>", style(c), html(row[c]));
    out += "</tr>\n";
  }
  return out + "</tbody></table></div>\n";
}

std::string share_text(double share, double error) {
  return fmt::format("{:.1f} \xC2\xB1 {:.1f}", 100 * share, 100 * error);
}

std::vector<int64_t> difference_of(const Confusion& confusion) {
  std::vector<int64_t> out;
  for (size_t i = 0; i < confusion.integers.size(); ++i)
    out.push_back(confusion.integers[i] - confusion.floats.at(i));
  return out;
}

std::string matrices(const Confusion& confusion) {
  if (confusion.classes.empty()) return "";
  std::string out = "<div class=\"panels\">\n";
  const bool has_floats = confusion.floats.size() == confusion.integers.size();
  if (has_floats) out += confusion_picture("floats", confusion.classes, confusion.floats, false);
  out += confusion_picture("export", confusion.classes, confusion.integers, false);
  if (has_floats)
    out += confusion_picture("export less floats", confusion.classes, difference_of(confusion), true);
  return out + "</div>\n";
}

std::string differing(const Confusion& confusion) {
  if (confusion.differing.empty()) return "";
  std::vector<std::vector<std::string>> rows;
  for (const Differing& d : confusion.differing) rows.push_back({d.sample, d.expected, d.floats, d.integers});
  const std::string which = static_cast<size_t>(confusion.differing_in_all) > rows.size()
                                ? fmt::format(", the first {}", rows.size())
                                : "";
  return fmt::format("<p>Floats and export say different classes of {} samples{}:</p>\n",
                     with_thousands(confusion.differing_in_all), which) +
         table_of({"sample", "expected", "floats", "export"}, 4, rows);
}

}  // namespace

std::string facts(const std::vector<Fact>& facts) {
  if (facts.empty()) return "";
  std::string out = "<table>\n<tbody>\n";
  for (const Fact& fact : facts)
    out += fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td></tr>\n", html(fact.name), html(fact.value));
  return out + "</tbody></table>\n";
}

std::string histograms_section(const Report& report) {
  if (report.histograms.empty()) return "";
  std::string out =
      "<p class=\"dim\">Counts on a logarithmic scale. Dashed lines: the least and the largest that the "
      "integers stand "
      "for; values beyond are clipped.</p>\n<div class=\"histograms\">\n";
  for (const Histogram& histogram : report.histograms)
    out += fmt::format(
        "<figure class=\"histogram\" data-name=\"{0}\">{1}<figcaption>{0}: {2} % "
        "clipped</figcaption></figure>\n",
        html(histogram.name), histogram_picture(histogram), number_text(100 * histogram.clipped, 3));
  return out + "</div>\n";
}

std::string blame_section(const std::vector<Blame>& blame) {
  if (blame.empty()) return "";
  std::vector<std::vector<std::string>> rows;
  for (const Blame& b : blame)
    rows.push_back({b.layer, b.part, std::to_string(b.bits), share_text(b.without, b.without_error),
                    share_text(b.alone, b.alone_error)});
  return "<p class=\"dim\">Shares of the noise at the outputs, \xC2\xB1 one standard error: what is gone "
         "when all else is "
         "integers, and what this part makes alone.</p>\n" +
         table_of({"layer", "part", "bits", "gone without, %", "alone, %"}, 2, rows);
}

std::string confusion_section(const std::vector<Confusion>& confusions) {
  std::string out;
  for (const Confusion& confusion : confusions) {
    const std::string content = matrices(confusion) + differing(confusion);
    if (confusions.size() > 1 && !content.empty()) out += "<h3>" + html(confusion.target) + "</h3>\n";
    out += content;
  }
  return out;
}

std::string curves_section(const std::vector<Curve>& curves) {
  std::string out;
  for (const Curve& curve : curves)
    out += fmt::format("<figure>{}<figcaption>{}</figcaption></figure>\n", curve_picture(curve),
                       html(curve.name));
  return out;
}

std::string points_section(const std::vector<Point>& points) {
  if (points.empty()) return "";
  std::vector<std::vector<std::string>> rows;
  for (const Point& p : points)
    rows.push_back({std::to_string(p.number), p.name,
                    p.dominated_by == 0 ? p.command : fmt::format("beaten by {}", p.dominated_by),
                    fmt::format("{:.6g}", p.score), with_thousands(p.ram), with_thousands(p.flash)});
  return points_picture(points) +
         table_of({"export", "what", "command", "score", "RAM, bytes", "flash, bytes"}, 3, rows);
}

std::string flash_section(const std::vector<NamedBytes>& kinds) {
  if (kinds.empty()) return "";
  int64_t all = 0;
  for (const NamedBytes& kind : kinds) all += kind.bytes;
  std::vector<std::vector<std::string>> rows;
  for (const NamedBytes& kind : kinds)
    rows.push_back(
        {kind.name, with_thousands(kind.bytes),
         number_text(100 * static_cast<double>(kind.bytes) / static_cast<double>(std::max<int64_t>(1, all)),
                     1)});
  rows.push_back({"all", with_thousands(all), ""});
  return table_of({"kind", "bytes", "%"}, 1, rows);
}

std::string feed_section(const Feed& feed) {
  if (feed.empty()) return "";
  std::string out = facts(feed.facts);
  if (!feed.labels.empty()) {
    std::string labels;
    for (size_t i = 0; i < feed.labels.size(); ++i)
      labels += (i == 0 ? "" : ", ") + std::to_string(i) + " " + feed.labels[i];
    out += "<p>Classes: " + html(labels) + "</p>\n";
  }
  return out + (feed.call.empty() ? "" : "<pre><code>" + html(feed.call) + "</code></pre>\n");
}

}  // namespace n2d2::report
