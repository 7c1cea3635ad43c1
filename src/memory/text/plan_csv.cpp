#include "n2d2/memory/plan_csv.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <unordered_map>

#include "n2d2/base/csv.hpp"
#include "n2d2/base/text.hpp"

#include "csv_records.hpp"

namespace n2d2::memory {

namespace {

constexpr std::array<std::string_view, 4> kWindowKinds{"Rows", "Element", "Whole", "Same"};
constexpr std::array<std::string_view, 3> kScans{"TopDown", "BottomUp", "Any"};

template <class... Values>
std::vector<std::string> texts(const Values&... values) {
  return {fmt::format("{}", values)...};
}

using Names = std::unordered_map<std::string, int>;

/// Reads the fields of one record; every field that is not what it should be becomes an error with the line.
class Fields {
 public:
  Fields(const CsvRecord& record, std::string file, Diagnostics& diagnostics)
      : record_(record), where_{std::move(file), record.line}, diagnostics_(diagnostics) {}

  const std::string& kind() const { return record_.fields.front(); }

  /// False, with an error, unless the record has its kind and these fields.
  bool has(std::string_view fields) {
    const size_t expected = split(fields, ',').size() + 1;
    if (record_.fields.size() == expected) return true;
    error("expected {} fields ({},{}), got {}", expected, kind(), fields, record_.fields.size());
    return false;
  }
  const std::string& text(size_t field) const { return record_.fields[field]; }

  template <class I>
  I integer(size_t field, std::string_view name) {
    const auto value = parse_integer(text(field));
    if (value && *value >= std::numeric_limits<I>::min() && *value <= std::numeric_limits<I>::max())
      return static_cast<I>(*value);
    error("{}: expected an integer, got '{}'", name, text(field));
    return 0;
  }
  bool flag(size_t field, std::string_view name) {
    const auto value = parse_bool(text(field));
    if (!value) error("{}: expected 0 or 1, got '{}'", name, text(field));
    return value.value_or(false);
  }
  template <size_t N>
  int choice(size_t field, std::string_view name, const std::array<std::string_view, N>& names) {
    for (size_t i = 0; i < N; ++i)
      if (text(field) == names[i]) return static_cast<int>(i);
    std::string all;
    for (const auto& known : names) all += (all.empty() ? "" : ", ") + std::string(known);
    error("{}: expected one of {}, got '{}'", name, all, text(field));
    return 0;
  }
  /// Index of a name; kNone, with an error, when there is none.
  int reference(size_t field, std::string_view what, const Names& names) {
    const auto it = names.find(text(field));
    if (it != names.end()) return it->second;
    error("expected the name of a {}, got '{}'", what, text(field));
    return kNone;
  }
  template <class... Args>
  void error(fmt::format_string<Args...> format, Args&&... args) {
    diagnostics_.error(where_, fmt::format(format, std::forward<Args>(args)...));
  }

 private:
  const CsvRecord& record_;
  SourceLocation where_;
  Diagnostics& diagnostics_;
};

constexpr std::array<std::string_view, 6> kProblemKinds{"alignment", "memory", "buffer",
                                                        "step",      "write",  "read"};
constexpr std::array<std::string_view, 4> kPlanKinds{"peak", "space", "view", "scan"};

/// Whether a file holds a problem, a plan, or the one and then the other: records of the other reader are
/// then skipped.
enum class Content { Alone, Both };

template <size_t N>
bool is_one_of(const std::string& kind, const std::array<std::string_view, N>& kinds) {
  return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
}

class ProblemReader {
 public:
  ProblemReader(std::string file, Content content) : file_(std::move(file)), content_(content) {}

  Problem read(std::string_view text) {
    const auto records = csv_records(text, file_, diagnostics_);
    p_.memories.clear();
    const bool lifetimes_only = !records.empty() && join(records.front().fields, ",") == kLifetimeColumns;
    if (!lifetimes_only)
      for (const CsvRecord& record : records)
        if (record.fields.front() == "buffer" && record.fields.size() > 1)
          names_.emplace(record.fields[1], static_cast<int>(names_.size()));
    for (size_t i = lifetimes_only ? 1 : 0; i < records.size(); ++i) {
      Fields fields(records[i], file_, diagnostics_);
      line_ = records[i].line;
      if (lifetimes_only)
        lifetime(fields, records[i].fields.size());
      else
        record_of_problem(fields);
    }
    if (p_.memories.empty()) p_.memories.emplace_back();
    diagnostics_.finish<ConfigError>();
    for (const Fault& fault : faults(p_)) diagnostics_.error({file_, line_of(fault)}, fault.text);
    diagnostics_.finish<ConfigError>();
    return std::move(p_);
  }

