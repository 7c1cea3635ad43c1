// Which operators of other domains, of dynamic quantization, and of ONNX are several operators of ONNX?
#pragma once

#include <vector>

#include "file.hpp"

namespace n2d2::onnx {

/// Writes out nodes that stand for others, as a call of a function is. Tensors between are "<output>/<part>".
/// com.microsoft (ONNX Runtime's contrib operators): QLinearAdd, QLinearMul, QLinearConcat,
/// QLinearAveragePool, QLinearGlobalAveragePool, QLinearSigmoid, QLinearLeakyRelu, QLinearSoftmax and QGemm
/// are DequantizeLinear around the operator and QuantizeLinear behind it; FusedConv and FusedGemm the
/// operator and its activation; BiasGelu, Gelu, QuickGelu; DequantizeLinear and QuantizeLinear those of ONNX.
/// ONNX: ReduceL1, ReduceL2, ReduceLogSum, ReduceLogSumExp and ReduceSumSquare are functions and sums.
/// Operator sets 1 to 6: what set 7 writes in another way gets that form.
/// Dynamic quantization computes scales of data for each sample. Where ConvInteger and MatMulInteger alone
/// read them, the data are the reals that they approximate (a notice says so), with scale 1 and zero point 0,
/// and are multiplied by weights less their zero point, which stay the integers of the file. Elsewhere the
/// three operators are left as they are, and branches of an If are. `outputs`: tensors that leave the file.
std::vector<FileNode> written_out(std::vector<FileNode> nodes, const std::vector<std::string>& outputs);

}  // namespace n2d2::onnx
