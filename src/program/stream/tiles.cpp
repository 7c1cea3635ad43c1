#include "tiles.hpp"

#include <algorithm>
#include <numeric>

namespace n2d2::program {

namespace {

int end_of(const Rows& rows) {
  return rows.first + rows.count;
}

/// Rows of an input that rows of an output are made of; none where all of them are padding.
Rows needed(const Window& window, const Rows& rows, int height) {
  const Window by = by_rows(window);
  const int first = std::clamp(rows.first * by.stride - by.pad, 0, height);
  const int end = std::clamp((end_of(rows) - 1) * by.stride - by.pad + by.extent, first, height);
  return rows.count == 0 ? Rows{0, 0} : Rows{first, end - first};
}

/// Both, and what lies between them. True where `to` is more than it was.
bool add(Rows& to, const Rows& more) {
  if (more.count == 0) return false;
  const Rows old = to;
  const int first = to.count == 0 ? more.first : std::min(to.first, more.first);
  to = {first, std::max(to.count == 0 ? 0 : end_of(to), end_of(more)) - first};
  return !(to == old);
}

/// No gap before, between and behind the turns, and nothing that goes back.
bool close_gaps(std::vector<Rows>& turns, int height) {
  bool is_changed = false;
  int made = 0;
  for (size_t t = 0; t < turns.size(); ++t) {
    Rows& rows = turns[t];
    const auto later = std::find_if(turns.begin() + static_cast<std::ptrdiff_t>(t) + 1, turns.end(),
                                    [](const Rows& r) { return r.count > 0; });
    const int upto = later == turns.end() ? height : later->first;
    if (rows.count == 0) rows.first = std::min(made, upto);
    const int first = std::min(rows.first, made);
    made = std::max({made, upto, end_of(rows)});
    is_changed = is_changed || first != rows.first || made != end_of(rows);
    rows = {first, made - first};
  }
  return is_changed;
}

}  // namespace

std::vector<Rows> slices_of(int rows, int slices) {
  std::vector<Rows> out;
  for (int i = 0, first = 0; i < slices; ++i) {
    out.push_back({first, rows / slices + (i < rows % slices ? 1 : 0)});
    first = end_of(out.back());
  }
  return out;
}

std::map<ViewId, std::vector<Rows>> tiles_of(const Program& program, const Members& members, ViewId result,
                                             int slices) {
  std::map<ViewId, std::vector<Rows>> out;
  for (const auto& [root, makers] : members.made()) out[root].assign(static_cast<size_t>(slices), Rows{0, 0});
  out[result] = slices_of(program.view(result).h, slices);
  // A call between two that write one map may read what the first of them made: what it needs is known after
  // the second.
  for (bool is_changed = true; is_changed;) {
    is_changed = false;
    for (auto d = members.inner().rbegin(); d != members.inner().rend(); ++d) {
      const ViewId root = program.root_of(d->view);
      const std::vector<Rows>& of_reader = out.at(program.root_of(program.call(d->reader).out.at(0)));
      for (size_t t = 0; t < of_reader.size(); ++t)
        is_changed =
            add(out[root][t], needed(d->window, of_reader[t], program.view(d->view).h)) || is_changed;
      is_changed = close_gaps(out[root], program.view(root).h) || is_changed;
    }
  }
  return out;
}

Bytes pack_rings(std::vector<Ring>& rings, const Program& program, const Members& members) {
  struct Life {
    CallId first, last;
  };
  const auto life_of = [&](ViewId root) {
    const std::vector<CallId>& makers = members.makers_of(root);
    Life life{makers.front(), makers.back()};
    for (const Dependence& d : members.inner_of(root)) life.last = std::max(life.last, d.reader);
    return life;
  };
  const auto bytes_of = [&](const Ring& ring) { return ring_bytes(program, ring); };
  const Bytes unit = ring_unit(program);
  std::vector<size_t> order(rings.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return bytes_of(rings[a]) > bytes_of(rings[b]); });
  Bytes end = 0;
  std::vector<size_t> placed;
  for (const size_t at : order) {
    Ring& ring = rings[at];
    const Life life = life_of(ring.root);
    std::vector<size_t> beside;
    for (const size_t other : placed)
      if (const Life of = life_of(rings[other].root); of.first <= life.last && life.first <= of.last)
        beside.push_back(other);
    std::sort(beside.begin(), beside.end(),
              [&](size_t a, size_t b) { return rings[a].start < rings[b].start; });
    ring.start = 0;
    for (const size_t other : beside) {
      const Ring& there = rings[other];
      if (ring.start + bytes_of(ring) <= there.start) break;
      ring.start = std::max(ring.start, (there.start + bytes_of(there) + unit - 1) / unit * unit);
    }
    placed.push_back(at);
    end = std::max(end, ring.start + bytes_of(ring));
  }
  return end;
}

}  // namespace n2d2::program
