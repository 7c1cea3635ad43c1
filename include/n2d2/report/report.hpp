// What does a run say of the network that it made, in figures that a page or a program can show?
//
// A Report is a plain record; each member is optional, and what is empty is neither drawn nor written.
// `fields()` names the keys of report.json (docs/use/report.md), in the order in which they are written.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace n2d2::report {

/// What a text of the run says about something: a row of the README, an option, a hash.
struct Fact {
  std::string name, value;
  template <class V>
  static void fields(V&& v) {
    using P = Fact;
    v("name", &P::name);
    v("value", &P::value);
  }
};

/// A figure that decides whether the result is of use.
struct Tile {
  std::string name, value;  ///< "RAM", "5,120 bytes"
  std::string note;         ///< what it consists of, or how it was found
  std::string verdict;      ///< "good", "bad", or "" where nobody said what is wanted
  std::optional<double> number;
  template <class V>
  static void fields(V&& v) {
    using P = Tile;
    v("name", &P::name);
    v("value", &P::value);
    v("note", &P::note);
    v("verdict", &P::verdict);
    v("number", &P::number);
  }
};

/// A layer of the network as it was exported, and the input of the network, which is the first.
struct Layer {
  std::string name, type;
  std::vector<std::string> parents;  ///< names of the layers it reads
  std::vector<int64_t> output;       ///< C, H, W
  std::string kernel, form, why;     ///< what computes it, in which form, and why this one
  std::optional<int64_t> step;       ///< of the memory map, from 0 on
  std::optional<int64_t> macs;       ///< multiply-accumulates of a sample
  std::optional<int64_t> ram;        ///< bytes of all memories that are in use while it runs
  std::optional<int64_t> map_bytes;  ///< of its output, packed
  std::optional<int64_t> flash;      ///< bytes of its weights, biases and factors
  std::optional<int64_t> instructions;
  std::optional<int64_t> weight_bits, bits;  ///< of weights and of its output; 32: floats
  std::optional<double> scale, zero_point;   ///< of its output
  std::string clipping;                      ///< mode that gave the threshold
  std::optional<double> threshold, min, max, clipped;
  std::optional<double> headroom_bits;  ///< free bits of the accumulator
  std::optional<double> own_sqnr_db;    ///< what this layer adds alone
  std::optional<double> sqnr_db;        ///< of its output, with all layers before it in integers
  std::optional<double> blame;          ///< share of the noise at the outputs, weights and values, 0..1
  std::vector<std::string> notes;       ///< what quantization says of it
  template <class V>
  static void fields(V&& v) {
    using P = Layer;
    v("name", &P::name);
    v("type", &P::type);
    v("parents", &P::parents);
    v("output", &P::output);
    v("kernel", &P::kernel);
    v("form", &P::form);
    v("why", &P::why);
    v("step", &P::step);
    v("macs", &P::macs);
    v("ram", &P::ram);
    v("map_bytes", &P::map_bytes);
    v("flash", &P::flash);
    v("instructions", &P::instructions);
    v("weight_bits", &P::weight_bits);
    v("bits", &P::bits);
    v("scale", &P::scale);
    v("zero_point", &P::zero_point);
    v("clipping", &P::clipping);
    v("threshold", &P::threshold);
    v("min", &P::min);
    v("max", &P::max);
    v("clipped", &P::clipped);
    v("headroom_bits", &P::headroom_bits);
    v("own_sqnr_db", &P::own_sqnr_db);
    v("sqnr_db", &P::sqnr_db);
    v("blame", &P::blame);
    v("notes", &P::notes);
  }
};

/// Occupies the bytes [from, to) over the steps [first, end), fractions of a step in regions of tiles.
struct MapBox {
  std::string name;
  double first = 0, end = 0;
  int64_t from = 0, to = 0;
  int64_t group = 0;  ///< boxes of one group share one buffer
  double share = 1;   ///< of its bytes that carry values: below 1 for a lane of a concatenation
  template <class V>
  static void fields(V&& v) {
    using P = MapBox;
    v("name", &P::name);
    v("first", &P::first);
    v("end", &P::end);
    v("from", &P::from);
    v("to", &P::to);
    v("group", &P::group);
    v("share", &P::share);
  }
};

/// A number of bytes that means something.
struct NamedBytes {
  std::string name;
  int64_t bytes = 0;
  template <class V>
  static void fields(V&& v) {
    using P = NamedBytes;
    v("name", &P::name);
    v("bytes", &P::bytes);
  }
};

/// The arenas, one above the other, over the steps of a run.
struct MemoryMap {
  std::vector<std::string> steps;  ///< names
  std::optional<int64_t> peak_step;
  std::vector<NamedBytes> levels;
  std::vector<MapBox> boxes;
  bool empty() const { return boxes.empty(); }
  template <class V>
  static void fields(V&& v) {
    using P = MemoryMap;
    v("steps", &P::steps);
    v("peak_step", &P::peak_step);
    v("levels", &P::levels);
    v("boxes", &P::boxes);
  }
};

