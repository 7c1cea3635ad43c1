// Which keys do transformations share that look at what is around each pixel?
#pragma once

#include <vector>

#include "n2d2/data/transformation.hpp"

#include "refused_keys.hpp"
#include "structuring_element.hpp"

namespace n2d2::data {

/// A transformation derives from it and ends its fields() with these.
class AroundPixel : public Transformation {
 public:
  int size = 0, iterations = 1;
  ElementShape shape = ElementShape::Rectangular;
  bool apply_to_labels = false, labels_ignore_diff = false;
  std::vector<int> labels;

  template <class V>
  static void fields(V&& v) {
    using A = AroundPixel;
    v("Size", &A::size, required, at_least(1), at_most(1023), help("side of what is around a pixel"));
    v("Shape", &A::shape, help("of what is around a pixel"));
    v("NbIterations", &A::iterations, at_least(1), at_most(1000), help("how often each part is done"));
    v("ApplyToLabels", &A::apply_to_labels, help("only 0 is supported"));
    v("Label", &A::labels, help("of label maps; not supported"));
    v("LabelsIgnoreDiff", &A::labels_ignore_diff, help("of label maps; not supported"));
  }

  void check(const KeySource& keys, Diagnostics& diagnostics) const {
    refuse_keys(keys,
                {{"ApplyToLabels", apply_to_labels},
                 {"Label", !labels.empty()},
                 {"LabelsIgnoreDiff", labels_ignore_diff}},
                "label maps are not changed", diagnostics);
  }
};

}  // namespace n2d2::data
