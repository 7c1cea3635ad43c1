#include "n2d2/data/stimuli_statistics.hpp"

#include <fstream>
#include <optional>

#include "n2d2/base/log.hpp"
#include "n2d2/base/read_file.hpp"
#include "n2d2/base/sha256.hpp"
#include "n2d2/base/staged_folder.hpp"
#include "n2d2/base/text.hpp"
#include "n2d2/data/stimuli_provider.hpp"

#include "files/matrix_file.hpp"

namespace n2d2::data {

namespace {

namespace fs = std::filesystem;

constexpr const char* kTextFile = "statistics.txt";
constexpr int64_t kMostText = 4096, kMostImage = int64_t{1} << 31;

/// What everything in the file is made from. `key`: empty when it is not known, which is the key of nothing.
std::string head(const std::string& key) {
  return fmt::format("n2d2 stimuli data 1\nfrom {}\n", key.empty() ? "-" : key);
}

std::string body(const StimuliMeasurement& m) {
  return fmt::format("pictures {}\nwidth {} {}\nheight {} {}\nvalues {} {} {} {}\n", m.pictures, m.min_width,
                     m.max_width, m.min_height, m.max_height, print_real(m.values.min),
                     print_real(m.values.max), print_real(m.values.mean), print_real(m.values.std_dev));
}

std::optional<StimuliMeasurement> parse_body(std::string_view text) {
  StimuliMeasurement m;
  std::vector<double> numbers;
  for (const std::string& word : words(text))
    if (const auto number = parse_real(word)) numbers.push_back(*number);
  if (numbers.size() != 9) return std::nullopt;
  m.pictures = static_cast<int64_t>(numbers[0]);
  m.min_width = static_cast<int>(numbers[1]);
  m.max_width = static_cast<int>(numbers[2]);
  m.min_height = static_cast<int>(numbers[3]);
  m.max_height = static_cast<int>(numbers[4]);
  m.values = {numbers[5], numbers[6], numbers[7], numbers[8]};
  return m;
}

/// Nothing when the folder holds no measurement, a damaged one, or one of something else.
std::optional<StimuliMeasurement> load(const fs::path& folder, const std::string& key, bool images) {
  if (key.empty()) return std::nullopt;
  try {
    const std::string text = read_regular_file(folder / kTextFile, kMostText);
    const std::string start = head(key);
    const size_t hash = text.rfind("hash ");
    if (!text.starts_with(start) || hash == std::string::npos || hash < start.size()) return std::nullopt;
    std::string hashed = text.substr(0, hash);
    auto out = parse_body(std::string_view(hashed).substr(start.size()));
    if (!out || start + body(*out) != hashed) return std::nullopt;
    if (images)
      for (const char* name : {kMeanFile, kStdDevFile})
        hashed += read_regular_file(folder / name, kMostImage);
    if (text.substr(hash) != fmt::format("hash {}\n", sha256(hashed))) return std::nullopt;
    if (images) {
      out->mean = read_matrix((folder / kMeanFile).string());
      out->std_dev = read_matrix((folder / kStdDevFile).string());
    }
    return out;
  } catch (const FileError&) {
    return std::nullopt;
  } catch (const ConfigError&) {
    return std::nullopt;
  }
}

/// A file in the folder that is none of ours; "" when there is none.
std::string foreign_file(const fs::path& folder) {
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(folder, failed)) {
    const std::string name = entry.path().filename().string();
    if (name != kTextFile && name != kMeanFile && name != kStdDevFile) return name;
  }
  return {};
}

void store(const StimuliMeasurement& m, const std::string& key, bool images, const fs::path& folder) {
  if (const std::string foreign = foreign_file(folder); !foreign.empty())
    throw ConfigError(
        fmt::format("folder '{}' holds '{}', which is not of a measurement", folder.string(), foreign), {},
        "statistics are kept in a folder that is named like the section");
  try {
    StagedFolder staged(folder);
    std::string text = head(key) + body(m), hashed = text;
    if (images) {
      write_matrix((staged.fresh() / kMeanFile).string(), m.mean);
      write_matrix((staged.fresh() / kStdDevFile).string(), m.std_dev);
      for (const char* name : {kMeanFile, kStdDevFile})
        hashed += read_regular_file(staged.fresh() / name, kMostImage);
    }
    text += fmt::format("hash {}\n", sha256(hashed));
    std::ofstream file(staged.fresh() / kTextFile, std::ios::binary);
    file << text;
    file.close();
    if (!file) throw ConfigError(fmt::format("{}: cannot be written", (folder / kTextFile).string()));
    staged.commit();
  } catch (const FolderError& error) {
    throw ConfigError(fmt::format("{}: {}", error.path.string(), error.reason), {}, error.hint);
  } catch (const FileError& error) {
    throw ConfigError(fmt::format("{}: {}", folder.string(), error.reason));
  }
}

}  // namespace

StimuliMeasurement kept_measurement(const StimuliProvider& provider, ApplyTo apply_to, bool images,
                                    const fs::path& folder) {
  const std::string inputs = provider.measured_from(apply_to);
  const std::string key = inputs.empty() ? "" : sha256(inputs + (images ? "with images" : "values alone"));
  if (auto kept = load(folder, key, images)) {
    log::info("statistics of {} pictures are those of '{}'", kept->pictures, folder.string());
    return *std::move(kept);
  }
  StimuliMeasurement out = provider.measure(apply_to, images);
  if (out.pictures == 0) return out;
  try {
    store(out, key, images, folder);
  } catch (const ConfigError& error) {
    if (images) throw;
    log::notice("statistics are measured again in the next run: {}", error.findings().front().message);
  }
  return out;
}

}  // namespace n2d2::data
