#include "n2d2/ops/prelu.hpp"

#include "n2d2/graph/turn.hpp"

#include "broadcast.hpp"
#include "checks.hpp"
#include "table.hpp"

namespace n2d2::ops {

std::vector<Shape> PRelu::infer(std::span<const Shape> in) const {
  expect_inputs(in, 2, 2);
  expect_map(in, 0);
  if (has_table(in)) return {in[0]};
  if (in[1].rank() != 4 || !fits_beside(in[1], in[0]) || in[1].n() != 1)
    throw ModelError(fmt::format(
        "slopes have shape {}, expected 1 or the extents of one sample of the data ({}) on each axis",
        in[1].text(), in[0].text()));
  return {in[0]};
}

void PRelu::forward(const graph::ForwardArgs& args) const {
  const float* x = args.in[0]->data<float>();
  const float* slope = args.in[1]->data<float>();
  float* y = args.out[0]->data<float>();
  const Steps steps(args.in[1]->shape());
  for_elements(args.in[0]->shape(), [&](int64_t i, int64_t n, int64_t c, int64_t row, int64_t column) {
    y[i] = x[i] > 0 ? x[i] : slope[steps.at(n, c, row, column)] * x[i];
  });
}

bool PRelu::backward(const graph::BackwardArgs& args) const {
  const float* x = args.in[0]->data<float>();
  const float* slope = args.in[1]->data<float>();
  const float* d_y = args.d_out[0]->data<float>();
  float* d_x = args.d_in[0] ? args.d_in[0]->data<float>() : nullptr;
  std::vector<double> d_slope(static_cast<size_t>(args.in[1]->elements()), 0.0);
  const Steps steps(args.in[1]->shape());
  for_elements(args.in[0]->shape(), [&](int64_t i, int64_t n, int64_t c, int64_t row, int64_t column) {
    const int64_t at = steps.at(n, c, row, column);
    if (d_x) d_x[i] = x[i] > 0 ? d_y[i] : slope[at] * d_y[i];
    if (x[i] <= 0) d_slope[static_cast<size_t>(at)] += static_cast<double>(d_y[i]) * x[i];
  });
  if (args.d_in[1])
    for (size_t i = 0; i < d_slope.size(); ++i)
      args.d_in[1]->data<float>()[i] = static_cast<float>(d_slope[i]);
  return true;
}

graph::IntegerForm PRelu::integer_form(std::span<const Shape> in) const {
  if (!has_table(in) && in[1].h() * in[1].w() != 1)
    return graph::no_integers("slopes that vary along height or width have no integer form",
                              "one slope, or one a channel, has");
  graph::IntegerForm form;
  form.scale = graph::ScaleOf::Own;
  form.table = [](const graph::TableArgs& args) {
    const std::span<const float> slopes = args.constants.at(0)->span<float>();
    return table_of_outputs(args, static_cast<int64_t>(slopes.size()), [&](double x, int64_t channel) {
      return x > 0 ? x : static_cast<double>(slopes[static_cast<size_t>(channel)]) * x;
    });
  };
  return form;
}

void PRelu::integers(const graph::IntegerArgs& args) const {
  look_up_each(args);
}

void PRelu::turned(graph::TurnedNode& node) const {
  node.keep_order();
  node.changed[1] = node.constant_beside(1, node.in[0], node.order, 0);
}

void register_prelu(graph::OperatorRegistry& registry);
void register_prelu(graph::OperatorRegistry& registry) {
  graph::register_operator<PRelu>(registry);
}

}  // namespace n2d2::ops
