#include <cmath>
#include <type_traits>

#include <nlohmann/json.hpp>

#include "n2d2/base/error.hpp"
#include "n2d2/report/write.hpp"

#include "shown.hpp"

namespace n2d2::report {

namespace {

using Json = nlohmann::ordered_json;

template <class T>
Json json_of(const T& record);

Json value_of(const std::string& text) {
  return shown(text);
}
Json value_of(int64_t number) {
  return number;
}
/// JSON has no infinity, and no number that is none: null.
Json value_of(double number) {
  return std::isfinite(number) ? Json(number) : Json();
}
template <class T>
Json value_of(const std::vector<T>& list);
template <class T>
Json value_of(const std::optional<T>& some) {
  return some ? value_of(*some) : Json();
}
template <class T>
Json value_of(const T& record) {
  return json_of(record);
}
template <class T>
Json value_of(const std::vector<T>& list) {
  Json out = Json::array();
  for (const T& each : list) out.push_back(value_of(each));
  return out;
}

template <class T>
Json json_of(const T& record) {
  Json out = Json::object();
  T::fields([&](const char* key, auto member) {
    Json value = value_of(record.*member);
    const bool is_nothing = value.is_null() ||
                            ((value.is_structured() || value.is_string()) && value.empty()) ||
                            (value.is_string() && value.template get_ref<const std::string&>().empty());
    if (!is_nothing) out[key] = std::move(value);
  });
  return out;
}

/// ASCII in which no character ends a script or begins an entity. These occur in strings only.
std::string dumped(const Json& json) {
  std::string out;
  for (const char c : json.dump(-1, ' ', true, Json::error_handler_t::replace))
    if (c == '<' || c == '>' || c == '&')
      out += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
    else
      out += c;
  return out;
}

/// A list of records has a line for each of them; members of the first two levels have one, too.
std::string lines(const Json& json, int level) {
  constexpr int kLevels = 2;
  const bool is_list = json.is_array() && !json.empty() && json.front().is_structured();
  if (!(is_list || (json.is_object() && level < kLevels))) return dumped(json);
  const std::string indent(static_cast<size_t>(level + 1), ' ');
  std::string out;
  for (const auto& [key, value] : json.items())
    out += (out.empty() ? "" : ",\n") + indent + (is_list ? "" : dumped(Json(key)) + ": ") +
           (is_list ? dumped(value) : lines(value, level + 1));
  return (is_list ? "[\n" : "{\n") + out + (is_list ? "]" : "}");
}

void read(const Json& json, std::string& text) {
  json.get_to(text);
}
void read(const Json& json, int64_t& number) {
  number = json.get_ref<const Json::number_integer_t&>();  // one with a fraction is none
}
void read(const Json& json, double& number) {
  if (json.is_null())
    number = std::nan("");  // what is no number was written like that
  else
    json.get_to(number);
}
template <class T>
void read(const Json& json, std::vector<T>& list);
template <class T>
void read(const Json& json, std::optional<T>& some) {
  if (!json.is_null()) read(json, some.emplace());
}
template <class T>
void read(const Json& json, T& record) {
  T::fields([&](const char* key, auto member) {
    if (const auto found = json.find(key); found != json.end()) read(*found, record.*member);
  });
}
template <class T>
void read(const Json& json, std::vector<T>& list) {
  for (const Json& each : json) read(each, list.emplace_back());
}

}  // namespace

std::string write_json(const Report& report) {
  return lines(json_of(report), 0) + "\n";
}

Report read_json(std::string_view text, const std::string& place) {
  Report out;
  try {
    const Json json = Json::parse(text);
    if (!json.is_object() || !json.contains("format")) throw ConfigError("no report of n2d2", {place, 0});
    read(json, out);
  } catch (const Json::exception& error) {
    throw ConfigError(std::string("no report of n2d2: ") + error.what(), {place, 0});
  }
  if (out.format != Report().format)
    throw ConfigError(
        fmt::format("a report of format {}, this program reads {}", out.format, Report().format), {place, 0});
  return out;
}

}  // namespace n2d2::report
