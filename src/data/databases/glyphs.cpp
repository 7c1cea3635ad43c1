// Ten classes of drawn digits, different on every picture, from nothing but a fixed seed.
#include <array>
#include <cmath>
#include <numbers>

#include <opencv2/imgproc.hpp>

#include "n2d2/base/random.hpp"

#include "database/database_type.hpp"
#include "files/mat.hpp"

namespace n2d2::data {

namespace {

/// The pictures' own seed: they do not depend on `-seed`.
constexpr uint64_t kGlyphSeed = 0x676c797068730001ULL;
constexpr int kGlyphs = 10, kCanvas = 112, kMaxSide = 512;

struct GlyphsKeys {
  int64_t learn = 8000, validation = 1000, test = 2000;
  int width = 28, height = 28, channels = 1;
  template <class V>
  static void fields(V&& v) {
    using K = GlyphsKeys;
    v("Learn", &K::learn, at_least(0), at_most(10000000), help("pictures to learn from"));
    v("Validation", &K::validation, at_least(0), at_most(10000000), help("pictures to validate with"));
    v("Test", &K::test, at_least(0), at_most(10000000), help("pictures to test with"));
    v("Width", &K::width, at_least(8), at_most(kMaxSide), help("columns"));
    v("Height", &K::height, at_least(8), at_most(kMaxSide), help("rows"));
    v("NbChannels", &K::channels, at_least(1), at_most(4), help("1: grey; more: coloured"));
  }
};

struct Fonts {
  int face;
  double scale;  // gives digits about 60 canvas pixels high
};
constexpr std::array kFonts{
    Fonts{cv::FONT_HERSHEY_SIMPLEX, 2.7},        Fonts{cv::FONT_HERSHEY_PLAIN, 5.6},
    Fonts{cv::FONT_HERSHEY_DUPLEX, 2.7},         Fonts{cv::FONT_HERSHEY_COMPLEX, 2.7},
    Fonts{cv::FONT_HERSHEY_TRIPLEX, 2.7},        Fonts{cv::FONT_HERSHEY_COMPLEX_SMALL, 4.0},
    Fonts{cv::FONT_HERSHEY_SCRIPT_SIMPLEX, 2.7}, Fonts{cv::FONT_HERSHEY_SCRIPT_COMPLEX, 2.7}};

/// The digit in white on black, centred, kCanvas x kCanvas.
cv::Mat draw_digit(int digit, Rng& rng) {
  const Fonts& font = kFonts[rng.below(kFonts.size())];
  const int face = font.face | (rng.chance(0.3) ? cv::FONT_ITALIC : 0);
  const int thickness = 4 + static_cast<int>(rng.below(8));
  const std::string text(1, static_cast<char>('0' + digit));
  int baseline = 0;
  const cv::Size size = cv::getTextSize(text, face, font.scale, thickness, &baseline);
  cv::Mat canvas(kCanvas, kCanvas, CV_8U, cv::Scalar(0));
  cv::putText(canvas, text, {(kCanvas - size.width) / 2, (kCanvas + size.height) / 2}, face, font.scale,
              cv::Scalar(255), thickness, cv::LINE_AA);
  return canvas;
}

/// A smooth random displacement: a few low-frequency waves an axis (canvas pixels).
struct Waves {
  explicit Waves(Rng& rng, double strength) {
    for (auto& wave : waves) {
      const double length = rng.uniform(30, 90), angle = rng.uniform(0, 2 * std::numbers::pi);
      wave = {2 * std::numbers::pi / length * std::cos(angle),
              2 * std::numbers::pi / length * std::sin(angle), rng.uniform(0, 2 * std::numbers::pi),
              strength * rng.uniform(0.2, 1)};
    }
  }
  double at(double x, double y) const {
    double sum = 0;
    for (const auto& [kx, ky, phase, amplitude] : waves) sum += amplitude * std::sin(kx * x + ky * y + phase);
    return sum;
  }
  struct Wave {
    double kx, ky, phase, amplitude;
  };
  std::array<Wave, 3> waves;
};

/// Turns, shears, scales, shifts and bends the canvas into a width x height picture.
cv::Mat warp(const cv::Mat& canvas, int width, int height, Rng& rng) {
  const double angle = rng.uniform(-0.28, 0.28), shear = rng.uniform(-0.25, 0.25);
  const double scale = rng.uniform(0.95, 1.3), aspect = std::exp(rng.uniform(-0.15, 0.15));
  const double shift_x = rng.uniform(-9, 9), shift_y = rng.uniform(-9, 9);
  const Waves bend_x(rng, 2.4), bend_y(rng, 2.4);
  const double c = std::cos(angle), s = std::sin(angle), middle = 0.5 * (kCanvas - 1);
  cv::Mat map_x(height, width, CV_32F), map_y(height, width, CV_32F);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      const double px = (x + 0.5) * kCanvas / width - 0.5 - middle - shift_x;
      const double py = (y + 0.5) * kCanvas / height - 0.5 - middle - shift_y;
      const double tx = (c * px + s * py) / (scale * aspect), ty = (c * py - s * px) / (scale / aspect);
      map_x.at<float>(y, x) = static_cast<float>(middle + tx + shear * ty + bend_x.at(px, py));
      map_y.at<float>(y, x) = static_cast<float>(middle + ty + bend_y.at(px, py));
    }
  cv::Mat soft, out;
  const double shrink = static_cast<double>(kCanvas) / std::min(width, height);
  cv::GaussianBlur(canvas, soft, {0, 0}, std::max(0.4, rng.uniform(0.25, 0.6) * shrink));
  cv::remap(soft, out, map_x, map_y, cv::INTER_LINEAR, cv::BORDER_CONSTANT);
  return out;
}

/// Strokes that belong to no digit.
void add_strokes(cv::Mat& picture, Rng& rng) {
  constexpr int kShift = 4;  // cv's fixed-point coordinates
  const auto fixed = [](double x, double y) {
    return cv::Point(static_cast<int>(x * (1 << kShift)), static_cast<int>(y * (1 << kShift)));
  };
  const auto count = rng.below(3);
  const int thickness = std::max(1, std::min(picture.cols, picture.rows) / 28);
  for (uint64_t i = 0; i < count; ++i) {
    const double x = rng.uniform(0, picture.cols), y = rng.uniform(0, picture.rows);
    const double angle = rng.uniform(0, 2 * std::numbers::pi);
    const double length = rng.uniform(0.15, 0.4) * picture.cols;
    cv::line(picture, fixed(x, y), fixed(x + length * std::cos(angle), y + length * std::sin(angle)),
             cv::Scalar(rng.uniform(90, 220)), thickness, cv::LINE_AA, kShift);
  }
}

/// Ink and paper levels, noise: grey 0..255 ink coverage to the final channels.
Image shade(const cv::Mat& ink, int channels, Rng& rng) {
  Image out(ink.cols, ink.rows, channels);
  std::vector<double> paper, contrast;
  for (int c = 0; c < channels; ++c) {
    paper.push_back(rng.uniform(0, 80));
    contrast.push_back(rng.uniform(110, 175));
  }
  const double tilt_x = rng.uniform(-30, 30), tilt_y = rng.uniform(-30, 30), noise = rng.uniform(4, 18);
  auto pixel = out.span<uint8_t>().begin();
  for (int y = 0; y < ink.rows; ++y)
    for (int x = 0; x < ink.cols; ++x) {
      const double light = tilt_x * (static_cast<double>(x) / ink.cols - 0.5) +
                           tilt_y * (static_cast<double>(y) / ink.rows - 0.5);
      const double cover = ink.at<uint8_t>(y, x) / 255.0;
      for (size_t c = 0; c < paper.size(); ++c)
        *pixel++ = cv::saturate_cast<uint8_t>(paper[c] + contrast[c] * cover + light + noise * rng.normal());
    }
  return out;
}

/// Ids go through Learn, Validation, Test. A picture depends on its partition and its position there, which
/// modulo 10 also is its digit; so the size of one partition does not change the pictures of another.
class GlyphsDatabase final : public Database {
 public:
  explicit GlyphsDatabase(const GlyphsKeys& keys) : keys_(keys) {
    for (int i = 0; i < kGlyphs; ++i) labels_.push_back(std::to_string(i));
    int64_t id = 0;
    for (size_t p = 0; p < 3; ++p) {
      const int64_t count = std::array{keys.learn, keys.validation, keys.test}[p];
      for (int64_t i = 0; i < count; ++i) partitions_[p].push_back(id++);
    }
  }
  int64_t size() const override { return keys_.learn + keys_.validation + keys_.test; }
  std::string name(int64_t id) const override {
    const Place place = locate(id);
    return fmt::format("glyph.{}[{:05}]", to_string(place.partition), place.index);
  }
  int label(int64_t id) const override { return static_cast<int>(locate(id).index % kGlyphs); }
  Image image(int64_t id) const override {
    const Place place = locate(id);
    Rng rng(kGlyphSeed, "glyph", static_cast<uint64_t>(place.partition), static_cast<uint64_t>(place.index));
    cv::Mat ink = warp(draw_digit(label(id), rng), keys_.width, keys_.height, rng);
    add_strokes(ink, rng);
    return shade(ink, keys_.channels, rng);
  }
  PictureForm form() const override { return {keys_.width, keys_.height, keys_.channels, DataType::U8}; }
  std::string stamp() const override {
    return fmt::format("glyphs {} {} {} {}\n", kGlyphSeed, keys_.width, keys_.height, keys_.channels);
  }

 private:
  struct Place {
    Partition partition;
    int64_t index;
  };
  Place locate(int64_t id) const {
    N2D2_CHECK(id >= 0 && id < size(), "sample {} of {}", id, size());
    if (id < keys_.learn) return {Partition::Learn, id};
    if (id < keys_.learn + keys_.validation) return {Partition::Validation, id - keys_.learn};
    return {Partition::Test, id - keys_.learn - keys_.validation};
  }
  GlyphsKeys keys_;
};

std::unique_ptr<Database> load(const GlyphsKeys& keys, const LoadArgs& args) {
  if (keys.learn + keys.validation + keys.test == 0)
    args.fail("Learn", "Learn: expected at least one picture in Learn, Validation or Test, got 0");
  return std::make_unique<GlyphsDatabase>(keys);
}

}  // namespace

void register_glyphs(DatabaseRegistry& registry);
void register_glyphs(DatabaseRegistry& registry) {
  registry.add("Glyphs_Database",
               database_type<GlyphsKeys>("digits drawn, warped and noised here, no files", load));
}

}  // namespace n2d2::data
