// Which operators of other domains, and of dynamic quantization, are several operators of ONNX?
#pragma once

#include <vector>

#include "file.hpp"

namespace n2d2::onnx {

/// Writes out nodes that stand for others, as a call of a function is. Tensors between are "<output>/<part>".
/// com.microsoft (ONNX Runtime's contrib operators): QLinearAdd, QLinearMul, QLinearConcat,
/// QLinearAveragePool, QLinearGlobalAveragePool, QLinearSigmoid, QLinearLeakyRelu, QLinearSoftmax and QGemm
/// are DequantizeLinear around the operator and QuantizeLinear behind it; FusedConv and FusedGemm the
/// operator and its activation; BiasGelu, Gelu, QuickGelu; DequantizeLinear and QuantizeLinear those of ONNX.
/// Dynamic quantization computes scales of data for each sample. It is read as the reals that it approximates
/// (a notice says so): DynamicQuantizeLinear makes its input, with scale 1 and zero point 0, and ConvInteger
/// and MatMulInteger multiply it by weights less their zero point. Weights stay the integers of the file.
/// Branches of an If are left as they are.
std::vector<FileNode> written_out(std::vector<FileNode> nodes);

}  // namespace n2d2::onnx
