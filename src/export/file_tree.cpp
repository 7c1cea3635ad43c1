#include "n2d2/export/file_tree.hpp"

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <system_error>
#include <vector>

#include "n2d2/base/error.hpp"
#include "n2d2/base/log.hpp"
#include "n2d2/base/sha256.hpp"

namespace n2d2::exporter {

namespace fs = std::filesystem;

namespace {

constexpr const char* kManifest = "export_manifest.txt";

[[noreturn]] void fail(const fs::path& path, const std::string& what, const std::string& hint = {}) {
  throw ExportError("export: " + what, {path.string(), 0}, hint);
}

/// Runs f; what the system refuses becomes an ExportError.
template <class F>
auto guarded(const fs::path& path, const std::string& what, F f) {
  try {
    return f();
  } catch (const fs::filesystem_error& error) {
    fail(path, what + ": " + error.code().message());
  } catch (const FolderError& error) {
    fail(error.path, error.reason, error.hint);
  }
}

constexpr size_t kDigits = 64;  // of a SHA-256
constexpr std::string_view kBetween = "  ";

/// The files that an earlier export made, each with its SHA-256; empty where the manifest does not say.
std::map<std::string, std::string> files_of(const fs::path& manifest) {
  std::map<std::string, std::string> out;
  std::ifstream in(manifest);
  for (std::string line; std::getline(in, line);) {
    const bool has_hash = line.size() > kDigits + kBetween.size() &&
                          line.find_first_not_of("0123456789abcdef") == kDigits &&
                          line.compare(kDigits, kBetween.size(), kBetween) == 0;
    if (has_hash)
      out.emplace(line.substr(kDigits + kBetween.size()), line.substr(0, kDigits));
    else
      out.emplace(line, "");
  }
  return out;
}

std::string hash_of(const fs::path& file) {
  Sha256 hash;
  std::ifstream in(file, std::ios::binary);
  std::vector<char> buffer(1 << 16);
  while (in.read(buffer.data(), static_cast<std::streamsize>(buffer.size())) || in.gcount() > 0)
    hash.add({buffer.data(), static_cast<size_t>(in.gcount())});
  return hash.hex();
}

/// Whether a generated file has another content than the one it was written with.
bool was_edited(const fs::directory_entry& entry, const std::string& hash) {
  if (hash.empty()) return false;
  return entry.is_symlink() || !entry.is_regular_file() || hash_of(entry.path()) != hash;
}

/// What `make` makes of the files of the manifest goes with them.
bool is_build_product(const fs::path& relative) {
  const std::string first = relative.begin()->string(), extension = relative.extension().string();
  if (first == "build") return extension == ".o" || extension == ".d" || relative == "build/flags";
  return relative == "bin/run_export" || relative == "bin/example" || relative == "bin/example_c";
}

/// Makes `to` a hard link to `from`, which is a file, a symbolic link or a special file. Copies `from` where
/// a hard link is not possible.
void link_or_copy(const fs::path& from, const fs::path& to) {
  std::error_code error;
  fs::create_directories(to.parent_path());
  fs::create_hard_link(from, to, error);
  if (error) fs::copy(from, to, fs::copy_options::copy_symlinks);
}

/// Keeps an edited file of `old` beside the one of `fresh` that takes its place.
void keep_edited(const fs::path& old, const fs::path& fresh, const fs::path& relative) {
  fs::path name = relative;
  for (int i = 1;
       i == 1 || fs::exists(fs::symlink_status(old / name)) || fs::exists(fs::symlink_status(fresh / name));
       ++i)
    name = relative.string() + ".edited" + (i == 1 ? "" : std::to_string(i));
  link_or_copy(old / relative, fresh / name);
  log::warn("{}: was changed after it had been exported; the changed file is '{}' now",
            (old / relative).string(), name.filename().string());
}

}  // namespace

fs::path shipped(const fs::path& folder) {
  std::vector<fs::path> places;
  if (const char* path = std::getenv("N2D2_PATH")) places.emplace_back(path);
  std::error_code ignored;
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored);
  if (!program.empty()) places.push_back(program.parent_path().parent_path() / "share" / "n2d2");
  places.emplace_back(N2D2_EXPORT_SOURCES);
  std::string tried;
  for (const fs::path& place : places) {
    if (fs::is_directory(place / folder, ignored)) return place / folder;
    tried += (tried.empty() ? "" : ", ") + place.string();
  }
  throw ExportError(fmt::format("export: {} is not installed; looked in {}", folder.generic_string(), tried),
                    {}, "N2D2_PATH names the folder that holds it");
}

