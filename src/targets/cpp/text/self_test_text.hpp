// How can a program check without files that it computes what the framework does?
#pragma once

#include "project_text.hpp"

namespace n2d2::targets::cpp {

/// dnn/src/self_test.cpp: a sample (1,C,H,W f32), what CRC-32 the output of each cell and that of the classes
/// must have according to the judge; "" for a float network, the last bits of which follow from the compiler.
std::string self_test_source(const ProjectText& text, const exporter::Judge& judge, const Tensor& sample);

}  // namespace n2d2::targets::cpp
