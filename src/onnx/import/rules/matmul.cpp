#include "n2d2/ops/matmul.hpp"

#include <algorithm>

#include "import/fold/fold.hpp"
#include "import/layers.hpp"
#include "matmul.hpp"

namespace n2d2::onnx {

namespace {

using Axes = std::vector<size_t>;

void append(Axes& to, const Axes& more) {
  to.insert(to.end(), more.begin(), more.end());
}

/// A tensor whose axes have letters, as in an Einsum.
struct Lettered {
  std::string letters;
  Split split;
  graph::ValueId value;

  const Axes& axis(char letter) const { return split.axes[letters.find(letter)]; }
  Axes axes(const std::string& of) const {
    Axes out;
    for (const char letter : of) append(out, axis(letter));
    return out;
  }
  Axes order(std::initializer_list<std::string> parts) const {
    Axes out;
    for (const std::string& part : parts) append(out, axes(part));
    return out;
  }
  Extents extents(const std::string& of) const {
    Extents out;
    for (const char letter : of) out.push_back(split.extent(axis(letter)));
    return out;
  }
};

/// Axes that are in both and in the result, in the sum, and in one of them and the result.
struct Kinds {
  std::string heads, sum, rows, columns;
};

bool has(const std::string& letters, char letter) {
  return letters.find(letter) != std::string::npos;
}

Kinds kinds_of(const std::string& a, const std::string& b, const std::string& out) {
  Kinds kinds;
  for (const char letter : out) {
    if (!has(a, letter) && !has(b, letter))
      refuse(fmt::format("axis '{}' of the result is in no operand", letter));
    std::string& kind = has(a, letter) && has(b, letter) ? kinds.heads
                        : has(a, letter)                 ? kinds.rows
                                                         : kinds.columns;
    kind += letter;
  }
  for (const char letter : a + b) {
    if (has(out, letter) || has(kinds.sum, letter)) continue;
    if (!has(a, letter) || !has(b, letter))
      refuse(fmt::format("axis '{}' of one operand is summed up alone", letter));
    kinds.sum += letter;
  }
  return kinds;
}

void expect_alike(const Lettered& a, const Lettered& b, const std::string& letters) {
  if (a.extents(letters) != b.extents(letters))
    refuse(fmt::format("the product of {} and {}: axes that belong together have extents {} and {}",
                       text_of(a.split.dims()), text_of(b.split.dims()), text_of(a.extents(letters)),
                       text_of(b.extents(letters))),
           "expand both to the same batches of matrices");
}

void multiply(Node& node, const Lettered& a, const Lettered& b, const std::string& out) {
  const Kinds kinds = kinds_of(a.letters, b.letters, out);
  expect_alike(a, b, kinds.heads);
  expect_alike(a, b, kinds.sum);
  auto op = std::make_unique<ops::MatMul>();
  op->groups = window_size("batch of matrices", a.split.extent(a.axes(kinds.heads)), 1);
  const auto channels = [&](const Lettered& of, const std::string& columns) {
    return of.axes(kinds.heads).size() + of.axes(columns).size();
  };
  const Axes rows_first = b.order({kinds.sum, kinds.heads, kinds.columns}),
             columns_first = b.order({kinds.columns, kinds.heads, kinds.sum});
  op->transposed = std::is_sorted(columns_first.begin(), columns_first.end());
  const graph::ValueId left = node.arranged(a.value, a.split, a.order({kinds.rows, kinds.heads, kinds.sum}),
                                            channels(a, kinds.sum), "left");
  const graph::ValueId right =
      op->transposed ? node.arranged(b.value, b.split, columns_first, channels(b, kinds.sum), "right")
                     : node.arranged(b.value, b.split, rows_first, channels(b, kinds.columns), "right");
  const graph::ValueId value = node.add(std::move(op), {left, right});
  // The bytes of the result are those of (rows, heads, columns).
  std::string lying = kinds.rows + kinds.heads + kinds.columns;
  Extents extents;
  for (const char letter : lying)
    extents.push_back(has(a.letters, letter) ? a.split.extent(a.axis(letter))
                                             : b.split.extent(b.axis(letter)));
  Axes order;
  for (const char letter : out) order.push_back(lying.find(letter));
  const graph::NodeId layer = node.layer;
  node.set_split(value, split_in_order(extents).transposed(order));
  node.layer = layer;
}

Lettered lettered(Node& node, size_t slot, std::string letters) {
  const std::optional<Split> split = node.split_of(slot);
  if (!split)
    refuse(fmt::format("the product of data of {}, expected the batch 1 on axis 0",
                       text_of(node.lying(slot).dims)),
           "export the model with a batch of 1");
  return {std::move(letters), *split, node.lying(slot).value};
}

/// The constant as a matrix: the axes that are summed as rows, those that are its own as columns.
Array matrix_of(const Array& constant, const std::string& letters, const std::string& sum,
                const std::string& own) {
  Array out = constant.like({1, 1});
  Extents strides, extents;
  for (const char letter : sum + own) {
    const size_t axis = letters.find(letter);
    strides.push_back(strides_of(constant.dims)[axis]);
    extents.push_back(constant.dims[axis]);
    out.dims[strides.size() <= sum.size() ? 0 : 1] *= extents.back();
  }
  out = constant.like(out.dims);
  Extents index(extents.size(), 0);
  int64_t from = 0;
  for (int64_t i = 0; i < out.size(); ++i) {
    out.take(i, constant, from);
    for (size_t axis = extents.size(); axis-- > 0;) {
      from += strides[axis];
      if (++index[axis] < extents[axis]) break;
      from -= strides[axis] * extents[axis];
      index[axis] = 0;
    }
  }
  return out;
}

/// A product with a constant is a layer of the axes that are summed; all others are rows.
void multiply_constant(Node& node, size_t slot, const std::string (&parts)[3]) {
  const Array& constant = node.constant(1 - slot, "the matrix");
  const Lettered data = lettered(node, slot, parts[slot]);
  const Kinds kinds = kinds_of(parts[slot], parts[1 - slot], parts[2]);
  const std::string equation = fmt::format("the equation '{},{}->{}'", parts[0], parts[1], parts[2]);
  if (!kinds.heads.empty())
    refuse(fmt::format("{}: axis '{}' of the constant is kept beside the same axis of the data", equation,
                       kinds.heads),
           "MatMul and Mul");
  if (kinds.sum.empty() || constant.is_integer)
    refuse(fmt::format("{} with a constant, expected real numbers and an axis that is summed", equation),
           "MatMul and Mul");
  for (const char letter : kinds.sum)
    if (constant.dims[parts[1 - slot].find(letter)] != data.split.extent(data.axis(letter)))
      refuse(fmt::format("{}: axis '{}' has extents {} and {}", equation, letter,
                         data.split.extent(data.axis(letter)), constant.dims[parts[1 - slot].find(letter)]));
  Split rows{data.split.extents, {}};
  for (const char letter : kinds.rows) rows.axes.push_back(data.axis(letter));
  rows.axes.push_back(data.axes(kinds.sum));
  const Array matrix = matrix_of(constant, parts[1 - slot], kinds.sum, kinds.columns);
  const Product made = multiply_rows(node, data.value, std::move(rows), matrix, {}, {});
  Extents extents = data.extents(kinds.rows);
  for (const char letter : kinds.columns) extents.push_back(constant.dims[parts[1 - slot].find(letter)]);
  const std::string lying = kinds.rows + kinds.columns;
  std::vector<size_t> order;
  for (const char letter : parts[2]) order.push_back(lying.find(letter));
  const graph::NodeId layer = node.layer;
  const std::optional<Split> split = made.split.reshaped(extents);
  N2D2_CHECK(split, "{} as {}", text_of(made.split.dims()), text_of(extents));
  node.set_split(made.value, split->transposed(order));
  node.layer = layer;
}

/// The equation of two operands, each axis a letter of its own.
void convert_einsum(Node& node) {
  std::string equation = node.text("equation", "");
  equation.erase(std::remove(equation.begin(), equation.end(), ' '), equation.end());
  const size_t comma = equation.find(','), arrow = equation.find("->");
  const bool is_plain = comma != std::string::npos && arrow != std::string::npos && comma < arrow &&
                        equation.find(',', comma + 1) == std::string::npos && !has(equation, '.');
  if (!is_plain || node.input_count() != 2)
    refuse(fmt::format("the equation '{}', only products of two operands with all axes named are imported",
                       equation),
           "MatMul and Transpose");
  const std::string parts[] = {equation.substr(0, comma), equation.substr(comma + 1, arrow - comma - 1),
                               equation.substr(arrow + 2)};
  for (const std::string& letters : parts)
    for (size_t i = 0; i < letters.size(); ++i)
      if (letters.find(letters[i], i + 1) != std::string::npos)
        refuse(fmt::format("the equation '{}' has a diagonal", equation));
  std::optional<size_t> constant;
  for (const size_t slot : {0, 1}) {
    const Operand& operand = node.lying(slot);
    if (operand.is_constant()) constant = slot;
    if (operand.dims.size() != parts[slot].size())
      refuse(fmt::format("the equation '{}' does not fit an operand of {}", equation, text_of(operand.dims)));
  }
  if (constant) return multiply_constant(node, 1 - *constant, parts);
  multiply(node, lettered(node, 0, parts[0]), lettered(node, 1, parts[1]), parts[2]);
}

}  // namespace

void multiply_data(Node& node) {
  const size_t of_a = node.lying(0).dims.size(), of_b = node.lying(1).dims.size();
  constexpr size_t kMost = 8;
  if (of_a < 2 || of_b < 2 || of_a > kMost || of_b > kMost)
    refuse(fmt::format("the product of {} and {}, expected matrices", text_of(node.lying(0).dims),
                       text_of(node.lying(1).dims)));
  const std::string batches = std::string("stuvwxyz").substr(0, std::max(of_a, of_b) - 2);
  const auto last = [&](size_t rank) { return batches.substr(batches.size() - (rank - 2)); };
  multiply(node, lettered(node, 0, last(of_a) + "ik"), lettered(node, 1, last(of_b) + "kj"), batches + "ij");
}

void register_matmul(RuleRegistry& registry);
void register_matmul(RuleRegistry& registry) {
  registry.add("Einsum", {convert_einsum, fold_einsum});
}

}  // namespace n2d2::onnx
