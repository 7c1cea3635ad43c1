#include "analysis_network.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "n2d2/base/log.hpp"
#include "n2d2/base/read_file.hpp"
#include "n2d2/base/text.hpp"

namespace n2d2::app {

namespace {

constexpr int64_t kMostBytesOfIni = int64_t{1} << 30;

bool is_of_database(std::string_view section) {
  return section == "database" || section.starts_with("database.");
}

bool is_of_target(std::string_view section) {
  return section.find(".Target") != std::string_view::npos;
}

bool is_of_transformation(std::string_view section) {
  return section.find("Transformation") != std::string_view::npos ||
         section.find(".StimuliData") != std::string_view::npos;
}

/// Whether the file says something that no program could read, rather than something that is not here.
bool is_wrong(const Diagnostic& finding) {
  constexpr std::array kWords{": expected ", ": missing", "unknown key", "unknown section",
                              "unknown parameter"};
  return std::any_of(kWords.begin(), kWords.end(),
                     [&](const char* words) { return finding.message.find(words) != std::string::npos; });
}

/// Lines of files that are read as empty ones.
class HiddenLines {
 public:
  bool hide(const std::string& file, int line) { return lines_[file].insert(line).second; }

  std::optional<std::string> read(const std::string& path) const {
    std::string text;
    try {
      text = read_regular_file(path, kMostBytesOfIni);
    } catch (const FileError&) {
      return std::nullopt;
    }
    const auto hidden = lines_.find(path);
    if (hidden == lines_.end()) return text;
    std::vector<std::string> lines = split(text, '\n');
    for (const int line : hidden->second)
      if (line <= static_cast<int>(lines.size())) lines[static_cast<size_t>(line) - 1].clear();
    return join(lines, "\n");
  }

 private:
  std::map<std::string, std::set<int>> lines_;
};

/// A section as it is written: the lines from its header to the next one.
struct Written {
  std::string name, file;
  int first = 0, end = 0;
};

std::vector<Written> written_sections(const config::IniDocument& ini) {
  constexpr int kNoEnd = 1 << 24;
  std::vector<Written> out;
  for (const std::string& name : ini.section_names()) {
    const SourceLocation where = ini.section_where(name);
    if (where.line > 0) out.push_back({name, where.file, where.line, kNoEnd});
  }
  for (Written& section : out)
    for (const Written& other : out)
      if (other.file == section.file && other.first > section.first)
        section.end = std::min(section.end, other.first);
  return out;
}

class Attempts {
 public:
  Attempts(config::IniDocument ini, const loader::Options& options)
      : ini_(std::move(ini)), path_(ini_.path()), options_(options) {}

  loader::Network build() {
    while (true) {
      std::vector<std::pair<log::Level, std::string>> said;
      try {
        return attempt(said);
      } catch (const ConfigError& error) {
        if (!leave_out(error.findings())) {
          for (const auto& [level, text] : said) log::write(level, text);
          throw;
        }
      }
      const auto files = [this](const std::string& path) { return hidden_.read(path); };
      ini_ = config::parse_ini(files(path_).value_or(""), path_, files);
    }
  }

 private:
  /// Says what is said of a network that is built; of one that is not, only keeps it.
  loader::Network attempt(std::vector<std::pair<log::Level, std::string>>& said) {
    struct Restore {
      log::Sink console;
      ~Restore() { log::set_sink(std::move(console)); }
    };
    std::optional<loader::Network> net;
    {
      const Restore restore{
          log::set_sink([&](log::Level level, std::string_view text) { said.emplace_back(level, text); })};
      net = loader::network(ini_, options_);
    }
    for (const auto& [level, text] : said) log::write(level, text);
    return std::move(*net);
  }

  /// Whether all that is wrong is about samples, and something of it could be left out.
  bool leave_out(const std::vector<Diagnostic>& findings) {
    const std::vector<Written> sections = written_sections(ini_);
    bool any = false;
    std::vector<Diagnostic> notices;
    for (const Diagnostic& finding : findings) {
      const auto found = std::find_if(sections.begin(), sections.end(), [&](const Written& section) {
        return section.file == finding.where.file && section.first <= finding.where.line &&
               finding.where.line < section.end;
      });
      if (found == sections.end() || is_wrong(finding)) return false;
      if (is_of_database(found->name)) {
        for (const Written& section : sections)
          if (is_of_database(section.name)) any = hide(section, section.first) || any;
      } else if (is_of_transformation(found->name)) {
        any = hide(*found, found->first) || any;
      } else if (is_of_target(found->name)) {
        any = hide(*found, found->first + 1) || any;  // the layer is an output all the same
      } else {
        return false;
      }
      notices.push_back(finding);
    }
    if (!any) return false;
    for (Diagnostic& notice : notices) {
      notice.message.resize(std::min(notice.message.size(), notice.message.find("; supported: ")));
      notice.message += "; the network is looked at without it";
      notice.hint.clear();
      log::write(log::Level::Notice, notice.text());
    }
    return true;
  }

  bool hide(const Written& section, int first) {
    bool any = false;
    for (int line = first; line < std::min(section.end, first + kMostLines); ++line)
      any = hidden_.hide(section.file, line) || any;
    return any;
  }

  static constexpr int kMostLines = 4096;  // of a section that is the last of its file
  config::IniDocument ini_;
  std::string path_;
  loader::Options options_;
  HiddenLines hidden_;
};

}  // namespace

loader::Network network_without_samples(config::IniDocument ini, const loader::Options& options) {
  return Attempts(std::move(ini), options).build();
}

}  // namespace n2d2::app
