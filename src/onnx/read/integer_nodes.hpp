// Which nodes round reals to integers of scale 1?
#pragma once

#include <string>
#include <vector>

#include "file.hpp"

namespace n2d2::onnx {

/// A node beside `like`, with its name and operator set.
FileNode node_of(const FileNode& like, std::string type, std::vector<std::string> inputs, std::string output);

Attribute real_number(double value);
Attribute integer_number(int64_t value);

/// Adds an initializer; returns its name.
std::string add_initializer(File& file, const std::string& name, Array array);

/// QuantizeLinear, Clip and DequantizeLinear from the tensor `<output of clip>/sum` to the output of the
/// Clip, with the fewest bits of 8, 9 and so on that hold all integers from lowest to highest.
std::vector<FileNode> rounding_nodes(File& file, const FileNode& clip, double lowest, double highest);

/// Says that the input of the file holds integers from 0 to 255, and puts nodes in front of its readers that
/// make reals of scale 1 of them.
void read_bytes(File& file, GraphInput& input);

/// Drops the attributes <name>_bits of all nodes, widths that DORY notes; a notice names them.
void drop_widths(File& file);

}  // namespace n2d2::onnx
