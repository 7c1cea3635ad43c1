// What do the sections behind [database] make of its samples? Fewer labels, fewer rectangles, slices.
#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "n2d2/base/log.hpp"
#include "n2d2/base/random.hpp"
#include "n2d2/data/database.hpp"
#include "n2d2/data/transformation.hpp"

#include "database/rectangles.hpp"

namespace n2d2::data {

namespace {

struct SortKeys {
  int nb_keep = 0;
  bool ascending = true;
  template <class V>
  static void fields(V&& v) {
    v("NbKeep", &SortKeys::nb_keep, required, at_least(1), help("labels that stay"));
    v("Ascending", &SortKeys::ascending,
      help("1: those of the fewest samples and rectangles, 0: of the most"));
  }
};

struct FilterKeys {
  std::vector<std::string> labels;
  bool keep = true, remove_stimuli = true;
  template <class V>
  static void fields(V&& v) {
    v("Labels", &FilterKeys::labels, required, help("labels of rectangles"));
    v("FilterKeep", &FilterKeys::keep, help("1: only rectangles of these stay, 0: they go"));
    v("RemoveStimuli", &FilterKeys::remove_stimuli, help("samples without rectangle go, too"));
  }
};

struct SlicingKeys {
  int width = 0, height = 0, stride_x = 0, stride_y = 0;
  ApplyTo apply_to = ApplyTo::All;
  bool random_shuffle = true, overlapping = false;
  template <class V>
  static void fields(V&& v) {
    using K = SlicingKeys;
    v("Width", &K::width, required, at_least(1), help("columns of a slice"));
    v("Height", &K::height, required, at_least(1), help("rows of a slice"));
    v("StrideX", &K::stride_x, required, at_least(1), help("columns from a slice to the next"));
    v("StrideY", &K::stride_y, required, at_least(1), help("rows from a slice to the next"));
    v("ApplyTo", &K::apply_to, required, help("partitions whose samples are sliced"));
    v("RandomShuffle", &K::random_shuffle, help("slices in random order"));
    v("Overlapping", &K::overlapping,
      help("the last slice is moved back into the picture, what it repeats is ignored; 0: it is smaller"));
  }
};

/// First pixels of the slices of one axis, and how many pixels of each are those of the slice before.
struct Cuts {
  std::vector<int> first, size, repeated;
};

Cuts cuts_of(int size, int slice, int stride, bool overlapping) {
  Cuts out;
  for (int at = 0; at < size; at += stride) {
    const bool is_last = at + slice >= size;
    const int first = is_last && overlapping ? std::max(0, size - slice) : at;
    out.first.push_back(first);
    out.size.push_back(std::min(slice, size - first));
    out.repeated.push_back(at - first);
    if (is_last) break;
  }
  return out;
}

/// Samples of another database, or parts of them, with rectangles and labels of their own.
class Selection final : public Database {
 public:
  explicit Selection(std::unique_ptr<Database> base) : base_(std::move(base)) {
    labels_ = base_->labels();
    for (int64_t id = 0; id < base_->size(); ++id)
      entries_.push_back({id, base_->label(id), base_->rois(id), {}, {}});
    for (const Partition p : kPartitions) partitions_[static_cast<size_t>(p)] = base_->list(p);
    set_label_rules(base_->label_rules());
  }

  void sort_and_drop(const SortKeys& keys, const KeySource& source);
  void filter(const FilterKeys& keys, const KeySource& source, Diagnostics& diagnostics);
  void slice(const SlicingKeys& keys, uint64_t seed);

  int64_t size() const override { return static_cast<int64_t>(entries_.size()); }
  std::string name(int64_t id) const override {
    const Entry& e = entry(id);
    if (!e.part) return base_->name(e.id);
    return fmt::format("{}[{},{} {}x{}]", base_->name(e.id), e.part->x, e.part->y, e.part->width,
                       e.part->height);
  }
  int label(int64_t id) const override { return entry(id).label; }
  Image image(int64_t id) const override {
    const Entry& e = entry(id);
    return e.part ? cut(base_->image(e.id), *e.part) : base_->image(e.id);
  }
  std::vector<Roi> rois(int64_t id) const override { return entry(id).rois; }
  Dims picture_size(int64_t id) const override {
    const Entry& e = entry(id);
    return e.part ? Dims{e.part->width, e.part->height} : base_->picture_size(e.id);
  }
  std::vector<Roi> ignored_parts(int64_t id) const override { return entry(id).ignored; }

