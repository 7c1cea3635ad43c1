#include "split.hpp"

#include <algorithm>
#include <numeric>

#include "n2d2/base/error.hpp"

namespace n2d2::onnx {

namespace {

/// Takes out what has one element.
Split compact(const Split& split) {
  std::vector<size_t> place(split.extents.size());
  Split out;
  for (size_t i = 0; i < split.extents.size(); ++i) {
    place[i] = out.extents.size();
    if (split.extents[i] != 1) out.extents.push_back(split.extents[i]);
  }
  for (const std::vector<size_t>& axis : split.axes) {
    std::vector<size_t>& made = out.axes.emplace_back();
    for (const size_t i : axis)
      if (split.extents[i] != 1) made.push_back(place[i]);
  }
  return out;
}

}  // namespace

int64_t Split::extent(const std::vector<size_t>& of) const {
  return std::accumulate(of.begin(), of.end(), int64_t{1},
                         [&](int64_t product, size_t i) { return product * extents[i]; });
}

Extents Split::dims() const {
  Extents out;
  for (const std::vector<size_t>& axis : axes) out.push_back(extent(axis));
  return out;
}

std::vector<size_t> Split::order() const {
  std::vector<size_t> out;
  for (const std::vector<size_t>& axis : axes) out.insert(out.end(), axis.begin(), axis.end());
  return out;
}

bool Split::is_in_order() const {
  const std::vector<size_t> all = order();
  return std::is_sorted(all.begin(), all.end());
}

bool Split::is_last(const std::vector<size_t>& of) const {
  for (size_t i = 0; i < of.size(); ++i)
    if (of[i] != extents.size() - of.size() + i) return false;
  return true;
}

Split Split::transposed(const std::vector<size_t>& order) const {
  Split out{extents, {}};
  for (const size_t axis : order) out.axes.push_back(axes.at(axis));
  return out;
}

std::optional<Split> Split::reshaped(const Extents& dims) const {
  Split out{extents, {}};
  std::vector<size_t> rest = order();
  for (const int64_t extent : dims) {
    std::vector<size_t>& axis = out.axes.emplace_back();
    for (int64_t wanted = extent; wanted != 1;) {
      if (rest.empty()) return std::nullopt;
      const size_t first = rest.front();
      const int64_t has = out.extents[first];
      if (wanted % has == 0) {
        wanted /= has;
        axis.push_back(first);
        rest.erase(rest.begin());
        continue;
      }
      if (has % wanted != 0) return std::nullopt;
      // The outer part is taken, the inner one stays behind it.
      out.extents[first] = wanted;
      out.extents.insert(out.extents.begin() + static_cast<std::ptrdiff_t>(first) + 1, has / wanted);
      const auto move_on = [&](std::vector<size_t>& list) {
        for (size_t& i : list) i += i > first ? 1 : 0;
      };
      for (std::vector<size_t>& made : out.axes) move_on(made);
      move_on(rest);
      axis.push_back(first);
      rest.front() = first + 1;
      wanted = 1;
    }
  }
  if (!rest.empty()) return std::nullopt;
  return out;
}

Split Split::with_last(int64_t extent) const {
  N2D2_CHECK(is_last(axes.back()), "the last axis lies before others");
  Split out = *this;
  out.extents.resize(extents.size() - axes.back().size());
  out.axes.back() = {out.extents.size()};
  out.extents.push_back(extent);
  return compact(out);
}

Split Split::with_extent(size_t axis, int64_t extent) const {
  N2D2_CHECK(axes.at(axis).size() == 1, "axis {} is no extent", axis);
  Split out = *this;
  out.extents[axes[axis][0]] = extent;
  return compact(out);
}

Split Split::without_axis(size_t axis) const {
  N2D2_CHECK(axes.at(axis).empty(), "axis {} has elements", axis);
  Split out = *this;
  out.axes.erase(out.axes.begin() + static_cast<std::ptrdiff_t>(axis));
  return out;
}

Split split_in_order(const Extents& dims) {
  Split out;
  for (const int64_t extent : dims) {
    out.axes.push_back({out.extents.size()});
    out.extents.push_back(extent);
  }
  return compact(out);
}

Split split_of_map(const Extents& dims) {
  Extents lying{dims.at(0)};
  lying.insert(lying.end(),
               dims.begin() + std::min<std::ptrdiff_t>(2, static_cast<std::ptrdiff_t>(dims.size())),
               dims.end());
  if (dims.size() > 1) lying.push_back(dims[1]);
  std::vector<size_t> order{0};
  if (dims.size() > 1) order.push_back(dims.size() - 1);
  for (size_t i = 2; i < dims.size(); ++i) order.push_back(i - 1);
  return split_in_order(lying).transposed(order);
}

}  // namespace n2d2::onnx
