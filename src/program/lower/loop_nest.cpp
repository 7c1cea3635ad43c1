#include "n2d2/program/loop_nest.hpp"

#include <algorithm>
#include <cstring>

#include "../stream/members.hpp"
#include "macs.hpp"

namespace n2d2::program {

namespace {

constexpr std::string_view kRequantize = "requantize";

/// A call of all rows of one map by itself, with rows and columns as in the layer.
bool is_whole(const Call& call) {
  return !call.is_source() && !call.is_loop_nest() && !call.contract.opaque && call.rows == Rows{} &&
         call.suffix.empty() && call.in.size() == 1 && call.out.size() == 1;
}

Slicing slicing_of(const Program& program, const Call& call) {
  return call.kernel->slicing(program.graph, program.node(call));
}

/// One call reads the map of bytes, once; nothing else reads or holds a byte of it.
bool is_between(const Program& program, ViewId id) {
  const View& view = program.view(id);
  int64_t readers = 0;
  for (const Call& call : program.calls) readers += std::count(call.in.begin(), call.in.end(), id);
  return readers == 1 && view.element() == 1 && !view.keep && view.host == kNone && view.memories.empty() &&
         std::none_of(program.views.begin(), program.views.end(),
                      [&](const View& other) { return other.host == id; });
}

/// Whether a call may be a step of a loop nest.
bool is_step(const Program& program, const Call& call) {
  return is_whole(call) && !call.turned && call.contract.scratch == 0 && call.contract.state == 0 &&
         program.view(call.in[0]).element() == 1;
}

/// The calls from `first` on that are a chain; none: there is no chain.
std::span<const Call> chain_at(const Program& program, size_t first) {
  const std::vector<Call>& calls = program.calls;
  if (!is_step(program, calls[first]) || slicing_of(program, calls[first]).made != Slicing::Made::OfAll)
    return {};
  bool reads_all = calls[first].contract.windows.at(0).kind == Window::Kind::Whole;
  for (size_t c = first + 1; c < calls.size(); ++c) {
    const Call& call = calls[c];
    if (!is_step(program, call) || call.in[0] != calls[c - 1].out[0] || !is_between(program, call.in[0]))
      return {};
    const View& map = program.view(call.in[0]);
    const bool is_whole_window = call.contract.windows.at(0).kind == Window::Kind::Whole;
    if (is_whole_window && map.h > 1) return {};
    reads_all = reads_all || is_whole_window;
    const Slicing of = slicing_of(program, call);
    if (!of.sums.empty() && (c - first > 1 || map.h * map.w == 1))
      return reads_all && program.view(call.out[0]).h > 1 ? std::span<const Call>{}
                                                          : std::span(calls).subspan(first, c + 1 - first);
    if (of.made != Slicing::Made::OfSame) return {};
  }
  return {};
}

Chain nodes_of(std::span<const Call> calls) {
  Chain out;
  for (const Call& call : calls) out.push_back(call.node);
  return out;
}

/// How a layer and one that reads it read what is before both.
Window composed(const Window& first, const Window& second) {
  if (first.kind == Window::Kind::Whole || second.kind == Window::Kind::Whole)
    return {Window::Kind::Whole, 1, 0, 1};
  const Window a = by_rows(first), b = by_rows(second);
  return {Window::Kind::Rows, a.stride * b.stride, b.pad * a.stride + a.pad,
          (b.extent - 1) * a.stride + a.extent};
}

int64_t macs_again(const Program& program, std::span<const Call> calls) {
  std::vector<int64_t> made(calls.size(), 0);
  for (int row = 0; row < program.view(calls.back().out[0]).h; ++row) {
    const std::vector<Rows> rows = rows_of_steps(program, calls, row);
    for (size_t c = 0; c < calls.size(); ++c) made[c] += std::max(0, rows[c].count);
  }
  int64_t again = 0;
  for (size_t c = 0; c < calls.size(); ++c) {
    const int height = program.view(calls[c].out[0]).h;
    const int64_t of_row = macs_of(program.graph, program.node(calls[c])) / height;
    again += std::max<int64_t>(0, made[c] - height) * of_row;
  }
  return again;
}

int largest_slice(int channels, int most) {
  int out = std::min(channels, most);
  while (channels % out != 0) --out;
  return out;
}

/// Reorders values of any type from [rows][channels] to [slices][rows][channels of a slice].
Tensor sliced(const Tensor& values, int channels, int slice) {
  const int64_t size = size_bytes(values.dtype()), rows = values.elements() / channels;
  Tensor out(Shape{channels / slice, rows, slice}, values.dtype());
  const auto* from = static_cast<const std::byte*>(values.raw());
  auto* to = static_cast<std::byte*>(out.raw());
  for (int first = 0; first < channels; first += slice)
    for (int64_t row = 0; row < rows; ++row, to += slice * size)
      std::memcpy(to, from + (row * channels + first) * size, static_cast<size_t>(slice * size));
  return out;
}

/// Makes one loop nest of the calls of a chain.
class NestBuilder {
 public:
  NestBuilder(Program& program, std::span<const Call> calls, int most_channels, const KernelLibrary& library)
      : p_(program),
        calls_(calls),
        library_(library),
        channels_(program.view(calls[0].out[0]).c),
        slice_(largest_slice(channels_, most_channels)) {}

