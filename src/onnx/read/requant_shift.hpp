// Which nodes of ONNX is the RequantShift of QuantLab and Deeploy (pulp-platform)?
#pragma once

#include "file.hpp"

namespace n2d2::onnx {

/// RequantShift(x, mul, add) of any domain, with the attributes div (a power of 2), n_levels or n_levels_out,
/// and signed, is Clip(Floor((x mul + add) / div + 1 / 2)) to n_levels integers, as the kernels of Deeploy
/// compute it. Each becomes Mul, Add, Div, Floor and Clip. mul and add are constants with one value or one a
/// channel. ModelError for others.
void write_out_requant_shifts(File& file);

}  // namespace n2d2::onnx