 private:
  static constexpr std::string_view kLifetimeColumns = "id,lower,upper,size";

  void lifetime(Fields& f, size_t count) {
    if (count != 4) return f.error("expected 4 fields ({}), got {}", kLifetimeColumns, count);
    Buffer buffer;
    buffer.name = f.text(0);
    buffer.life = {f.integer<int>(1, "lower"), f.integer<int>(2, "upper")};
    buffer.used = buffer.pixel = f.integer<Bytes>(3, "size");
    add(std::move(buffer));
  }

  void record_of_problem(Fields& f) {
    if (f.kind() == "alignment") {
      if (f.has("bytes")) p_.alignment = f.integer<Bytes>(1, "alignment");
    } else if (f.kind() == "memory") {
      if (f.has("name,capacity,alignment"))
        p_.memories.push_back({f.text(1), f.integer<Bytes>(2, "capacity"), f.integer<Bytes>(3, "alignment")});
    } else if (f.kind() == "buffer") {
      if (f.has("name,first,end,used,pixel,width,height,keep,host,offset,memories")) buffer(f);
    } else if (f.kind() == "step") {
      if (f.has("name,written,scratch,rows per step,raster order,overlap,any order")) step(f);
    } else if (f.kind() == "read") {
      if (f.has("buffer,window,stride,pad,extent")) read_of_step(f);
    } else if (f.kind() == "write") {
      if (f.has("buffer")) write_of_step(f);
    } else if (f.kind() == "scratch") {
      if (f.has("memories")) scratch_of_step(f);
    } else if (content_ == Content::Alone) {
      f.error("expected alignment, memory, buffer, step, write, scratch or read, got '{}'", f.kind());
    } else if (!is_one_of(f.kind(), kPlanKinds)) {
      f.error(
          "expected alignment, memory, buffer, step, write, scratch, read, peak, space, view or scan, got "
          "'{}'",
          f.kind());
    }
  }

  void add(Buffer buffer) {
    p_.buffers.push_back(std::move(buffer));
    buffer_lines_.push_back(line_);
  }

  void buffer(Fields& f) {
    Buffer b;
    b.name = f.text(1);
    b.life = {f.integer<int>(2, "first"), f.integer<int>(3, "end")};
    b.used = f.integer<Bytes>(4, "used");
    b.pixel = f.integer<Bytes>(5, "pixel");
    b.width = f.integer<int>(6, "width");
    b.height = f.integer<int>(7, "height");
    b.keep = f.flag(8, "keep");
    if (!f.text(9).empty())
      b.inside = Inside{f.reference(9, "buffer", names_), f.integer<Bytes>(10, "offset")};
    b.memories = memories_named(f, f.text(11));
    add(std::move(b));
  }

  std::vector<MemoryId> memories_named(Fields& f, const std::string& names) const {
    std::vector<MemoryId> out;
    for (const std::string& memory : split(names, ' '))
      if (!memory.empty()) out.push_back(memory_named(f, memory));
    return out;
  }

  MemoryId memory_named(Fields& f, const std::string& name) const {
    for (size_t m = 0; m < p_.memories.size(); ++m)
      if (p_.memories[m].name == name) return static_cast<MemoryId>(m);
    f.error("expected the name of a memory above this line, got '{}'", name);
    return 0;
  }

  void step(Fields& f) {
    Step s;
    s.name = f.text(1);
    if (!f.text(2).empty()) s.writes = {f.reference(2, "buffer", names_)};
    s.scratch = f.integer<Bytes>(3, "scratch");
    s.rows_per_step = f.integer<int>(4, "rows per step");
    s.raster_order = f.flag(5, "raster order");
    s.overlap = f.flag(6, "overlap");
    s.any_order = f.flag(7, "any order");
    p_.steps.push_back(std::move(s));
    step_lines_.push_back(line_);
  }

