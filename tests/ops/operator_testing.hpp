// How is one operator tried alone? Forward on given numbers, gradients by finite differences, infer() errors.
#pragma once

#include <string>
#include <vector>

#include "n2d2/graph/operator.hpp"

namespace n2d2::ops::testing {

/// Shuffled values of equal spacing around 0, within [-2, 2]: any two differ by more than a finite difference
/// step, so that no maximum and no clamp changes sides while a gradient is measured.
Tensor spread(const Shape& shape, uint64_t seed);

/// Output 0 of the operator on these inputs.
Tensor forward(const graph::Operator& op, const std::vector<Tensor>& in, bool training = false,
               graph::RandomKey key = {});

/// Gradients of sum(d_out * output 0) with respect to each input, as backward() gives them.
std::vector<Tensor> backward(const graph::Operator& op, const std::vector<Tensor>& in, const Tensor& d_out,
                             bool training = false, graph::RandomKey key = {});

/// Compares backward() with central differences of forward() on spread() inputs; `skip` inputs have no
/// gradient (running statistics).
void expect_gradients(const graph::Operator& op, std::vector<Tensor> in, bool training = false,
                      const std::vector<size_t>& skip = {});
/// Checks gradients on spread() inputs of these shapes.
void expect_gradients(const graph::Operator& op, const std::vector<Shape>& shapes);

/// The message of infer() on these shapes; empty when it does not fail.
std::string infer_error(const graph::Operator& op, const std::vector<Shape>& shapes);

std::vector<float> values(const Tensor& tensor);

}  // namespace n2d2::ops::testing
