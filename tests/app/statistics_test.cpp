#include "look/statistics.hpp"

#include "n2d2/base/log.hpp"

#include "folder_test.hpp"
#include "small_net.hpp"

namespace n2d2::app {
namespace {

class Statistics : public FolderTest {};

TEST_F(Statistics, CountParametersAndMultiplications) {
  log::Capture quiet;
  config::IniDocument ini = config::parse_ini(kSmallNet, "net.ini");
  write_statistics(loader::network(ini, {1, false, {}}), "stats/stats.log");
  // 4 kernels 3x3 with bias on 5x5 positions; 10 outputs of 100 values with bias.
  EXPECT_EQ(
      read("stats/stats.log"),
      "layer                            type                  outputs     parameters              MAC\n"
      "conv                             Conv                    4x5x5             40              900\n"
      "conv_act                         Relu                    4x5x5              0                0\n"
      "fc                               Fc                     10x1x1          1,010            1,000\n"
      "softmax                          Softmax                10x1x1              0                0\n"
      "all                                                                     1,050            1,900\n");
}

}  // namespace
}  // namespace n2d2::app
