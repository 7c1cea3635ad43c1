#include <array>
#include <cstring>

#include <gmock/gmock.h>

#include "n2d2/base/log.hpp"
#include "n2d2/delegates/partition.hpp"
#include "n2d2/graph/text.hpp"
#include "n2d2/ops/all.hpp"

#include "scratch.hpp"
#include "with_parts.hpp"

namespace n2d2::delegates {
namespace {

using testing::HasSubstr;

constexpr const char* kBytes = " : u8 1x2x4x4 nhwc quant(8 unsigned -1 1)";
constexpr const char* kSigned = " : i8 1x2x4x4 nhwc quant(8 signed -1 1)";
constexpr const char* kScale = " rescale=\"Floating-point 0 255 0 : 0.1 :\"\n";

graph::Graph graph_of(const std::string& text) {
  return graph::from_text(text, ops::registry());
}

/// One layer "a" that reads "data" (unsigned, 2 channels, 4 x 4).
std::string layer(const std::string& type, const std::string& op) {
  return std::string("input data") + kBytes + "\nconstant w : i8 2x2x1x1 = 1 -2 3 4\na" + type + " = " + op +
         "\noutput a\n";
}
std::string convolution(const std::string& rest) {
  return layer(kBytes, "Conv(data, w) KernelDims=\"1 1\" NbOutputs=\"2\"" + rest);
}
std::string pool(const std::string& type, const std::string& rest) {
  return layer(type, "Pool(data) " + rest);
}

std::string notice_of(const std::string& text) {
  const log::Capture said;
  EXPECT_TRUE(xnnpack("a")->partition(graph_of(text), targets::cpp::kernels(), {}).empty());
  return said.text();
}

TEST(Xnnpack, SaysWhyItLeavesALayerThatIsNamed) {
  const std::string is_left = "delegate 'xnnpack' leaves ";
  EXPECT_EQ(notice_of(layer(kBytes, std::string("Relu(data)") + kScale)),
            is_left +
                "[a] Relu to the target: it has no Relu that rounds like ours\n"
                "delegate 'xnnpack' takes no layer\n");
  EXPECT_THAT(notice_of("input data : f32 1x2x4x4\na : f32 1x2x4x4 = Pool(data) PoolDims=\"3 3\" "
                        "Padding=\"1 1 1 1\" Pooling=\"Max\"\noutput a\n"),
              HasSubstr("[a] Pool to the target: 'data' is f32, not 8 bits wide"));
  EXPECT_THAT(notice_of(convolution(" rescale=\"Fixed-point32 0 255 3 : : 5\"")),
              HasSubstr("no floating-point factors (Rescaling)"));
  EXPECT_THAT(notice_of(convolution(" rescale=\"Floating-point 0 255 0 : 0 :\"")),
              HasSubstr("a factor that is not of XNNPACK's range"));
  EXPECT_THAT(notice_of(convolution(" rescale=\"Floating-point 0 255 0 : 256 :\"")),
              HasSubstr("a factor that is not of XNNPACK's range"));
  EXPECT_THAT(notice_of(convolution(" rescale=\"Floating-point 7 7 0 : 0.1 :\"")),
              HasSubstr("an output of one value"));
  EXPECT_THAT(notice_of("input data : u8 1x2x4x4 nhwc quant(8 unsigned -1 1 zero 127.5)\n"
                        "constant w : i8 2x2x1x1 = 1 -2 3 4\na" +
                        std::string(kBytes) + " = Conv(data, w) KernelDims=\"1 1\" NbOutputs=\"2\"" + kScale +
                        "output a\n"),
              HasSubstr("'data' has a zero point"));
  EXPECT_THAT(notice_of(pool(kBytes, "PoolDims=\"1 1\" Pooling=\"Max\"")),
              HasSubstr("a window of one pixel"));
  EXPECT_THAT(notice_of(pool(kSigned, "PoolDims=\"3 3\" Padding=\"1 1 1 1\" Pooling=\"Max\"")),
              HasSubstr("the output has another sign than the input"));
  EXPECT_THAT(notice_of(pool(" : u8 1x2x6x6 nhwc quant(8 unsigned -1 1)",
                             "PoolDims=\"1 2\" Padding=\"1 2 1 1\" Pooling=\"Max\" CountZeros=\"1\"")),
              HasSubstr("windows that lie in the padding as a whole"));
  EXPECT_THAT(
      notice_of(std::string("input data") + kSigned + "\na" + kSigned +
                " = Pool(data) PoolDims=\"3 3\" Padding=\"1 1 1 1\" Pooling=\"Max\" CountZeros=\"1\"\n" +
                "output a\n"),
      HasSubstr("signed values, and a padding that counts as zeros"));
}

TEST(Xnnpack, KnowsEveryNameItIsGiven) {
  const graph::Graph g = graph_of(convolution(" rescale=\"Floating-point 0 255 0 : 0.1 :\""));
  try {
    xnnpack("b a c")->partition(g, targets::cpp::kernels(), {});
    ADD_FAILURE();
  } catch (const ExportError& error) {
    EXPECT_THAT(error.what(), HasSubstr("Backend.xnnpack.Layers: there is no layer 'b'"));
    EXPECT_THAT(error.what(), HasSubstr("Backend.xnnpack.Layers: there is no layer 'c'"));
  }
}

/// A convolution that xnnpack takes, and what it makes of it.
struct Taken {
  graph::Graph graph = graph_of(convolution(" rescale=\"Floating-point 0 255 0 : 0.5 :\""));
  std::shared_ptr<const Delegate> delegate = xnnpack("");
  Blob blob = delegate->preprocess(graph, targets::cpp::kernels());
  std::vector<std::byte> handle = std::vector<std::byte>(static_cast<size_t>(blob.handle) + 1);
  std::vector<std::byte> scratch = std::vector<std::byte>(static_cast<size_t>(blob.scratch));

