// Layers that few networks have, in integers: the same in the interpreter and in the kernels that ship.
#include <gtest/gtest.h>

#include "n2d2/base/log.hpp"
#include "n2d2/compute/integer.hpp"

#include "e2e/exported.hpp"

namespace n2d2::e2e {
namespace {

/// A mean of windows behind a convolution, a threshold, one pixel repeated beside a map, bilinear positions
/// by corners and an Fc of unit vectors.
constexpr const char* kRare =
    "[database]\nType=Glyphs_Database\nWidth=16\nHeight=16\nLearn=8\nValidation=0\nTest=4\n"
    "[sp]\nSize=16 16\nBatchSize=4\n"
    "[conv]\nInput=sp\nType=Conv\nKernelSize=3\nPadding=1\nNbOutputs=4\nSubSample=2\nWeightsFiller=HeFiller\n"
    "[cut]\nInput=conv\nType=Threshold\nThreshold=0.05\nNbOutputs=4\nConfigSection=cut.config\n"
    "[mean]\nInput=cut\nType=Pool\nPoolDims=8 8\nPooling=Average\nNbOutputs=4\nMapping.Size=1\n"
    "[mixed]\nInput=cut,mean\nType=Conv\nKernelSize=1\nNbOutputs=6\nActivationFunction=Rectifier\n"
    "WeightsFiller=HeFiller\n"
    "[up]\nInput=mixed\nType=Resize\nMode=Bilinear\nOutputWidth=11\nOutputHeight=13\nNbOutputs=6\n"
    "[fc]\nInput=up\nType=Fc\nNbOutputs=10\nConfigSection=fc.config\n"
    "[fc.Target]\n"
    "[cut.config]\nOperation=ToZero\n"
    "[fc.config]\nNormalize=1\nDropConnect=0.5\n";

TEST(RareLayers, HaveTheSameIntegersEverywhere) {
  const log::Capture quiet;
  for (const int bits : {4, 8, 16}) {
    SCOPED_TRACE(bits);
    Settings settings;
    settings.bits = bits;
    settings.stimuli = 2;
    const Exported net = run_pipeline(kRare, settings);
    const compute::IntegerExecutor judge(net.quantized);
    for (const exporter::Stimulus& stimulus : net.stimuli) {
      const auto layers = net.project->host_run_layers(stimulus.input);
      const auto values = judge.run(to_layout(layers.at(0).tensor, Layout::Nchw));
      EXPECT_EQ(layers.size(), values.size());
      for (const targets::cpp::LayerOutput& layer : layers)
        EXPECT_TRUE(to_layout(layer.tensor, Layout::Nchw) ==
                    values.at(*net.quantized.find_value(layer.value)))
            << layer.value;
    }
  }
}

}  // namespace
}  // namespace n2d2::e2e