 private:
  struct Entry {
    int64_t id;  // in the other database
    int label;
    std::vector<Roi> rois;
    std::optional<Roi> part;
    std::vector<Roi> ignored;
  };
  const Entry& entry(int64_t id) const { return entries_.at(static_cast<size_t>(id)); }
  /// Each sample becomes those of `after`, numbered anew.
  void replace(const std::vector<std::vector<int64_t>>& after, std::vector<Entry> entries);
  void keep_entries(const std::vector<bool>& keep);
  std::vector<Entry> slices_of(int64_t id, const SlicingKeys& keys) const;

  std::unique_ptr<Database> base_;
  std::vector<Entry> entries_;
};

void Selection::replace(const std::vector<std::vector<int64_t>>& after, std::vector<Entry> entries) {
  for (auto& list : partitions_) {
    std::vector<int64_t> out;
    for (const int64_t id : list) {
      const auto& now = after[static_cast<size_t>(id)];
      out.insert(out.end(), now.begin(), now.end());
    }
    list = std::move(out);
  }
  entries_ = std::move(entries);
}

void Selection::keep_entries(const std::vector<bool>& keep) {
  std::vector<std::vector<int64_t>> after(entries_.size());
  std::vector<Entry> entries;
  for (size_t i = 0; i < entries_.size(); ++i) {
    if (!keep[i]) continue;
    after[i] = {static_cast<int64_t>(entries.size())};
    entries.push_back(std::move(entries_[i]));
  }
  replace(after, std::move(entries));
}

void Selection::sort_and_drop(const SortKeys& keys, const KeySource& source) {
  std::vector<int64_t> counts(labels_.size());
  for (const Entry& e : entries_) {
    if (e.label >= 0) ++counts[static_cast<size_t>(e.label)];
    for (const Roi& roi : e.rois) ++counts[static_cast<size_t>(roi.label)];
  }
  std::vector<size_t> order(labels_.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return keys.ascending ? counts[a] < counts[b] : counts[a] > counts[b];
  });
  order.resize(std::min(order.size(), static_cast<size_t>(keys.nb_keep)));
  std::sort(order.begin(), order.end());
  std::vector<int> now(labels_.size(), -1);
  std::vector<std::string> names;
  for (const size_t label : order) {
    now[label] = static_cast<int>(names.size());
    names.push_back(labels_[label]);
  }
  log::notice("{}: {} of {} labels stay: {}", source.subject(), names.size(), labels_.size(),
              join(names, ", "));
  labels_ = std::move(names);
  std::vector<bool> keep;
  for (Entry& e : entries_) {
    const bool had_label = e.label >= 0;
    e.label = had_label ? now[static_cast<size_t>(e.label)] : -1;
    std::erase_if(e.rois, [&](Roi& roi) { return (roi.label = now[static_cast<size_t>(roi.label)]) < 0; });
    keep.push_back(!had_label || e.label >= 0);
  }
  LabelRules rules = label_rules();
  if (rules.default_label >= 0) rules.default_label = now[static_cast<size_t>(rules.default_label)];
  set_label_rules(rules);
  keep_entries(keep);
}

void Selection::filter(const FilterKeys& keys, const KeySource& source, Diagnostics& diagnostics) {
  std::set<int> wanted;
  for (const std::string& label : keys.labels) {
    const auto found = std::find(labels_.begin(), labels_.end(), label);
    if (found == labels_.end())
      diagnostics.error(source.find("Labels")->where,
                        fmt::format("{} Labels: the database has no label '{}'", source.subject(), label),
                        "labels of folders begin with '/'");
    wanted.insert(static_cast<int>(found - labels_.begin()));
  }
  std::vector<bool> keep;
  for (Entry& e : entries_) {
    std::erase_if(e.rois, [&](const Roi& roi) { return wanted.contains(roi.label) != keys.keep; });
    keep.push_back(!keys.remove_stimuli || !e.rois.empty());
  }
  keep_entries(keep);
}

std::vector<Selection::Entry> Selection::slices_of(int64_t id, const SlicingKeys& keys) const {
  const Dims size = picture_size(id);
  const Cuts columns = cuts_of(size.x, keys.width, keys.stride_x, keys.overlapping);
  const Cuts rows = cuts_of(size.y, keys.height, keys.stride_y, keys.overlapping);
  std::vector<Entry> out;
  for (size_t y = 0; y < rows.first.size(); ++y)
    for (size_t x = 0; x < columns.first.size(); ++x) {
      const Roi part{columns.first[x], rows.first[y], columns.size[x], rows.size[y], -1};
      Entry slice{entry(id).id, entry(id).label, {}, part, {}};
      if (columns.repeated[x] > 0) slice.ignored.push_back({0, 0, columns.repeated[x], part.height, -1});
      if (rows.repeated[y] > 0) slice.ignored.push_back({0, 0, part.width, rows.repeated[y], -1});
      // The rectangle of a sample that is not composite would cut the slice.
      if (is_composite(id))
        for (const Roi& roi : entry(id).rois) {
          const Roi moved = inside({roi.x - part.x, roi.y - part.y, roi.width, roi.height, roi.label},
                                   part.width, part.height);
          if (moved.width > 0 && moved.height > 0) slice.rois.push_back(moved);
        }
      out.push_back(std::move(slice));
    }
  return out;
}

void Selection::slice(const SlicingKeys& keys, uint64_t seed) {
  std::vector<bool> is_sliced(entries_.size());
  for (const Partition p : kPartitions)
    if (applies(keys.apply_to, p))
      for (const int64_t id : list(p)) is_sliced[static_cast<size_t>(id)] = true;
  std::vector<std::vector<int64_t>> after(entries_.size());
  std::vector<Entry> entries;
  for (int64_t id = 0; id < size(); ++id) {
    const auto add = [&](Entry entry) {
      after[static_cast<size_t>(id)].push_back(static_cast<int64_t>(entries.size()));
      entries.push_back(std::move(entry));
    };
    if (!is_sliced[static_cast<size_t>(id)])
      add(entry(id));
    else
      for (Entry& slice : slices_of(id, keys)) add(std::move(slice));
  }
  replace(after, std::move(entries));
  if (!keys.random_shuffle) return;
  for (const Partition p : kPartitions) {
    if (!applies(keys.apply_to, p)) continue;
    auto& ids = partitions_[static_cast<size_t>(p)];
    Rng rng(seed, "slicing " + to_string(p));
    std::vector<int64_t> order;
    for (const int64_t place : shuffled(static_cast<int64_t>(ids.size()), rng))
      order.push_back(ids[static_cast<size_t>(place)]);
    ids = std::move(order);
  }
}

/// Reads the keys of a section; whether they are sound.
template <class Keys>
bool read(Keys& keys, const KeySource& source, Diagnostics& diagnostics) {
  const size_t before = diagnostics.errors().size();
  read_fields(keys, source, diagnostics);
  return diagnostics.errors().size() == before;
}

}  // namespace

std::unique_ptr<Database> post_process(std::unique_ptr<Database> database, const PostSections& sections,
                                       uint64_t seed, Diagnostics& diagnostics) {
  const size_t before = diagnostics.errors().size();
  SortKeys sort;
  FilterKeys filter;
  SlicingKeys slicing;
  const bool sorts = sections.sort_and_drop && read(sort, *sections.sort_and_drop, diagnostics);
  const bool filters = sections.filter_rois && read(filter, *sections.filter_rois, diagnostics);
  const bool slices = sections.slicing && read(slicing, *sections.slicing, diagnostics);
  if (!database || !(sorts || filters || slices)) return database;
  try {
    auto out = std::make_unique<Selection>(std::move(database));
    if (sorts) out->sort_and_drop(sort, *sections.sort_and_drop);
    if (filters) out->filter(filter, *sections.filter_rois, diagnostics);
    if (slices) out->slice(slicing, seed);
    if (diagnostics.errors().size() == before) log::info("[database] after its sections: {}", out->summary());
    return out;
  } catch (const ConfigError& error) {
    diagnostics.add(error);
    return nullptr;
  }
}

}  // namespace n2d2::data
