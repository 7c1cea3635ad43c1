// Leaves some labels of pixels out, or all but some; the picture stays as it is.
#include <algorithm>

#include "stimuli/transformation_type.hpp"

namespace n2d2::data {

namespace {

enum class LabelFilterKind { Remove, Keep, Merge };

}  // namespace

}  // namespace n2d2::data

template <>
struct n2d2::EnumText<n2d2::data::LabelFilterKind> {
  static constexpr std::array names{"Remove", "Keep", "Merge"};
};

namespace n2d2::data {

namespace {

class LabelFilter final : public Transformation {
 public:
  std::vector<std::string> labels;
  LabelFilterKind filter = LabelFilterKind::Remove;
  int default_label = kOfDatabase;

  template <class V>
  static void fields(V&& v) {
    using L = LabelFilter;
    v("Labels", &L::labels, required, help("names of labels"));
    v("Filter", &L::filter, help("Remove: these are left out, Keep: all others; Merge is not supported"));
    v("DefaultLabel", &L::default_label, at_least(-2),
      help("number of the label that takes their place; -1: ignored, -2: DefaultLabel of the database"));
  }

  void check(const KeySource& keys, Diagnostics& diagnostics) const {
    if (filter == LabelFilterKind::Merge)
      report_key(keys, "Filter", "'Merge' is not supported: which label they become is not said", diagnostics,
                 "LabelsMapping of a target brings several labels to one output");
    if (labels.empty() && keys.find("Labels"))
      report_key(keys, "Labels", "expected at least one label", diagnostics);
  }

  void prepare(const Database& database, bool has_label_maps) override {
    if (!has_label_maps) fail("pixels have no labels without CompositeStimuli=1");
    const std::vector<std::string>& all = database.labels();
    if (all.empty()) return;  // no samples
    listed_.assign(all.size(), false);
    for (const std::string& name : labels) {
      const auto found = std::find(all.begin(), all.end(), name);
      if (found == all.end())
        fail(fmt::format("Labels: no label '{}'{}", name, did_you_mean(name, all)),
             "known: " + join(all, ", "));
      listed_[static_cast<size_t>(found - all.begin())] = true;
    }
    if (default_label >= static_cast<int>(all.size()))
      fail(fmt::format("DefaultLabel: expected at most {}, got {}", all.size() - 1, default_label));
    in_place_ = default_label == kOfDatabase ? database.label_rules().default_label : default_label;
  }

  LabelMaps label_maps() const override { return LabelMaps::Moved; }
  void apply(Image&, Rng&) const override {}
  void move_labels(Image& map, Rng&) const override {
    for (int32_t& label : map.span<int32_t>()) {
      const bool is_listed =
          label >= 0 && static_cast<size_t>(label) < listed_.size() && listed_[static_cast<size_t>(label)];
      if (label >= 0 && is_listed == (filter == LabelFilterKind::Remove)) label = in_place_;
    }
  }

 private:
  static constexpr int kOfDatabase = -2;
  std::vector<bool> listed_;  ///< by label
  int in_place_ = -1;
};

}  // namespace

void register_label_filter(TransformationRegistry& registry);
void register_label_filter(TransformationRegistry& registry) {
  registry.add("LabelFilterTransformation",
               transformation_type<LabelFilter>("LabelFilterTransformation", "leave labels of pixels out"));
}

}  // namespace n2d2::data
