#include "tuning_cache.hpp"

#include "n2d2/base/durable_file.hpp"
#include "n2d2/base/log.hpp"
#include "n2d2/base/read_file.hpp"
#include "n2d2/base/text.hpp"

namespace n2d2::targets::cpp {

namespace {

constexpr std::string_view kMagic = "# n2d2 tuning 1";
constexpr int64_t kMostBytes = 16 << 20;
constexpr const char* kHint = "remove the file: what it said is measured again";

/// Zeros where one of them is no number.
TimeRange range_of(const std::string& least, const std::string& most) {
  return {parse_real(least).value_or(0), parse_real(most).value_or(0)};
}

/// Reads line by line; collects what is wrong.
class TuningReader {
 public:
  TuningReader(std::string_view text, std::string file) : lines_(split(text, '\n')), file_(std::move(file)) {}

  TuningCache read() {
    if (lines_.empty() || lines_.front() != kMagic) {
      findings_.error({file_, 1}, fmt::format("not a file of -tune: expected '{}' in the first line", kMagic),
                      "name another one: '-tune other.txt'");
      findings_.finish<ConfigError>();
    }
    TuningCache out;
    out.machine = {head(2, "n2d2"), head(3, "machine"), head(4, "compiler")};
    for (size_t line = 5; line <= lines_.size(); ++line)
      if (!lines_[line - 1].empty()) add(line, out.timings);
    findings_.finish<ConfigError>();
    return out;
  }

 private:
  void wrong(size_t line, const std::string& message) {
    findings_.error({file_, static_cast<int>(line)}, "-tune: " + message, kHint);
  }

  std::string head(size_t line, const std::string& name) {
    const std::string text = line <= lines_.size() ? lines_[line - 1] : "";
    if (text.starts_with(name + "\t")) return text.substr(name.size() + 1);
    wrong(line, fmt::format("expected '{}', a tab and its value, got '{}'", name, text));
    return {};
  }

  void add(size_t line, Timings& timings) {
    const std::vector<std::string> fields = split(lines_[line - 1], '\t');
    const TimeRange range = fields.size() == 4 ? range_of(fields[2], fields[3]) : TimeRange{};
    if (!(range.least > 0) || !(range.least <= range.most))
      return wrong(line, fmt::format("expected a layer, a form and two times in ascending order, got '{}'",
                                     lines_[line - 1]));
    if (!timings[fields[0]].try_emplace(fields[1], range).second)
      wrong(line, fmt::format("form '{}' of this layer stands twice", fields[1]));
  }

  std::vector<std::string> lines_;
  std::string file_;
  Diagnostics findings_;
};

/// "another machine": what of it differs.
std::string difference(const TuningMachine& there, const TuningMachine& here) {
  if (there.version != here.version) return fmt::format("by n2d2 {}", there.version);
  if (there.machine != here.machine) return fmt::format("on '{}'", there.machine);
  return fmt::format("with '{}'", there.compiler);
}

}  // namespace

std::string print(const TuningCache& cache) {
  std::string out = fmt::format("{}\nn2d2\t{}\nmachine\t{}\ncompiler\t{}\n", kMagic, cache.machine.version,
                                cache.machine.machine, cache.machine.compiler);
  for (const auto& [layer, forms] : cache.timings)
    for (const auto& [form, time] : forms)
      out += fmt::format("{}\t{}\t{:.3f}\t{:.3f}\n", layer, form, time.least, time.most);
  return out;
}

TuningCache parse_tuning(std::string_view text, const std::string& file) {
  return TuningReader(text, file).read();
}

TuningCache read_tuning(const std::filesystem::path& file, const TuningMachine& machine) {
  if (!std::filesystem::exists(file)) return {machine, {}};
  std::string text;
  try {
    text = read_regular_file(file, kMostBytes);
  } catch (const FileError& error) {
    throw ConfigError(fmt::format("-tune: {}", error.reason), {file.string(), 0});
  }
  TuningCache out = parse_tuning(text, file.string());
  if (out.machine == machine) return out;
  log::notice("{}: measured {}, all is measured again", file.string(), difference(out.machine, machine));
  return {machine, {}};
}

void write_tuning(const std::filesystem::path& file, const TuningCache& cache) {
  write_durably(file, print(cache));
}

}  // namespace n2d2::targets::cpp