/// How often which values were measured, in bins of equal width, with what the integers reach.
struct Histogram {
  std::string name;  ///< of the value: of its layer
  double min = 0, max = 0;
  std::vector<int64_t> counts;
  double low = 0, high = 0;  ///< the least and the largest that its integers stand for
  double clipped = 0;        ///< share of the values beyond
  template <class V>
  static void fields(V&& v) {
    using P = Histogram;
    v("name", &P::name);
    v("min", &P::min);
    v("max", &P::max);
    v("counts", &P::counts);
    v("low", &P::low);
    v("high", &P::high);
    v("clipped", &P::clipped);
  }
};

/// What noise at the outputs comes from weights or values of one layer, the worst first.
struct Blame {
  std::string layer, part;  ///< "weights", "values"
  int64_t bits = 0;
  double without = 0,
         without_error = 0;           ///< share that is gone when all else is integers; its standard error
  double alone = 0, alone_error = 0;  ///< share that it makes alone
  template <class V>
  static void fields(V&& v) {
    using P = Blame;
    v("layer", &P::layer);
    v("part", &P::part);
    v("bits", &P::bits);
    v("without", &P::without);
    v("without_error", &P::without_error);
    v("alone", &P::alone);
    v("alone_error", &P::alone_error);
  }
};

/// A sample of which floats and integers say different classes, by their names.
struct Differing {
  std::string sample, expected, floats, integers;
  template <class V>
  static void fields(V&& v) {
    using P = Differing;
    v("sample", &P::sample);
    v("expected", &P::expected);
    v("floats", &P::floats);
    v("integers", &P::integers);
  }
};

/// Decisions about one target, a row for each expected class, a column for each that was found.
struct Confusion {
  std::string target;
  std::vector<std::string> classes;
  std::vector<int64_t> integers, floats;  ///< row by row; floats: empty where they were not run
  std::vector<Differing> differing;       ///< the first of them
  int64_t differing_in_all = 0;
  template <class V>
  static void fields(V&& v) {
    using P = Confusion;
    v("target", &P::target);
    v("classes", &P::classes);
    v("integers", &P::integers);
    v("floats", &P::floats);
    v("differing", &P::differing);
    v("differing_in_all", &P::differing_in_all);
  }
};

/// A line of a chart.
struct Series {
  std::string name;
  std::vector<double> x, y;
  template <class V>
  static void fields(V&& v) {
    using P = Series;
    v("name", &P::name);
    v("x", &P::x);
    v("y", &P::y);
  }
};

struct Curve {
  std::string name, x_title, y_title;
  std::vector<Series> series;
  template <class V>
  static void fields(V&& v) {
    using P = Curve;
    v("name", &P::name);
    v("x_title", &P::x_title);
    v("y_title", &P::y_title);
    v("series", &P::series);
  }
};

/// One of the exports that were compared.
struct Point {
  int64_t number = 0;
  std::string name;  ///< its widths, effort and budget
  double score = 0;  ///< share of 1, or minus the mean squared error
  int64_t ram = 0, flash = 0;
  int64_t dominated_by = 0;  ///< number of one that is better; 0: none is
  std::string command;
  template <class V>
  static void fields(V&& v) {
    using P = Point;
    v("number", &P::number);
    v("name", &P::name);
    v("score", &P::score);
    v("ram", &P::ram);
    v("flash", &P::flash);
    v("dominated_by", &P::dominated_by);
    v("command", &P::command);
  }
};

/// What a program has to give the network.
struct Feed {
  std::vector<Fact> facts;
  std::vector<std::string> labels;  ///< of the classes of the first output
  std::string call;                 ///< lines of a program
  bool empty() const { return facts.empty() && labels.empty() && call.empty(); }
  template <class V>
  static void fields(V&& v) {
    using P = Feed;
    v("facts", &P::facts);
    v("labels", &P::labels);
    v("call", &P::call);
  }
};

/// Everything that report.html shows and report.json has.
struct Report {
  int64_t format = 1;
  std::string kind;     ///< "export", "analysis", "learning", "pareto"
  std::string network;  ///< its name
  std::string title;    ///< "CPP, int8"
  std::vector<Tile> tiles;
  std::vector<Layer> layers;
  MemoryMap memory;
  std::vector<Histogram> histograms;
  std::vector<Blame> blame;
  std::vector<Confusion> confusions;  ///< of each target with classes
  std::vector<Curve> curves;
  std::vector<Point> points;
  std::vector<NamedBytes> flash;  ///< by kind
  Feed feed;
  std::vector<Fact> about;       ///< the rows of the README
  std::vector<Fact> provenance;  ///< of provenance.json
  std::vector<std::string> warnings;
  template <class V>
  static void fields(V&& v) {
    using P = Report;
    v("format", &P::format);
    v("kind", &P::kind);
    v("network", &P::network);
    v("title", &P::title);
    v("tiles", &P::tiles);
    v("layers", &P::layers);
    v("memory", &P::memory);
    v("histograms", &P::histograms);
    v("blame", &P::blame);
    v("confusions", &P::confusions);
    v("curves", &P::curves);
    v("points", &P::points);
    v("flash", &P::flash);
    v("feed", &P::feed);
    v("about", &P::about);
    v("provenance", &P::provenance);
    v("warnings", &P::warnings);
  }
};

/// Bytes that are in use at a step: those that some box covers.
int64_t bytes_in_use(const MemoryMap& map, int64_t step);

}  // namespace n2d2::report