  void read_of_step(Fields& f) {
    if (p_.steps.empty()) return f.error("expected a step before its first read");
    Read r;
    r.buffer = f.reference(1, "buffer", names_);
    r.window.kind = static_cast<Window::Kind>(f.choice(2, "window", kWindowKinds));
    r.window.stride = f.integer<int>(3, "stride");
    r.window.pad = f.integer<int>(4, "pad");
    r.window.extent = f.integer<int>(5, "extent");
    p_.steps.back().reads.push_back(r);
  }

  void write_of_step(Fields& f) {
    if (p_.steps.empty() || p_.steps.back().writes.empty())
      return f.error("expected a step that writes a buffer before it writes another");
    p_.steps.back().writes.push_back(f.reference(1, "buffer", names_));
  }

  void scratch_of_step(Fields& f) {
    if (p_.steps.empty()) return f.error("expected a step before the memories of its scratch");
    p_.steps.back().scratch_memories = memories_named(f, f.text(1));
  }

  int line_of(const Fault& fault) const {
    const auto index = static_cast<size_t>(fault.index);
    if (fault.subject == Fault::Subject::Buffer) return buffer_lines_[index];
    if (fault.subject == Fault::Subject::Step) return step_lines_[index];
    return 0;
  }

  std::string file_;
  Content content_;
  Diagnostics diagnostics_;
  Problem p_;
  Names names_;
  int line_ = 0;
  std::vector<int> buffer_lines_, step_lines_;
};

class PlanReader {
 public:
  PlanReader(const Problem& problem, std::string file, Content content)
      : p_(problem), file_(std::move(file)), content_(content) {
    for (size_t i = 0; i < p_.buffers.size(); ++i) buffers_.emplace(p_.buffers[i].name, static_cast<int>(i));
    for (size_t i = 0; i < p_.memories.size(); ++i)
      memories_.emplace(p_.memories[i].name, static_cast<int>(i));
  }

  Plan read(std::string_view text) {
    plan_.views.resize(p_.buffers.size());
    plan_.peaks.resize(p_.memories.size());
    for (const CsvRecord& record : csv_records(text, file_, diagnostics_)) {
      Fields fields(record, file_, diagnostics_);
      record_of_plan(fields);
    }
    for (size_t b = 0; b < plan_.views.size(); ++b)
      if (!seen_.contains(static_cast<int>(b)))
        diagnostics_.error({file_, 0},
                           fmt::format("expected a view of buffer '{}', got none", p_.buffers[b].name));
    if (plan_.scan_of_step.size() != p_.steps.size())
      diagnostics_.error({file_, 0}, fmt::format("expected {} scans, one per step, got {}", p_.steps.size(),
                                                 plan_.scan_of_step.size()));
    diagnostics_.finish<ConfigError>();
    return std::move(plan_);
  }

 private:
  void record_of_plan(Fields& f) {
    if (f.kind() == "peak") {
      if (f.has("memory,bytes")) peak(f);
    } else if (f.kind() == "space") {
      if (f.has("memory,offset,size,first,end")) space(f);
    } else if (f.kind() == "view") {
      if (f.has("buffer,space,offset,pixel,row,wrap,width,height")) view(f);
    } else if (f.kind() == "scan") {
      if (f.has("step,order,scratch space")) scan(f);
    } else if (content_ == Content::Alone || !is_one_of(f.kind(), kProblemKinds)) {
      f.error("expected peak, space, view or scan, got '{}'", f.kind());
    }
  }

  void peak(Fields& f) {
    const int memory = f.reference(1, "memory", memories_);
    if (memory != kNone) plan_.peaks[static_cast<size_t>(memory)] = f.integer<Bytes>(2, "peak");
  }

  void space(Fields& f) {
    plan_.spaces.push_back({f.reference(1, "memory", memories_),
                            f.integer<Bytes>(2, "offset"),
                            f.integer<Bytes>(3, "size"),
                            {f.integer<int>(4, "first"), f.integer<int>(5, "end")}});
  }

  void view(Fields& f) {
    const int buffer = f.reference(1, "buffer", buffers_);
    if (buffer == kNone) return;
    if (!seen_.emplace(buffer, true).second)
      f.error("expected one view of buffer '{}', got another", f.text(1));
    plan_.views[static_cast<size_t>(buffer)] = {f.integer<int>(2, "space"),   f.integer<Bytes>(3, "offset"),
                                                f.integer<Bytes>(4, "pixel"), f.integer<Bytes>(5, "row"),
                                                f.integer<Bytes>(6, "wrap"),  f.integer<int>(7, "width"),
                                                f.integer<int>(8, "height")};
  }

