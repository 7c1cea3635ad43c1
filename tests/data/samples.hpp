// What do the tests of the data module share? Keys from a map, a database in memory, files in a fresh folder.
#pragma once

#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "n2d2/base/log.hpp"
#include "n2d2/data/database.hpp"
#include "n2d2/data/transformation.hpp"

namespace n2d2::data {

class MapKeys final : public KeySource {
 public:
  using Map = std::map<std::string, std::string>;
  explicit MapKeys(Map keys, std::string subject = "[database]")
      : keys_(std::move(keys)), subject_(std::move(subject)) {}
  std::optional<KeyText> find(std::string_view key) const override {
    const auto it = keys_.find(std::string(key));
    if (it == keys_.end()) return std::nullopt;
    return KeyText{it->second, {"a.ini", 5}};
  }
  SourceLocation where() const override { return {"a.ini", 1}; }
  std::string subject() const override { return subject_; }

 private:
  Map keys_;
  std::string subject_;
};

inline std::string errors_of(const Diagnostics& diagnostics) {
  std::string out;
  for (const Diagnostic& error : diagnostics.errors()) out += error.text() + "\n";
  return out;
}

/// The database, or the test fails with its errors.
inline std::unique_ptr<Database> database(const std::string& type, MapKeys::Map keys, uint64_t seed = 1) {
  const log::Capture quiet;
  Diagnostics diagnostics;
  auto out = make_database(type, MapKeys(std::move(keys)), {seed, {}}, diagnostics);
  EXPECT_EQ(errors_of(diagnostics), "");
  return out;
}

/// The errors that making it gives.
inline std::string database_errors(const std::string& type, MapKeys::Map keys, const std::string& root = {}) {
  const log::Capture quiet;
  Diagnostics diagnostics;
  EXPECT_EQ(make_database(type, MapKeys(std::move(keys)), {1, root}, diagnostics), nullptr);
  return errors_of(diagnostics);
}

inline std::unique_ptr<Transformation> transformation(const std::string& type, MapKeys::Map keys) {
  Diagnostics diagnostics;
  auto out = make_transformation(type, MapKeys(std::move(keys), "[sp.Transformation]"), diagnostics);
  EXPECT_EQ(errors_of(diagnostics), "");
  return out;
}

inline std::string transformation_errors(const std::string& type, MapKeys::Map keys) {
  Diagnostics diagnostics;
  EXPECT_EQ(make_transformation(type, MapKeys(std::move(keys), "[sp.Transformation]"), diagnostics), nullptr);
  return errors_of(diagnostics);
}

/// what() of the ConfigError that body throws.
template <class Body>
std::string config_error(const Body& body) {
  try {
    body();
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "no error";
}

template <class T>
Image picture(int width, int height, int channels, const std::vector<T>& values) {
  Image out(width, height, channels, data_type_of<T>());
  EXPECT_EQ(values.size(), static_cast<size_t>(out.elements()));
  std::copy(values.begin(), values.end(), out.span<T>().begin());
  return out;
}

template <class T>
std::vector<T> values(const Image& image) {
  const auto span = image.span<T>();
  return {span.begin(), span.end()};
}

/// Sample i is a width x height x channels picture of random bytes; label i modulo 3; all in Learn, the even
/// ones also in Test.
class RandomPictures final : public Database {
 public:
  RandomPictures(int64_t count, int width, int height, int channels)
      : count_(count), width_(width), height_(height), channels_(channels) {
    labels_ = {"a", "b", "c"};
    for (int64_t i = 0; i < count; ++i) partitions_[0].push_back(i);
    for (int64_t i = 0; i < count; i += 2) partitions_[2].push_back(i);
  }
  int64_t size() const override { return count_; }
  std::string name(int64_t id) const override { return "picture " + std::to_string(id); }
  int label(int64_t id) const override { return static_cast<int>(id % 3); }
  Image image(int64_t id) const override {
    Image out(width_, height_, channels_);
    Rng rng(7, "picture", 0, static_cast<uint64_t>(id));
    for (uint8_t& x : out.span<uint8_t>()) x = static_cast<uint8_t>(rng.below(256));
    return out;
  }

 private:
  int64_t count_;
  int width_, height_, channels_;
};

/// A folder of its own, gone at the end.
class Folder {
 public:
  Folder() {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    path_ = std::filesystem::path(testing::TempDir()) /
            (std::string("n2d2_") + test->test_suite_name() + "_" + test->name());
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string path(const std::string& name = {}) const {
    return name.empty() ? path_.string() : (path_ / name).string();
  }
  void write(const std::string& name, const std::string& bytes) const {
    std::filesystem::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name, std::ios::binary) << bytes;
  }
  std::string read(const std::string& name) const {
    std::ifstream file(path_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  /// The text with the folder's path replaced by DIR.
  std::string anonymous(std::string text) const {
    for (size_t at = text.find(path_.string()); at != std::string::npos; at = text.find(path_.string()))
      text.replace(at, path_.string().size(), "DIR");
    return text;
  }

 private:
  std::filesystem::path path_;
};

}  // namespace n2d2::data
