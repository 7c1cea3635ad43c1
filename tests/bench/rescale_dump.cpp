// Runs a RescaleTransformation on raw pictures: what tests/bench/rescale.py compares with Pillow and OpenCV.
//   rescale_dump IN.raw OUT.raw FROM_WIDTH FROM_HEIGHT TO_WIDTH TO_HEIGHT ANTIALIAS
// Files hold pictures of 3 interleaved bytes a pixel, one after the other.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>

#include "n2d2/data/transformation.hpp"

namespace {

using namespace n2d2;

/// Keys of a section that stands in no file.
class Keys final : public KeySource {
 public:
  explicit Keys(std::map<std::string, std::string, std::less<>> keys) : keys_(std::move(keys)) {}
  std::optional<KeyText> find(std::string_view key) const override {
    const auto it = keys_.find(key);
    return it == keys_.end() ? std::nullopt : std::optional(KeyText{it->second, {}});
  }
  SourceLocation where() const override { return {}; }
  std::string subject() const override { return "[rescale_dump]"; }

 private:
  std::map<std::string, std::string, std::less<>> keys_;
};

int run(const char* const* words) {
  Diagnostics diagnostics;
  const auto rescale = data::make_transformation(
      "RescaleTransformation", Keys({{"Width", words[4]}, {"Height", words[5]}, {"Antialias", words[6]}}),
      diagnostics);
  diagnostics.finish<ConfigError>();
  std::ifstream in(words[0], std::ios::binary);
  std::ofstream out(words[1], std::ios::binary);
  Rng rng(1);
  for (;;) {
    data::Image image(std::max(1, std::atoi(words[2])), std::max(1, std::atoi(words[3])), 3);
    if (!in.read(reinterpret_cast<char*>(image.raw()), image.bytes())) break;
    rescale->apply(image, rng);
    out.write(reinterpret_cast<const char*>(image.raw()), image.bytes());
  }
  return out.flush() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 8)
    return std::fprintf(stderr,
                        "usage: rescale_dump IN OUT FROM_WIDTH FROM_HEIGHT TO_WIDTH TO_HEIGHT ANTIALIAS\n"),
           2;
  try {
    return run(argv + 1);
  } catch (const Error& error) {
    return std::fprintf(stderr, "%s\n", error.what()), 2;
  }
}
