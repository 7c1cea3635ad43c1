#include "memory_text.hpp"

#include <algorithm>

#include "n2d2/program/free_bytes.hpp"

namespace n2d2::targets::cpp {

using exporter::TemplateData;
using program::Cell;
using program::View;

namespace {

/// Where the pieces of a view lie in its memory, in bytes: the second has size 0 when it is straight.
struct Pieces {
  int64_t start = 0, size = 0, wrap_start = 0, wrap_size = 0;
};

Pieces pieces_of(const View& view) {
  const int64_t start = view.place ? view.place->offset : 0;
  if (view.ring == 0) return {start, view.row * view.h, 0, 0};
  if (view.region != program::kNone) return {start, view.row * view.ring, 0, 0};  // all rows pass through it
  const int rows = std::min(view.h, view.ring - view.first);
  return {start, view.row * rows, start + view.row_at(rows), view.row * (view.h - rows)};
}

TemplateData plane_data(const ProjectText& text, graph::ValueId value, const std::string& identifier) {
  const View& view = text.program().map_of(value);
  const Shape& shape = text.program().graph.value(value).type.shape;
  const Pieces pieces = pieces_of(view);
  TemplateData data;
  data.set("prefix", upper(identifier)).set("size", view.used()).set("stride", view.pixel);
  data.set("length", shape.w()).set("count", shape.h());
  data.set("cont_offset", pieces.start).set("cont_size", pieces.size);
  data.set("wrap_offset", pieces.wrap_start).set("wrap_size", pieces.wrap_size);
  const bool told = text.program().memories.size() > 1 && !view.outside;
  return data.set("place", told ? fmt::format("// In {}.\n", text.array_of(view.place->memory)) : "");
}

/// What the address of an arena is a multiple of, a power of two: offsets that are multiples of another
/// number are so from its start.
int64_t address_alignment(memory::Bytes offsets) {
  constexpr int64_t kLeast = 16;  // of the widest loads
  return std::max(kLeast, offsets & -offsets);
}

}  // namespace

TemplateData::List arenas_data(const ProjectText& text) {
  const auto& declared = text.network().options.parameters.memories;
  TemplateData::List out;
  for (size_t m = 0; m < text.program().memories.size(); ++m) {
    if (text.program().memories[m].peak == 0) continue;
    const auto id = static_cast<memory::MemoryId>(m);
    const std::string section = declared.empty() ? MemoryParameters{}.section : declared[m].section;
    const bool is_default = section == MemoryParameters{}.section;
    const int64_t alignment = address_alignment(memory::alignment_of(text.network().planned.problem, id));
    const auto nobits = [&](const char* macro) { return fmt::format("{}(\"{}\")", macro, section); };
    const std::string bytes = declared.empty() ? "bytes" : "bytes_" + declared[m].name;
    out.push_back(TemplateData()
                      .set("array", text.array_of(id))
                      .set("bytes", bytes)
                      .set("constant", upper(text.array_of(id)))
                      .set("size", text.program().memories[m].peak)
                      .set("alignment", alignment)
                      .set("guard", std::max(int64_t{64}, alignment))
                      .set("section", is_default ? "N2D2_SECTION_NN_MEMORY" : nobits("N2D2_NOBITS_SECTION"))
                      .set("begin", is_default ? "N2D2_BEGIN_NN_MEMORY" : nobits("N2D2_BEGIN_NOBITS"))
                      .set("end", is_default ? "N2D2_END_NN_MEMORY" : "N2D2_END_NOBITS"));
  }
  return out;
}

StackText stack_text(const Platform& platform) {
  return {fmt::format("at most {} bytes", with_thousands(platform.stack_bytes)),
          platform.kernels == nullptr ? "portable kernels" : ""};
}

std::string memory_header(const ProjectText& text) {
  TemplateData::List planes{plane_data(text, text.program().input(), "env")};
  for (const Cell& cell : text.program().cells)
    for (const graph::ValueId value : text.program().graph.node(cell.node).outputs)
      planes.push_back(plane_data(text, value, text.identifier_of(value)));
  TemplateData data;
  const Platform& platform = text.network().options.platform;
  data.set("stack", platform.stack_bytes).set_switch("portable_stack", platform.kernels == nullptr);
  data.set("memory_alignment", text.program().alignment).set_list("memories", arenas_data(text));
  return text.fill("memory", data.set_list("planes", std::move(planes)));
}

void set_free_bytes(const ProjectText& text, TemplateData& data) {
  const auto free_before = program::free_bytes(text.program());
  std::vector<int> index;  // of each memory among the arenas
  int arenas = 0;
  for (const auto& memory : text.program().memories) index.push_back(memory.peak == 0 ? -1 : arenas++);
  std::string free;  // there may be more entries than a template takes
  std::vector<std::string> first;
  size_t entries = 0;
  for (const auto& pieces : free_before) {
    first.push_back(std::to_string(entries));
    entries += pieces.size();
    for (const program::FreeBytes& bytes : pieces)
      free += fmt::format("    {{ {}, {}, {}, {}, {} }},\n", index.at(static_cast<size_t>(bytes.memory)),
                          bytes.offset, bytes.size, bytes.stride, bytes.count);
  }
  first.push_back(std::to_string(entries));
  data.set("first_free", join(first, ", ")).set("steps", static_cast<int64_t>(text.program().calls.size()));
  data.set("free", std::move(free));
}

}  // namespace n2d2::targets::cpp
