// Part of an exported project; may be used without condition.
#include "../include/stimulus.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>

#ifndef NO_DIRENT
#include <dirent.h>
#endif

#include "../include/driven.hpp"
#include "../include/fail.hpp"
#include "../include/feature_map.hpp"

namespace N2D2_Export {
namespace {

std::string to_text(long long value) {
  std::ostringstream text;
  text << value;
  return text.str();
}

// Reads a file from start to end; errors name the file.
class Reader {
 public:
  explicit Reader(const std::string& path) : path_(path), at_(0) {
    expect_no_pipe(path);
    std::ifstream file(path.c_str(), std::ios::binary);
    if (!file) fail(path + ": cannot be opened");
    file.peek();  // a folder has nothing to read
    if (file.bad()) fail(path + ": cannot be read");
    bytes_.assign(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }

  std::string word() {
    while (at_ < bytes_.size() && is_space(bytes_[at_])) ++at_;
    std::string text;
    while (at_ < bytes_.size() && !is_space(bytes_[at_])) text += bytes_[at_++];
    return text;
  }

  void expect(const char* what, const std::string& expected) {
    const std::string found = word();
    if (found != expected) fail(path_ + ": " + what + ": expected " + expected + ", found '" + found + "'");
  }

  void skip_one() { ++at_; }

  void expect_rest(size_t size) const {
    const size_t rest = bytes_.size() < at_ ? 0 : bytes_.size() - at_;
    if (rest != size)
      fail(path_ + ": expected " + to_text(static_cast<long long>(size)) + " bytes after the header, found " +
           to_text(static_cast<long long>(rest)));
  }

  // Reads a number of n bytes, as it is in memory.
  void number(size_t n, unsigned char* to) {
    for (size_t i = 0; i < n; ++i) to[place(i, n)] = static_cast<unsigned char>(bytes_[at_ + i]);
    at_ += n;
  }

  int32_t class_number() {
    unsigned char raw[sizeof(int32_t)];
    number(sizeof(raw), raw);
    int32_t value;
    std::memcpy(&value, raw, sizeof(raw));
    return value;
  }

  // Reads as many elements as the input has.
  std::vector<unsigned char> elements() {
    const size_t bytes = static_cast<size_t>(facts().input_bytes);
    std::vector<unsigned char> all(static_cast<size_t>(input_size()) * bytes);
    for (size_t i = 0; i < all.size(); i += bytes) number(bytes, &all[i]);
    return all;
  }

 private:
  static bool is_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

  // Returns the place in memory of byte i of a little-endian number of n bytes.
  static size_t place(size_t i, size_t n) {
    const uint16_t one = 1;
    unsigned char first;
    std::memcpy(&first, &one, 1);
    return first == 1 ? i : n - 1 - i;
  }

  std::string path_;
  std::string bytes_;
  size_t at_;
};

size_t bytes_expected(const Stimulus& stimulus) {
  size_t bytes = 0;
  for (int t = 0; t < facts().targets; ++t)
    bytes += facts().are_data[t] != 0 ? stimulus.data.size()
                                      : static_cast<size_t>(facts().sizes[t]) * sizeof(int32_t);
  return bytes;
}

}  // namespace

Stimulus no_stimulus() {
  Stimulus stimulus;
  stimulus.data.resize(static_cast<size_t>(input_size() * facts().input_bytes));
  stimulus.targets.resize(static_cast<size_t>(outputs_before(facts().targets)));
  return stimulus;
}

Stimulus read_stimulus(const std::string& path) {
  Reader file(path);
  file.expect("format", facts().channels > 1 ? "P6" : "P5");
  file.expect("width", to_text(facts().width));
  file.expect("height", to_text(facts().height));
  file.expect("maximum", to_text(facts().maximum));
  file.skip_one();

  Stimulus stimulus = no_stimulus();
  file.expect_rest(stimulus.data.size() + bytes_expected(stimulus));
  stimulus.data = file.elements();
  size_t position = 0;
  for (int t = 0; t < facts().targets; ++t) {
    const size_t end = position + static_cast<size_t>(facts().sizes[t]);
    if (facts().are_data[t] == 0) {
      while (position < end) stimulus.targets[position++] = file.class_number();
      continue;
    }
    while (position < end) stimulus.targets[position++] = -1;
    const std::vector<unsigned char> values = file.elements();
    if (t == 0) stimulus.expected = copy_map(&values[0], facts().input, input_size(), 1, 1).values;
  }
  return stimulus;
}

std::vector<std::string> list_stimuli(const std::string& directory) {
  std::vector<std::string> paths;
#ifdef NO_DIRENT
  (void)directory;
  std::ifstream list("stimuli.list");
  if (!list) fail("stimuli.list: cannot be opened");
  std::string line;
  while (std::getline(list, line)) {
    std::istringstream words(line);
    std::string path;
    if (words >> path) paths.push_back(path);
  }
#else
  DIR* folder = opendir(directory.c_str());
  if (!folder && errno == ENOENT) return paths;
  if (!folder) fail(directory + ": cannot be listed");
  while (const dirent* entry = readdir(folder)) {
    const std::string name = entry->d_name;
    const std::string end = name.size() > 4 ? name.substr(name.size() - 4) : std::string();
    if (end == ".pgm" || end == ".ppm") paths.push_back(directory + "/" + name);
  }
  closedir(folder);
  std::sort(paths.begin(), paths.end());
#endif
  return paths;
}

std::string stimulus_name(const std::string& path) {
  const size_t slash = path.rfind('/');
  const std::string file = slash == std::string::npos ? path : path.substr(slash + 1);
  const size_t dot = file.rfind('.');
  return dot == std::string::npos ? file : file.substr(0, dot);
}

}  // namespace N2D2_Export
