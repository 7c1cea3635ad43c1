#include "arena_text.hpp"

#include "memory_text.hpp"

namespace n2d2::targets::cpp {

using exporter::TemplateData;
using program::View;

namespace {

const std::string& entry(const TemplateData& data, const std::string& name) {
  return std::get<std::string>(data.entries.at(name));
}

/// What only networks with parts of other code have.
constexpr std::pair<std::string_view, std::string_view> kOfParts[] = {
    {"begun_field", "  int* begun;  // how many parts of other code hold something; they begin in order\n"},
    {"begun_own", "  int begun_;\n"},
    {"begun_own_zero", "begun_(0), "},
    {"begun_own_address", "  arenas_.begun = &begun_;\n"},
    {"begun_c", "  int begun;\n"},
    {"begun_c_zero", "  instance->begun = 0;\n"},
    {"begun_c_address", "  arenas.begun = &instance->begun;\n"},
};

}  // namespace

void set_arenas(const ProjectText& text, TemplateData& data) {
  TemplateData::List memories = arenas_data(text);
  std::vector<std::string> taken, passed, fields;
  for (const TemplateData& memory : memories) {
    const std::string &array = entry(memory, "array"), &bytes = entry(memory, "bytes");
    taken.push_back(fmt::format("void* {}, size_t {}", array, bytes));
    passed.push_back(fmt::format("{}, {}", array, bytes));
    fields.push_back(fmt::format("instance->{}, instance->{}", array, bytes));
  }
  const auto behind = [](const std::vector<std::string>& list) {
    return list.empty() ? "" : ", " + join(list, ", ");
  };
  const bool has_parts = !text.network().parts.empty();
  for (const auto& [name, line] : kOfParts) data.set(std::string(name), has_parts ? std::string(line) : "");
  data.set("taken", join(taken, ", "))
      .set("given", behind(taken))
      .set("passed", behind(passed))
      .set("fields", behind(fields))
      .set("status", memories.empty()
                         ? "0"
                         : fmt::format("arenas.{} ? 0 : kArenaNull", entry(memories.front(), "array")))
      .set("no_member", memories.empty() && !has_parts ? "  int nothing;\n" : "")
      .set_list("memories", std::move(memories));
}

std::string packed_output(const ProjectText& text, graph::ValueId value) {
  const View& map = text.program().map_of(value);
  const bool is_packed = map.ring == 0 && map.pixel == map.used() && map.row == map.w * map.pixel;
  return map.outside || !is_packed ? "0" : text.address(value);
}

}  // namespace n2d2::targets::cpp
