// The first promise: host run, exported program and a naive int64 oracle give the same bytes.
#include <gtest/gtest.h>

#include "n2d2/base/log.hpp"

#include "e2e/exported.hpp"
#include "e2e/networks.hpp"
#include "left_to_release.hpp"
#include "oracle/naive_network.hpp"

namespace n2d2::e2e {
namespace {

template <class T>
oracle::Map<int64_t> widen_as(const Tensor& nhwc) {
  const Shape& s = nhwc.shape();
  oracle::Map<int64_t> map(static_cast<int>(s.h()), static_cast<int>(s.w()), static_cast<int>(s.c()));
  for (int64_t i = 0; i < nhwc.elements(); ++i) map.v[static_cast<size_t>(i)] = nhwc.data<T>()[i];
  return map;
}

oracle::Map<int64_t> widen(const Tensor& nhwc) {
  switch (nhwc.dtype()) {
    case DataType::U8:
      return widen_as<uint8_t>(nhwc);
    case DataType::I8:
      return widen_as<int8_t>(nhwc);
    case DataType::U16:
      return widen_as<uint16_t>(nhwc);
    case DataType::I32:
      return widen_as<int32_t>(nhwc);
    default:
      return widen_as<int16_t>(nhwc);
  }
}

struct Case {
  NamedIni net;
  int bits;
  RescaleMode rescaling;
  bool per_output;
};

std::string name_of(const testing::TestParamInfo<Case>& info) {
  const Case& c = info.param;
  return fmt::format("{}_int{}_{}_{}", c.net.name, c.bits, mode_name(c.rescaling),
                     c.per_output ? "per_output" : "per_layer");
}

class HostRun : public testing::TestWithParam<Case> {};

TEST_P(HostRun, EqualsTheNaiveOracleInEveryLayer) {
  if (is_left_to_release()) GTEST_SKIP() << "not drawn";
  const log::Capture quiet;
  Settings settings;
  settings.bits = GetParam().bits;
  settings.rescaling = GetParam().rescaling;
  settings.per_output = GetParam().per_output;
  const Exported net = run_pipeline(ini_of(GetParam().net), settings);
  for (const exporter::Stimulus& stimulus : net.stimuli) {
    const auto layers = net.project->host_run_layers(stimulus.input);
    const auto expected = oracle::run_network(net.quantized, widen(layers.at(0).tensor));
    size_t compared = 0;
    for (size_t i = 1; i < layers.size(); ++i) {
      ASSERT_TRUE(expected.contains(layers[i].cell)) << layers[i].cell;
      EXPECT_EQ(widen(layers[i].tensor).v, expected.at(layers[i].cell).v) << layers[i].cell;
      ++compared;
    }
    EXPECT_GE(compared, 5U);
  }
}

std::vector<Case> cases() {
  std::vector<Case> out;
  for (const NamedIni& net : networks())
    for (const int bits : {4, 8, 16})
      for (const RescaleMode mode : {RescaleMode::FloatingPoint, RescaleMode::FixedPoint32})
        for (const bool per_output : {true, false}) out.push_back({net, bits, mode, per_output});
  for (const RescaleMode mode :
       {RescaleMode::FixedPoint16, RescaleMode::SingleShift, RescaleMode::DoubleShift})
    for (const NamedIni& net : {kResidual, kDepthwise}) out.push_back({net, 8, mode, true});
  out.push_back({kResidual, 16, RescaleMode::SingleShift, false});
  return out;
}

INSTANTIATE_TEST_SUITE_P(Networks, HostRun, testing::ValuesIn(cases()), name_of);

/// Parameters of the memory plan; none may change a byte.
std::vector<std::pair<const char*, targets::cpp::Parameters>> plans() {
  using targets::cpp::AlignmentUnit;
  using targets::cpp::Parameters;
  const auto with = [](auto change) {
    targets::cpp::Parameters p;
    change(p);
    return p;
  };
  return {
      {"Default", {}},
      {"InputOutside", with([](targets::cpp::Parameters& p) { p.include_input_in_buffer = false; })},
      {"NoOverlap", with([](targets::cpp::Parameters& p) { p.optimize_buffer_memory = false; })},
      {"CopiedConcat", with([](targets::cpp::Parameters& p) { p.optimize_no_branch_concat = false; })},
      {"Aligned4", with([](targets::cpp::Parameters& p) { p.memory_alignment = 4; })},
      {"Aligned16", with([](targets::cpp::Parameters& p) { p.memory_alignment = 16; })},
      {"Aligned12Bytes", with([](targets::cpp::Parameters& p) {
         p.memory_alignment = 12;
         p.memory_alignment_unit = AlignmentUnit::Byte;
       })},
      {"StrategyNone", with([](targets::cpp::Parameters& p) { p.memory_manager_strategy = "None"; })},
      {"NoSearch", with([](targets::cpp::Parameters& p) { p.memory_search_nodes = 0; })},
      {"NoWrap", with([](targets::cpp::Parameters& p) {
         p.layers = {{"*2", {}, {true, {}}}};
       })},
  };
}

struct PlanCase {
  NamedIni net;
  int bits;
};

class Plans : public testing::TestWithParam<PlanCase> {};

/// Frees, guards and overlaps of every plan are proven by runs, and all plans give one answer.
TEST_P(Plans, OfAllParametersKeepWhatKernelsNeed) {
  if (is_left_to_release()) GTEST_SKIP() << "not drawn";
  const log::Capture quiet;
  std::map<std::string, Tensor> expected;
  for (const auto& [name, parameters] : plans()) {
    SCOPED_TRACE(name);
    Settings settings;
    settings.bits = GetParam().bits;
    settings.parameters = parameters;
    settings.stimuli = 1;
    const Exported net = run_pipeline(ini_of(GetParam().net), settings);
    const Tensor& sample = net.stimuli.at(0).input;
    EXPECT_NO_THROW(net.project->check_memory(sample));
    const auto found = outputs_by_cell(*net.project, sample);
    if (expected.empty()) expected = found;
    ASSERT_EQ(found.size(), expected.size());
    for (const auto& [cell, tensor] : found) EXPECT_TRUE(tensor == expected.at(cell)) << cell;
  }
}

std::vector<PlanCase> plan_cases() {
  std::vector<PlanCase> out;
  for (const NamedIni& net : networks())
    for (const int bits : {8, 16, -32}) out.push_back({net, bits});
  return out;
}

INSTANTIATE_TEST_SUITE_P(Networks, Plans, testing::ValuesIn(plan_cases()), [](const auto& info) {
  return fmt::format("{}_{}{}", info.param.net.name, info.param.bits < 0 ? "float" : "int",
                     std::abs(info.param.bits));
});

}  // namespace
}  // namespace n2d2::e2e
