// Which planning problems do the tests share?
#pragma once

#include <string>
#include <vector>

#include "n2d2/base/random.hpp"
#include "n2d2/memory/strategy.hpp"

namespace n2d2::memory {

inline Window rows(int kernel, int stride = 1, int pad = 0) {
  return {Window::Kind::Rows, stride, pad, kernel};
}
inline Window whole() {
  return {Window::Kind::Whole, 1, 0, 1};
}
inline Window element() {
  return {Window::Kind::Element, 1, 0, 1};
}
inline Window same() {
  return {Window::Kind::Same, 1, 0, 1};
}

/// Builds a network: buffers of height x width pixels of `used` bytes, steps in order.
struct Net {
  Problem problem;

  BufferId map(const std::string& name, int height, int width, Bytes used, Bytes pixel = 0) {
    Buffer buffer;
    buffer.name = name;
    buffer.used = used;
    buffer.pixel = pixel == 0 ? used : pixel;
    buffer.width = width;
    buffer.height = height;
    problem.buffers.push_back(buffer);
    return static_cast<BufferId>(problem.buffers.size()) - 1;
  }
  BufferId lane(const std::string& name, BufferId host, Bytes offset, Bytes used) {
    const Buffer outer = problem.buffers[static_cast<size_t>(host)];
    const BufferId id = map(name, outer.height, outer.width, used, outer.pixel);
    problem.buffers.back().inside = Inside{host, offset};
    return id;
  }
  Step& step(const std::string& name, std::vector<Read> reads, BufferId written) {
    return step(name, std::move(reads), std::vector{written});
  }
  Step& step(const std::string& name, std::vector<Read> reads, std::vector<BufferId> writes) {
    Step s;
    s.name = name;
    s.reads = std::move(reads);
    s.writes = std::move(writes);
    problem.steps.push_back(std::move(s));
    return problem.steps.back();
  }
  BufferId layer(const std::string& name, std::vector<Read> reads, int height, int width, Bytes used) {
    const BufferId output = map(name, height, width, used);
    step(name, std::move(reads), output);
    return output;
  }
  Problem done() {
    derive_lifetimes(problem);
    return problem;
  }
};

/// A problem without steps: buffers of these sizes and lives, named a, b, c, ...
struct Block0 {
  Bytes size;
  int first, end;
};
inline Problem blocks(const std::vector<Block0>& list) {
  Problem problem;
  for (const Block0& b : list) {
    Buffer buffer;
    buffer.name = std::string(1, static_cast<char>('a' + problem.buffers.size()));
    buffer.used = buffer.pixel = b.size;
    buffer.life = {b.first, b.end};
    problem.buffers.push_back(buffer);
  }
  return problem;
}

/// First fit in the order of the steps, no byte shared, straight.
inline Plan plan_apart(Problem problem) {
  for (Step& step : problem.steps) step.overlap = false;
  return solve(problem, "None");
}

/// A random network: each step reads one or two earlier maps; now and then an element-wise step, scratch,
/// padding bytes in a pixel, a result that is kept, a concatenation by lanes.
inline Problem random_network(Rng& rng) {
  Net net;
  net.problem.alignment = static_cast<Bytes>(1 + rng.below(4)) * static_cast<Bytes>(1 + rng.below(2) * 3);
  const auto size = [&](int most) { return static_cast<int>(1 + rng.below(static_cast<uint64_t>(most))); };
  std::vector<BufferId> ready{net.map("input", size(8), size(8), size(6))};
  const auto any = [&] {
    const size_t back = 1 + rng.below(std::min<size_t>(ready.size(), 3));
    return ready[ready.size() - back];
  };
  const auto read = [&]() -> Read {
    if (rng.chance(0.2)) return {any(), whole()};
    return {any(), rows(size(3), size(2), static_cast<int>(rng.below(2)))};
  };
  const int steps = 2 + size(10);
  for (int t = 0; t < steps; ++t) {
    const std::string name = "layer" + std::to_string(t);
    if (rng.chance(0.15)) {
      const int first = size(4), second = size(4);
      const BufferId host = net.map(name, size(6), size(6), first + second, first + second + size(3) - 1);
      net.step(name + "a", {read()}, net.lane(name + "a", host, 0, first));
      net.step(name + "b", {read()}, net.lane(name + "b", host, first, second));
      ready.push_back(host);
      continue;
    }
    if (rng.chance(0.2)) {
      const Buffer like = net.problem.buffers[static_cast<size_t>(any())];
      std::vector<Read> reads;
      for (const BufferId b : ready) {
        const Buffer& other = net.problem.buffers[static_cast<size_t>(b)];
        if (other.width == like.width && other.height == like.height && reads.size() < 2)
          reads.push_back({b, rng.chance(0.4) ? same() : element()});
      }
      const BufferId output = net.map(name, like.height, like.width, like.used, like.pixel);
      net.step(name, reads, output);
      ready.push_back(output);
      continue;
    }
    const int used = size(6);
    const BufferId output = net.map(name, size(8), size(8), used, used + static_cast<Bytes>(rng.below(3)));
    Step& step = net.step(name, {read()}, output);
    if (rng.chance(0.3)) step.reads.push_back(read());
    if (rng.chance(0.2)) step.scratch = size(50);
    if (rng.chance(0.2)) step.rows_per_step = size(3);
    net.problem.buffers[static_cast<size_t>(output)].keep = rng.chance(0.1);
    ready.push_back(output);
  }
  net.problem.buffers[static_cast<size_t>(ready.back())].keep = true;
  return net.done();
}

/// A random network in which most steps write several maps: with as many rows as each other or not, some of
/// them lanes of one buffer, some never read; element-wise, by windows or from a whole input.
inline Problem random_splits(Rng& rng) {
  Net net;
  const auto size = [&](int most) { return static_cast<int>(1 + rng.below(static_cast<uint64_t>(most))); };
  net.problem.alignment = rng.chance(0.5) ? 1 : 4;
  std::vector<BufferId> ready{net.map("input", size(8), size(6), size(6))};
  const auto newest = [&] { return ready[ready.size() - 1 - rng.below(std::min<size_t>(ready.size(), 3))]; };
  const int steps = 1 + size(6);
  for (int t = 0; t < steps; ++t) {
    const std::string name = "split" + std::to_string(t);
    const BufferId from = newest(), other = newest();
    const Buffer like = net.problem.buffers[static_cast<size_t>(from)];
    const bool by_element = rng.chance(0.3);
    std::vector<BufferId> writes;
    const int outputs = size(3);
    for (int i = 0; i < outputs; ++i) {
      const std::string map = name + "_" + std::to_string(i);
      const int height = by_element ? like.height : size(8), width = by_element ? like.width : size(5);
      const Bytes used = by_element && rng.chance(0.7) ? like.used : size(5);
      if (rng.chance(0.2)) {
        const BufferId host = net.map(map + "h", height, width, used + 1, used + size(2));
        writes.push_back(net.lane(map, host, 0, used));
        const BufferId second = net.lane(map + "l", host, used, 1);
        if (rng.chance(0.5))
          writes.push_back(second);
        else
          net.step(map + "r", {{from, whole()}}, second);
        ready.push_back(host);
        continue;
      }
      writes.push_back(net.map(map, height, width, used, used + static_cast<Bytes>(rng.below(2))));
      if (rng.chance(0.8)) ready.push_back(writes.back());
    }
    std::vector<Read> reads{
        {from, by_element ? rng.chance(0.4) ? same() : element() : rows(size(3), size(2), size(2) - 1)}};
    if (rng.chance(0.1)) reads[0].window = whole();
    if (rng.chance(0.3)) reads.push_back({other, rows(size(2), size(2))});
    Step& step = net.step(name, reads, writes);
    if (rng.chance(0.2)) step.scratch = size(30);
    if (rng.chance(0.3)) step.rows_per_step = size(3);
    if (rng.chance(0.1)) net.problem.buffers[static_cast<size_t>(writes.back())].keep = true;
  }
  net.problem.buffers[static_cast<size_t>(ready.back())].keep = true;
  return net.done();
}

}  // namespace n2d2::memory
