#include <algorithm>
#include <map>

#include "n2d2/report/write.hpp"

#include "columns.hpp"
#include "frame.hpp"
#include "pictures.hpp"
#include "sections.hpp"
#include "svg.hpp"

namespace n2d2::report {

namespace {

/// "+12.5 %" of the first; "" where one of them is missing, or both are equal.
std::string change(const std::optional<double>& a, const std::optional<double>& b) {
  if (!a || !b || *a == *b) return "";
  if (*a == 0) return "new";
  return fmt::format("{:+.1f} %", 100 * (*b - *a) / std::abs(*a));
}

/// Names of both lists, those of the first one first.
template <class T>
std::vector<std::string> names_of_both(const std::vector<T>& a, const std::vector<T>& b) {
  std::vector<std::string> out;
  for (const auto* list : {&a, &b})
    for (const T& each : *list)
      if (std::find(out.begin(), out.end(), each.name) == out.end()) out.push_back(each.name);
  return out;
}

template <class T>
const T* of_name(const std::vector<T>& list, const std::string& name) {
  const auto found = std::find_if(list.begin(), list.end(), [&](const T& each) { return each.name == name; });
  return found == list.end() ? nullptr : &*found;
}

std::string cells(const std::string& a, const std::string& b, const std::string& change) {
  const std::string style = a == b ? "<td class=\"n\">{}</td>" : "<td class=\"n\"><b>{}</b></td>";
  return fmt::format(fmt::runtime("<td class=\"n\">{}</td>" + style + "<td class=\"n\">{}</td>"), html(a),
                     html(b), html(change));
}

std::string compared_tiles(const Report& a, const Report& b, const std::string& titles) {
  std::string out = "<table>\n<thead><tr><th></th>" + titles + "</tr></thead>\n<tbody>\n";
  for (const std::string& name : names_of_both(a.tiles, b.tiles)) {
    const Tile *of_a = of_name(a.tiles, name), *of_b = of_name(b.tiles, name);
    out += "<tr><th scope=\"row\">" + html(name) + "</th>" +
           cells(of_a ? of_a->value : "", of_b ? of_b->value : "",
                 of_a && of_b ? change(of_a->number, of_b->number) : "") +
           "</tr>\n";
  }
  return out + "</tbody></table>\n";
}

/// The columns whose figures differ for some layer, three for each.
std::string compared_layers(const Report& a, const Report& b, const std::string& titles) {
  std::map<std::string, const Layer*> of_a, of_b;
  for (const Layer& layer : a.layers) of_a.emplace(layer.name, &layer);
  for (const Layer& layer : b.layers) of_b.emplace(layer.name, &layer);
  const auto find = [](const std::map<std::string, const Layer*>& layers, const std::string& name) {
    const auto found = layers.find(name);
    return found == layers.end() ? nullptr : found->second;
  };
  const std::vector<std::string> names = names_of_both(a.layers, b.layers);
  std::vector<Layer> both = a.layers;
  both.insert(both.end(), b.layers.begin(), b.layers.end());
  std::string out;
  for (const Column& column : columns_of(both)) {
    std::string rows;
    for (const std::string& name : names) {
      const Layer *x = find(of_a, name), *y = find(of_b, name);
      const std::string text_x = x ? column.shown_of(*x) : "", text_y = y ? column.shown_of(*y) : "";
      if (text_x == text_y || column.key == "name") continue;
      rows += "<tr><th scope=\"row\">" + html(name) + "</th>" +
              cells(text_x, text_y,
                    column.is_text || !x || !y ? "" : change(column.number(*x), column.number(*y))) +
              "</tr>\n";
    }
    if (rows.empty()) continue;
    out += "<h3>" + column.title + "</h3>\n<div class=\"scroll\"><table>\n<thead><tr><th>layer</th>" +
           titles + "</tr></thead>\n<tbody>\n" + rows + "</tbody></table></div>\n";
  }
  return out.empty() && !names.empty() ? "<p>The figures of all layers are the same.</p>\n" : out;
}

std::string compared_facts(const std::vector<Fact>& a, const std::vector<Fact>& b,
                           const std::string& titles) {
  std::string rows;
  for (const std::string& name : names_of_both(a, b)) {
    const Fact *of_a = of_name(a, name), *of_b = of_name(b, name);
    const std::string x = of_a ? of_a->value : "", y = of_b ? of_b->value : "";
    if (x != y)
      rows += fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td><td>{}</td></tr>\n", html(name), html(x),
                          html(y));
  }
  if (rows.empty()) return "";
  return "<table>\n<thead><tr><th></th>" + titles + "</tr></thead>\n<tbody>\n" + rows + "</tbody></table>\n";
}

std::string maps(const Report& a, const Report& b, const std::string& name_a, const std::string& name_b) {
  std::string out;
  if (!a.memory.empty()) out += "<h3>" + html(name_a) + "</h3>\n" + memory_picture(a.memory);
  if (!b.memory.empty()) out += "<h3>" + html(name_b) + "</h3>\n" + memory_picture(b.memory);
  return out;
}

}  // namespace

std::string write_comparison(const Report& a, const Report& b, const std::string& name_a,
                             const std::string& name_b) {
  const std::string two =
      fmt::format("<th scope=\"col\">{}</th><th scope=\"col\">{}</th>", html(name_a), html(name_b));
  const std::string three = two + "<th scope=\"col\">change</th>";
  std::string out = head(name_a + " and " + name_b, nullptr) + "<body>\n<header>\n";
  out +=
      fmt::format("<h1>{} and {}</h1>\n<p class=\"dim\">{}, {}; {}, {}</p>\n</header>\n<main>\n",
                  html(name_a), html(name_b), html(a.network), html(a.title), html(b.network), html(b.title));
  out += section("tiles", "Figures of the whole", compared_tiles(a, b, three));
  out += section("layers", "Layers that differ", compared_layers(a, b, three));
  out += section("memory", "Memory over time", maps(a, b, name_a, name_b));
  out += section("about", "What else differs",
                 compared_facts(a.about, b.about, two) + compared_facts(a.provenance, b.provenance, two));
  return out + "</main>\n</body>\n</html>\n";
}

}  // namespace n2d2::report
