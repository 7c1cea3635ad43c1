// Do the fields that a kernel's header describes equal those that the exporter writes into its config?
#include <fstream>
#include <regex>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "cpp/configs.hpp"
#include "host/host_kernels.hpp"

namespace n2d2::exporter {
namespace {

using Names = std::set<std::string>;

/// Names of the lines `//   a, b   meaning` of a header's opening comment, up to a line with `end`.
Names described(const std::string& header, const std::string& end = "#pragma once") {
  std::ifstream file(std::string(N2D2_SOURCE_DIR) + "/export/CPP/kernels/" + header);
  EXPECT_TRUE(file) << header;
  const std::regex entry("//   ([a-z_]+(, [a-z_]+)*)  +\\S.*");
  const std::regex name("[a-z_]+");
  Names out;
  std::string line;
  while (std::getline(file, line) && line.find(end) == std::string::npos) {
    std::smatch match;
    if (!std::regex_match(line, match, entry)) continue;
    const std::string names = match[1];
    for (std::sregex_iterator i(names.begin(), names.end(), name), none; i != none; ++i) out.insert(i->str());
  }
  return out;
}

template <class Config>
Names written(const Config& config) {
  Names out;
  for (const ConfigField& field : cpp::print_config(config)) out.insert(field.name);
  return out;
}

struct InOnly : cpp::InPlane {
  template <class V>
  void visit(V&& v) const {
    visit_in(v);
  }
};
struct OutOnly : cpp::OutPlane {
  template <class V>
  void visit(V&& v) const {
    visit_out(v);
  }
};
struct RescaleOnly : cpp::RescaleFields<int> {
  template <class V>
  void visit(V&& v) const {
    visit_rescale(v);
  }
};

Names operator+(Names a, const Names& b) {
  a.insert(b.begin(), b.end());
  return a;
}

Names planes() {
  return written(InOnly()) + written(OutOnly());
}

TEST(ConfigFields, OfPlanesAreThoseOfPlaneHpp) {
  Names out{"bottom_up", "ordered"};
  EXPECT_EQ(written(InOnly()) + out, described("plane.hpp"));
  for (const std::string& name : written(InOnly())) out.insert("out_" + name.substr(3));
  EXPECT_EQ(written(OutOnly()), out);
}

TEST(ConfigFields, OfRescalingAreThoseOfRescaleHpp) {
  EXPECT_EQ(written(RescaleOnly()), described("rescale.hpp", "Forms, chosen by"));
}

TEST(ConfigFields, OfEachLayerAreThoseOfItsHeader) {
  const Names common = planes() + written(RescaleOnly());
  EXPECT_EQ(written(cpp::ConvConfig<int>()), common + described("conv.hpp"));
  EXPECT_EQ(written(cpp::FcConfig<int>()), common + described("fc.hpp"));
  EXPECT_EQ(written(cpp::PoolConfig<int>()), common + described("pool.hpp"));
  EXPECT_EQ(written(cpp::ScalingConfig<int>()), common + described("scaling.hpp"));
  EXPECT_EQ(written(host::ConcatConfig()), planes() + described("concat.hpp"));
  EXPECT_EQ(written(host::ReshapeConfig()), planes() + described("reshape.hpp"));
  EXPECT_EQ(written(host::OperandConfig<int32_t>()), written(InOnly()) + described("elemwise.hpp"));
}

TEST(ConfigFields, OfFloatNetworksHaveTheSameNames) {
  EXPECT_EQ(written(cpp::ConvConfig<float>()), written(cpp::ConvConfig<int>()));
  EXPECT_EQ(written(cpp::PoolConfig<float>()), written(cpp::PoolConfig<int>()));
}

}  // namespace
}  // namespace n2d2::exporter
