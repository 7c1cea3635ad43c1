// Answers: which network, the same on every machine, do the tests of generated text and of the driver export?
#pragma once

#include <vector>

#include "n2d2/targets/cpp/project.hpp"

namespace n2d2::golden {

/// u8 1x1x8x8 -> conv1 -> (left, right) -> join (Concat) -> sum1 (with conv1) -> pool1 -> fc1, 6 classes.
/// Weights, biases and factors are written down, nothing is trained or calibrated. References of all stimuli
/// are exported.
targets::cpp::Project fixed_project(targets::cpp::Parameters parameters = {});

/// These stimuli, and the judge of the project's graph.
exporter::Samples judged_samples(const targets::cpp::Project& project,
                                 std::vector<exporter::Stimulus> stimuli = {});

/// Four samples; the first three expect the class that the network finds, the last one the next class.
std::vector<exporter::Stimulus> fixed_stimuli(const targets::cpp::Project& project);

}  // namespace n2d2::golden