  Call call() {
    const Call &first = calls_.front(), &last = calls_.back();
    Call out;
    out.kernel = &loop_nest_kernel();
    out.node = last.node;
    out.in = first.in, out.out = last.out;
    out.slices = channels_ / slice_;
    Window window = last.contract.windows.at(0);
    for (size_t c = calls_.size() - 1; c-- > 0;) window = composed(calls_[c].contract.windows.at(0), window);
    out.contract.windows = {window};
    out.contract.macs_again = macs_again(p_, calls_);
    out.overlap = std::all_of(calls_.begin(), calls_.end(), [](const Call& each) { return each.overlap; });
    add_steps(out);
    out.contract.scratch = kScratchAlignment - 1 + end_;
    return out;
  }

 private:
  void add_steps(Call& to) {
    View sums = p_.view(calls_.back().out[0]);
    sums.type = DataType::I32;
    sums.name += ".sums";
    const ViewId sums_id = add(std::move(sums), 1);
    ViewId before = calls_.front().in[0];
    for (size_t c = 0; c + 1 < calls_.size(); ++c) {
      Call step = stepped(calls_[c], c);
      View slice = p_.view(calls_[c].out[0]);
      slice.name += ".slice";
      slice.c = slice_;
      step.in = {before}, step.out = {before = add(std::move(slice), rows_needed(c))};
      add_constants(calls_[c], c, step);
      to.steps.push_back(std::move(step));
    }
    const Call& last = calls_.back();
    Call sum = stepped(last, calls_.size() - 1), end = stepped(last, calls_.size());
    sum.kernel = library_.find(slicing_of(p_, last).sums), end.kernel = library_.find(kRequantize);
    N2D2_CHECK(sum.kernel != nullptr && end.kernel != nullptr, "'{}' has no kernel of its sums",
               p_.node(last).name);
    sum.form.clear(), end.form.clear();
    sum.in = {before}, sum.out = end.in = {sums_id}, end.out = last.out;
    end.contract.windows = {{Window::Kind::Same, 1, 0, 1}};
    for (const ConstantId id : last.constants) {
      Constant constant = p_.constant(id);
      if (constant.role == "weights")
        constant.data = std::make_shared<const Tensor>(sliced(*constant.data, channels_, slice_)),
        constant.slices = channels_ / slice_;
      (constant.role == "weights" ? sum : end).constants.push_back(add(std::move(constant)));
    }
    to.steps.push_back(std::move(sum)), to.steps.push_back(std::move(end));
  }

  static Call stepped(const Call& call, size_t index) {
    Call out = call;
    out.constants.clear();
    out.parallel = false;
    out.suffix = fmt::format("_step{}", index);
    return out;
  }

  /// Rows of the map behind a call that one row of the output is made of.
  int rows_needed(size_t call) const {
    int rows = 1;
    for (size_t c = calls_.size() - 1; c > call; --c) {
      const Window& window = calls_[c].contract.windows.at(0);
      const Window of_rows = by_rows(window);
      rows = window.kind == Window::Kind::Whole ? p_.view(calls_[c].in[0]).h
                                                : (rows - 1) * of_rows.stride + of_rows.extent;
    }
    return rows;
  }

  /// A packed map in scratch.
  ViewId add(View view, int rows) {
    view.pixel = view.used(), view.row = view.w * view.pixel;
    view.ring = rows < view.h ? rows : 0, view.first = 0, view.turn = view.ring * view.row;
    view.in_scratch = true, view.inside = end_;
    view.keep = false, view.host = kNone, view.memories.clear();
    view.place.reset();
    end_ += std::min(rows, view.h) * view.row;
    p_.views.push_back(std::move(view));
    return static_cast<ViewId>(p_.views.size()) - 1;
  }