  int init(const std::vector<std::byte>& bytes, void* at) {
    return delegate->functions().init(at, bytes.data(), bytes.size());
  }
  int execute(void* at, const std::array<uint8_t, 32>& in, std::array<uint8_t, 48>& out) {
    const N2D2_Export_Source source{in.data(), 2};
    const N2D2_Export_Sink sink{out.data(), 3};
    const N2D2_Export_Arguments arguments{&source, &sink, scratch.data(), nullptr, nullptr};
    return delegate->functions().execute(at, &arguments);
  }
};

TEST(XnnpackRunTime, ComputesAtAnyAddressAfterItsBlobIsGone) {
  for (const size_t at : {0, 1}) {
    Taken t;
    void* handle = t.handle.data() + at;
    auto passing = t.blob.bytes;
    ASSERT_EQ(t.init(passing, handle), 0);
    std::fill(passing.begin(), passing.end(), std::byte{0xA5});
    std::array<uint8_t, 32> in{};
    in[0] = 200, in[1] = 20, in[2] = 7;
    std::array<uint8_t, 48> out{};
    out.fill(99);
    ASSERT_EQ(t.execute(handle, in, out), 0);
    EXPECT_EQ(out[0], 80);   // (200 - 2 * 20) / 2
    EXPECT_EQ(out[1], 255);  // (3 * 200 + 4 * 20) / 2, clamped
    EXPECT_EQ(out[2], 99);
    EXPECT_EQ(out[3], 4);   // 7 / 2 is 3.5: to even
    EXPECT_EQ(out[4], 10);  // 21 / 2 is 10.5: to even
    t.delegate->functions().destroy(handle);
    EXPECT_EQ(t.execute(handle, in, out), 2);
    t.delegate->functions().destroy(handle);
  }
}

TEST(XnnpackRunTime, RefusesBlobsThatAreBroken) {
  Taken t;
  EXPECT_EQ(t.init({}, t.handle.data()), 1);
  for (size_t size = 0; size < t.blob.bytes.size(); ++size)
    EXPECT_EQ(t.init({t.blob.bytes.begin(), t.blob.bytes.begin() + static_cast<std::ptrdiff_t>(size)},
                     t.handle.data()),
              1);
  auto other_order = t.blob.bytes;
  std::swap(other_order[0], other_order[3]), std::swap(other_order[1], other_order[2]);
  EXPECT_EQ(t.init(other_order, t.handle.data()), 1);
}

TEST(XnnpackRunTime, PassesOnWhatTheLibrarySays) {
  Taken t;
  const float scale = 0.5F, none = 0;
  std::array<std::byte, 4> pattern{};
  std::memcpy(pattern.data(), &scale, 4);
  const auto at = std::search(t.blob.bytes.begin(), t.blob.bytes.end(), pattern.begin(), pattern.end());
  ASSERT_NE(at, t.blob.bytes.end());
  std::memcpy(&*at, &none, 4);
  EXPECT_EQ(t.init(t.blob.bytes, t.handle.data()), 256 + 2);  // step 0: xnn_status_invalid_parameter
}

TEST(PlanScratch, SharesBytesAfterTheLastReader) {
  const graph::Graph g =
      graph_of(std::string("input data") + kBytes + "\na" + kBytes + " = Relu(data)" + kScale + "b" + kBytes +
               " = Relu(a)" + kScale + "c" + kBytes + " = Relu(b)" + kScale + "output b\noutput c\n");
  const ScratchPlan plan = plan_scratch(g, g.schedule(), 16);
  EXPECT_EQ(plan.bytes, 2 * (32 + 16));
  const auto place = [&](const char* name) { return plan.places.at(*g.find_value(name)); };
  EXPECT_EQ(place("data"), 0);
  EXPECT_EQ(place("a"), 48);
  EXPECT_EQ(place("b"), 0);
  EXPECT_EQ(place("c"), 48);
}

}  // namespace
}  // namespace n2d2::delegates
