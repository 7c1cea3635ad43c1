#include "sample_files.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "n2d2/base/log.hpp"

#include "channel_files.hpp"
#include "file_stamp.hpp"
#include "mat.hpp"
#include "wav_file.hpp"
#include "wildcard.hpp"

namespace n2d2::data {

namespace {

namespace fs = std::filesystem;

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

/// Walks the tree.
class Scan {
 public:
  Scan(fs::path root, const FileFilter& filter, LeftByOthers* left)
      : filter_(filter), root_(std::move(root)), left_(left) {
    for (const std::string& extension : filter.valid_extensions) endings_.push_back(lower(extension));
  }
  std::vector<FoundFile> run() {
    visit(root_, {});
    return std::move(files_);
  }

 private:
  bool ignored(const fs::path& path) const {
    const std::string whole = path.generic_string(), below = path.lexically_relative(root_).generic_string();
    return std::any_of(
        filter_.ignore_masks.begin(), filter_.ignore_masks.end(), [&](const std::string& mask) {
          return fits(mask, whole) || fits(mask, below) || fits(mask, path.filename().string());
        });
  }
  bool wanted(const fs::path& file) const {
    return endings_.empty() || std::find(endings_.begin(), endings_.end(), ending_of(file)) != endings_.end();
  }
  void visit(const fs::path& folder, const std::vector<std::string>& folders) {
    std::vector<fs::path> files, below;
    for (const auto& entry : fs::directory_iterator(folder)) {
      if (ignored(entry.path())) continue;
      if (is_left_by_others(entry.path())) {
        if (left_ != nullptr) left_->add(entry.path());
        continue;
      }
      if (entry.is_directory())
        below.push_back(entry.path());
      else if (entry.is_regular_file() && wanted(entry.path()))
        files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    std::sort(below.begin(), below.end());
    for (fs::path& file : files) files_.push_back({std::move(file), folders});
    if (filter_.depth >= 0 && static_cast<int>(folders.size()) >= filter_.depth) return;
    for (const fs::path& next : below) {
      auto path = folders;
      path.push_back(next.filename().string());
      visit(next, path);
    }
  }

  const FileFilter& filter_;
  fs::path root_;
  LeftByOthers* left_;
  std::vector<std::string> endings_;
  std::vector<FoundFile> files_;
};

}  // namespace

bool is_left_by_others(const fs::path& path) {
  constexpr std::array<std::string_view, 10> kNames{
      ".ds_store", ".spotlight-v100", ".trashes",    ".fseventsd", "__macosx",
      "thumbs.db", "ehthumbs.db",     "desktop.ini", "@eadir",     "$recycle.bin"};
  const std::string name = lower(path.filename().string());
  return name.starts_with("._") || std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

void LeftByOthers::add(const fs::path& path) {
  if (count_++ == 0 || path.string() < first_) first_ = path.string();
}

void LeftByOthers::say(const std::string& subject) const {
  if (count_ > 0)
    log::notice("{}: files and folders that file managers leave are left out: {}, the first is '{}'", subject,
                count_, first_);
}

std::vector<FoundFile> find_files(const fs::path& root, const FileFilter& filter, LeftByOthers* left) {
  if (fs::is_regular_file(root)) return {{root, {}}};
  return Scan(root, filter, left).run();
}

std::string ending_of(const fs::path& path) {
  const std::string ending = path.extension().string();
  return ending.empty() ? "" : lower(ending.substr(1));
}

SampleKind sample_kind(const fs::path& file) {
  const std::string ending = ending_of(file);
  return is_picture_ending(ending) ? SampleKind::Picture
         : is_array_ending(ending) ? SampleKind::Array
                                   : SampleKind::None;
}

std::string Sample::stamp() const {
  std::string out = file_stamp(file_->path) + (file_->is_upright ? "" : "as stored\n");
  for (const std::filesystem::path& path : file_->channels) out += file_stamp(path);
  return out;
}

std::string Sample::name(const fs::path& root) const {
  const std::string file =
      (root == path() ? path().filename() : path().lexically_relative(root)).generic_string();
  return array_ && array_->size() > 1 ? fmt::format("{}[{}]", file, index_) : file;
}

Image Sample::image() const {
  if (array_) return array_->image(index_);
  if (file_->channels.empty() && ending_of(path()) == "wav") return read_wav(path());
  std::vector<fs::path> files{path()};
  files.insert(files.end(), file_->channels.begin(), file_->channels.end());
  std::vector<std::string> remarks;
  Image out = files.size() > 1 ? merge_channels(files, is_upright(), &remarks)
                               : read_picture(path(), is_upright(), &remarks);
  if (!remarks.empty() && !is_told_->exchange(true))
    for (const std::string& remark : remarks) log::warn("{}", remark);
  return out;
}

std::vector<Sample> samples_of(std::vector<FoundFile> files, const ArrayFormat& format, bool are_upright) {
  std::vector<Sample> out;
  for (FoundFile& found : files) {
    found.is_upright = are_upright;
    const auto file = std::make_shared<const FoundFile>(std::move(found));
    // A matrix of text, where a database lists the file; elsewhere these are notes that lie beside samples.
    const std::string ending = ending_of(file->path);
    if (sample_kind(file->path) != SampleKind::Array && ending != "dat" && ending != "txt") {
      out.emplace_back(file);
      continue;
    }
    const auto array = std::make_shared<const ArrayFile>(file->path, format);
    for (int64_t i = 0; i < array->size(); ++i) out.emplace_back(file, array, i);
  }
  return out;
}

}  // namespace n2d2::data