  void add_constants(const Call& call, size_t index, Call& step) {
    const bool is_of_same = slicing_of(p_, call).made == Slicing::Made::OfSame;
    for (const ConstantId id : call.constants) {
      Constant constant = p_.constant(id);
      const bool is_weights = constant.role == "weights";
      constant.packed = nullptr, constant.storage = {};  // vectors have no form for narrow weights in rows
      if (is_weights && is_of_same)
        constant.data = std::make_shared<const Tensor>(sliced(*constant.data, channels_, slice_));
      if (is_weights || constant.data->elements() == channels_) constant.slices = channels_ / slice_;
      constant.role += std::to_string(index + 1);
      step.constants.push_back(add(std::move(constant)));
    }
  }

  ConstantId add(Constant constant) {
    constant.packed = nullptr;
    p_.constants.push_back(std::move(constant));
    return static_cast<ConstantId>(p_.constants.size()) - 1;
  }

  Program& p_;
  std::span<const Call> calls_;
  const KernelLibrary& library_;
  int channels_, slice_;
  Bytes end_ = 0;  // of the maps in scratch
};

/// The sums of the rows of a map: a row for each row of it, of which a region keeps one.
View sums_of(const View& map, const View& mean) {
  View out;
  out.name = mean.name + ".sums";
  out.value = mean.value;
  out.type = DataType::I32;
  out.h = map.h, out.c = map.c;
  out.pixel = out.row = out.used();
  return out;
}

Replacement added_up(Program& program, const Call& call, const KernelLibrary& library) {
  if (!is_whole(call) || program.view(call.in[0]).h == 1) return std::nullopt;
  const std::string_view kernel = slicing_of(program, call).sums_of_rows;
  if (kernel.empty()) return std::nullopt;
  const View& map = program.view(call.in[0]);
  const int rows = map.h;
  View sums_view = sums_of(map, program.view(call.out[0]));
  program.views.push_back(std::move(sums_view));
  const auto between = static_cast<ViewId>(program.views.size() - 1);
  Call sums = call, mean = call;
  sums.kernel = library.find(kernel), mean.kernel = library.find(kRequantize);
  N2D2_CHECK(sums.kernel != nullptr && mean.kernel != nullptr, "there is no '{}'", kernel);
  sums.form.clear(), mean.form.clear();
  sums.out = {between}, mean.in = {between};
  sums.constants.clear();
  sums.suffix = "_sums";
  sums.contract = {}, mean.contract = {};
  sums.contract.windows = {{Window::Kind::Rows, 1, 0, 1}};
  sums.contract.accumulates = true;
  mean.contract.windows = {{Window::Kind::Rows, rows, 1 - rows, 1}};
  sums.overlap = false;
  sums.parallel = mean.parallel = false;
  return std::vector<Call>{sums, mean};
}

}  // namespace

std::vector<Chain> chains_of(const Program& program) {
  std::vector<Chain> out;
  for (size_t first = program.streams_input() ? 1 : 0; first < program.calls.size();) {
    const std::span<const Call> chain = chain_at(program, first);
    if (chain.empty()) {
      ++first;
      continue;
    }
    // Two chains of two layers may share one; the chain with the longer map between is taken.
    const std::span<const Call> next =
        chain.size() == 2 ? chain_at(program, first + 1) : std::span<const Call>{};
    const auto channels = [&](const Call& call) { return program.view(call.out[0]).c; };
    if (!next.empty() && channels(chain[0]) < channels(next[0])) {
      ++first;
      continue;
    }
    out.push_back(nodes_of(chain));
    first += chain.size();
  }
  return out;
}

int64_t macs_again(const Program& program, const Chain& chain) {
  for (size_t first = 0; first < program.calls.size(); ++first)
    if (const std::span<const Call> calls = chain_at(program, first); nodes_of(calls) == chain)
      return macs_again(program, calls);
  return 0;
}

Combiner loop_nest(const Chain& chain, int channels, const KernelLibrary& library) {
  return {"loop_nest", chain.size(),
          [chain, channels, &library](Program& program, std::span<const Call> calls) -> Replacement {
            if (nodes_of(calls) != chain) return std::nullopt;
            const auto at = std::find_if(program.calls.begin(), program.calls.end(),
                                         [&](const Call& call) { return call.node == chain.front(); });
            const auto first = static_cast<size_t>(at - program.calls.begin());
            if (nodes_of(chain_at(program, first)) != chain) return std::nullopt;
            return std::vector<Call>{NestBuilder(program, calls, channels, library).call()};
          }};
}

Expander running_sums(const KernelLibrary& library) {
  return {"running_sums",
          [&library](Program& program, const Call& call) { return added_up(program, call, library); }};
}

}  // namespace n2d2::program