  void scan(Fields& f) {
    const size_t next = plan_.scan_of_step.size();
    if (next >= p_.steps.size() || p_.steps[next].name != f.text(1))
      f.error("expected the scan of {}, got that of step '{}'",
              next < p_.steps.size() ? "step '" + p_.steps[next].name + "'" : "no further step", f.text(1));
    plan_.scan_of_step.push_back(static_cast<Scan>(f.choice(2, "order", kScans)));
    plan_.scratch_of_step.push_back(f.text(3).empty() ? kNone : f.integer<int>(3, "scratch space"));
  }

  const Problem& p_;
  std::string file_;
  Content content_;
  Diagnostics diagnostics_;
  Plan plan_;
  Names buffers_, memories_;
  std::unordered_map<int, bool> seen_;
};

}  // namespace

std::string problem_to_csv(const Problem& problem) {
  std::string out = csv_line(texts("alignment", problem.alignment));
  for (const Memory& m : problem.memories) out += csv_line(texts("memory", m.name, m.capacity, m.alignment));
  const auto names_of = [&](const std::vector<MemoryId>& memories) {
    std::string names;
    for (const MemoryId m : memories)
      names += (names.empty() ? "" : " ") + problem.memories[static_cast<size_t>(m)].name;
    return names;
  };
  for (const Buffer& b : problem.buffers) {
    const std::string host = b.inside ? problem.buffers[static_cast<size_t>(b.inside->buffer)].name : "";
    out += csv_line(texts("buffer", b.name, b.life.first, b.life.end, b.used, b.pixel, b.width, b.height,
                          b.keep ? 1 : 0, host, b.inside ? b.inside->offset : 0, names_of(b.memories)));
  }
  for (const Step& s : problem.steps) {
    const auto name = [&](BufferId b) { return problem.buffers[static_cast<size_t>(b)].name; };
    out += csv_line(texts("step", s.name, s.writes.empty() ? "" : name(s.writes.front()), s.scratch,
                          s.rows_per_step, s.raster_order ? 1 : 0, s.overlap ? 1 : 0, s.any_order ? 1 : 0));
    for (size_t i = 1; i < s.writes.size(); ++i) out += csv_line(texts("write", name(s.writes[i])));
    if (!s.scratch_memories.empty()) out += csv_line(texts("scratch", names_of(s.scratch_memories)));
    for (const Read& r : s.reads)
      out += csv_line(texts("read", problem.buffers[static_cast<size_t>(r.buffer)].name,
                            kWindowKinds[static_cast<size_t>(r.window.kind)], r.window.stride, r.window.pad,
                            r.window.extent));
  }
  return out;
}

Problem problem_from_csv(std::string_view text, const std::string& file) {
  return ProblemReader(file, Content::Alone).read(text);
}

std::string plan_to_csv(const Problem& problem, const Plan& plan) {
  std::string out;
  for (size_t m = 0; m < plan.peaks.size(); ++m)
    out += csv_line(texts("peak", problem.memories[m].name, plan.peaks[m]));
  for (const Space& s : plan.spaces)
    out += csv_line(texts("space", problem.memories[static_cast<size_t>(s.memory)].name, s.offset, s.size,
                          s.life.first, s.life.end));
  for (size_t b = 0; b < plan.views.size(); ++b) {
    const View& v = plan.views[b];
    out += csv_line(
        texts("view", problem.buffers[b].name, v.space, v.offset, v.pixel, v.row, v.wrap, v.width, v.height));
  }
  for (size_t t = 0; t < plan.scan_of_step.size(); ++t) {
    const SpaceId scratch = plan.scratch_of_step[t];
    out += csv_line(texts("scan", problem.steps[t].name, kScans[static_cast<size_t>(plan.scan_of_step[t])],
                          scratch == kNone ? "" : std::to_string(scratch)));
  }
  return out;
}

Plan plan_from_csv(std::string_view text, const Problem& problem, const std::string& file) {
  return PlanReader(problem, file, Content::Alone).read(text);
}

PlanFile plan_file_from_csv(std::string_view text, const std::string& file) {
  PlanFile out;
  out.problem = ProblemReader(file, Content::Both).read(text);
  out.plan = PlanReader(out.problem, file, Content::Both).read(text);
  return out;
}

}  // namespace n2d2::memory
