#include "learn/bench.hpp"

#include <algorithm>

#include "n2d2/config/ini_document.hpp"
#include "n2d2/loader/network.hpp"

#include "folder_test.hpp"
#include "run_net.hpp"
#include "small_net.hpp"

namespace n2d2::app {
namespace {

class Bench : public FolderTest {
 protected:
  static loader::Network network() {
    const log::Capture quiet;
    config::IniDocument ini = config::parse_ini(kSmallNet, "net.ini");
    return loader::network(ini, {1, false, {}});
  }
};

TEST_F(Bench, SharesTheTimeAmongTheLayers) {
  const loader::Network net = network();
  const std::vector<graph::NodeId> nodes = net.graph.schedule();
  compute::NodeTimes times{200, 100, {}};
  for (const graph::NodeId node : nodes) times.nodes.push_back({node, 0, 0});
  times.nodes[0].forward = 0.002;    // 10 us of a stimulus
  times.nodes[2].forward = 0.001;    // 5
  times.nodes[2].backward = 0.0025;  // 25
  EXPECT_EQ(times_data(net.graph, times),
            "# layer type forward_us backward_us share\n\"conv\" \"Conv\" 10 0 0.25\n"
            "\"conv_act\" \"Relu\" 0 0 0\n\"fc\" \"Fc\" 5 25 0.75\n\"softmax\" \"Softmax\" 0 0 0\n"
            "\"all\" \"\" 15 25 1\n");
  const std::string text = times_text(net.graph, times);
  EXPECT_TRUE(
      has(text, "\nfc                               Fc                   5.00        25.00    75.0%\n"))
      << text;
  EXPECT_EQ(times_picture(net.graph, times, "learning").boxes.size(), 8U);
  times.backward_samples = 0;
  EXPECT_FALSE(has(times_text(net.graph, times), "backward"));
  EXPECT_EQ(times_picture(net.graph, times, "test").x_names,
            (std::vector<std::string>{"conv", "conv_act", "fc", "softmax"}));
}

TEST_F(Bench, WritesWhatLearningAndTestingTook) {
  write("net.ini", kSmallNet);
  const std::string out = run_net({"-seed", "1", "-learn", "40", "-bench", "-log-files"});
  EXPECT_TRUE(has(out, "Time of each layer (learning), us of one stimulus on ")) << out;
  EXPECT_TRUE(has(out, "Time of each layer (test), us of one stimulus on ")) << out;
  for (const std::string set : {"learning", "test"}) {
    const std::string data = read("timings/" + set + ".dat");
    EXPECT_EQ(std::count(data.begin(), data.end(), '\n'), 6) << data;
    EXPECT_FALSE(has(data, "\"conv\" \"Conv\" 0 ")) << data;
    EXPECT_TRUE(std::filesystem::exists("timings/" + set + ".svg"));
  }
  std::filesystem::remove_all("timings");
  run_net({"-seed", "1", "-w", "/dev/null", "-test"});
  EXPECT_FALSE(std::filesystem::exists("timings"));
}

}  // namespace
}  // namespace n2d2::app