fs::path kernel_sources() {
  return shipped("export/CPP/kernels");
}

fs::path export_variants() {
  const fs::path installed = kernel_sources().parent_path() / "variants";
  return fs::exists(installed) ? installed : fs::path(N2D2_EXPORT_GENERATED) / "export" / "CPP" / "variants";
}

std::string read_file(const fs::path& file) {
  errno = 0;
  std::ifstream in(file, std::ios::binary);
  if (!in) fail(file, "cannot be read: " + std::generic_category().message(errno));
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

FileTree::FileTree(const fs::path& folder, Foreign foreign) : foreign_(foreign) {
  staged_ = guarded(folder, "cannot be written", [&] { return std::make_unique<StagedFolder>(folder); });
  if (foreign == Foreign::Overwrite || !fs::exists(staged_->folder())) return;
  const bool is_ours = fs::exists(staged_->folder() / kManifest);
  if (!is_ours && !guarded(folder, "cannot be read", [&] { return fs::is_empty(staged_->folder()); }))
    fail(folder, "the folder is there and holds no earlier export",
         "'-overwrite' exports into it and keeps what it does not replace");
}

FileTree::~FileTree() = default;

fs::path FileTree::reserve(const fs::path& path) {
  const fs::path full = staged_->fresh() / path;
  guarded(staged_->folder() / path, "cannot be written", [&] { fs::create_directories(full.parent_path()); });
  files_.insert(path.generic_string());
  return full;
}

void FileTree::write(const fs::path& path, std::string_view content) {
  write_pieces(path, [&](const auto& take) { take(content); });
}

void FileTree::write_pieces(const fs::path& path,
                            const std::function<void(const std::function<void(std::string_view)>&)>& make) {
  const fs::path full = reserve(path);
  errno = 0;
  std::ofstream out(full, std::ios::binary);
  make([&](std::string_view piece) { out.write(piece.data(), static_cast<std::streamsize>(piece.size())); });
  out.close();
  if (!out) fail(staged_->folder() / path, "cannot be written: " + std::generic_category().message(errno));
}

void FileTree::copy(const fs::path& from, const fs::path& path) {
  if (!fs::is_directory(from)) return write(path, read_file(from));
  std::set<fs::path> entries;
  for (const auto& entry : fs::directory_iterator(from)) entries.insert(entry.path());
  for (const fs::path& entry : entries) copy(entry, path / entry.filename());
}

void FileTree::keep_foreign() {
  const fs::path& folder = staged_->folder();
  if (!fs::exists(folder)) return;
  const auto generated = files_of(folder / kManifest);
  const auto is_above_generated = [&](const std::string& name) {
    const auto next = generated.lower_bound(name + "/");
    return next != generated.end() && next->first.starts_with(name + "/");
  };
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const fs::path relative = entry.path().lexically_relative(folder);
    const std::string name = relative.generic_string();
    const fs::path place = staged_->fresh() / relative;
    if (!entry.is_symlink() && entry.is_directory()) {
      const bool is_made_by_make = name == "bin" || *relative.begin() == "build";
      if (!is_above_generated(name) && !is_made_by_make) fs::create_directories(place);
      continue;
    }
    if (const auto found = generated.find(name); found != generated.end()) {
      if (was_edited(entry, found->second)) keep_edited(folder, staged_->fresh(), relative);
      continue;
    }
    if (is_build_product(relative)) continue;
    if (!fs::exists(fs::symlink_status(place))) {
      link_or_copy(entry.path(), place);
    } else if (foreign_ == Foreign::Refuse) {
      fail(entry.path(), "the file is not of an earlier export, and a new one goes there",
           "move it, or replace it with '-overwrite'");
    }
  }
}

void FileTree::commit() {
  std::string manifest;
  for (const std::string& file : files_)
    manifest += hash_of(staged_->fresh() / file) + std::string(kBetween) + file + "\n";
  write(kManifest, manifest + kManifest + "\n");
  guarded(staged_->folder(), "cannot be replaced", [&] {
    keep_foreign();
    staged_->commit();
  });
}

}  // namespace n2d2::exporter
