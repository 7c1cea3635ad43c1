// Answers: how is a blob of loopback run? Its calls, one after the other, with the kernels that ship.
// Part of an exported project; may be used without condition.
//
// N2D2_LOOPBACK_SOME: only what other macros name is compiled in: kernels (N2D2_LOOPBACK_<kernel>), types of
// input and output elements (N2D2_LOOPBACK_<in>_<out>), kinds of factors (N2D2_LOOPBACK_FACTORS,
// N2D2_LOOPBACK_MULTIPLIERS), and sums of more than two operands (N2D2_LOOPBACK_OPERANDS).
#define N2D2_ONE_COPY  // configs are read at run time: there is nothing to specialise
#include <string.h>

#include "../../../../export/CPP/delegates/delegate.h"
#include "../../../../export/CPP/kernels/concat.hpp"
#include "../../../../export/CPP/kernels/conv.hpp"
#include "../../../../export/CPP/kernels/conv_depthwise.hpp"
#include "../../../../export/CPP/kernels/elemwise.hpp"
#include "../../../../export/CPP/kernels/fc.hpp"
#include "../../../../export/CPP/kernels/padding.hpp"
#include "../../../../export/CPP/kernels/pool.hpp"
#include "../../../../export/CPP/kernels/reshape.hpp"
#include "../../../../export/CPP/kernels/scaling.hpp"
#include "blob.hpp"

#ifndef N2D2_LOOPBACK_SOME
#define N2D2_LOOPBACK_average_pool
#define N2D2_LOOPBACK_concat_part
#define N2D2_LOOPBACK_conv2d
#define N2D2_LOOPBACK_conv2d_depthwise
#define N2D2_LOOPBACK_fc
#define N2D2_LOOPBACK_max_pool
#define N2D2_LOOPBACK_pad_map
#define N2D2_LOOPBACK_reshape_copy
#define N2D2_LOOPBACK_scaling
#define N2D2_LOOPBACK_sum
#define N2D2_LOOPBACK_U8_U8
#define N2D2_LOOPBACK_U8_I8
#define N2D2_LOOPBACK_I8_U8
#define N2D2_LOOPBACK_I8_I8
#define N2D2_LOOPBACK_U16_U16
#define N2D2_LOOPBACK_U16_I16
#define N2D2_LOOPBACK_I16_U16
#define N2D2_LOOPBACK_I16_I16
#define N2D2_LOOPBACK_F32_F32
#define N2D2_LOOPBACK_FACTORS
#define N2D2_LOOPBACK_MULTIPLIERS
#define N2D2_LOOPBACK_OPERANDS
#endif

extern "C" {
int N2D2_Export_loopback_init(void* handle, const void* blob, size_t size);
int N2D2_Export_loopback_execute(void* handle, const N2D2_Export_Arguments* arguments);
}

namespace {

namespace format = N2D2_Export::loopback;
namespace kernels = N2D2_EXPORT_NAMESPACE;

// What init leaves behind; a copy of the blob follows where the blob asks for it. `guard` follows from the
// other one and from where the handle lies.
struct Handle {
  const unsigned char* blob;
  uintptr_t guard;
};

uintptr_t guard_of(const void* handle, const unsigned char* blob) {
  return ~(reinterpret_cast<uintptr_t>(handle) ^ reinterpret_cast<uintptr_t>(blob));
}

const int32_t* words_of(const unsigned char* blob) {
  return static_cast<const int32_t*>(static_cast<const void*>(blob));
}

// One call as the blob has it, with what it works on.
struct Step {
  const int32_t* words;
  const unsigned char* blob;
  unsigned char* scratch;

  int kernel() const { return words[1]; }
  int in_type() const { return words[2]; }
  int out_type() const { return words[3]; }
  bool has_multipliers() const { return words[4] != 0; }
  kernels::Rows rows() const {
    const kernels::Rows r = {words[5], words[6]};
    return r;
  }
  int debug_handle() const { return words[7]; }
  int inputs() const { return words[8]; }
  const int32_t* config() const { return words + format::kCallWords + inputs() + 1 + format::kConstants; }
  template <class T>
  const T* in(int i) const {
    return static_cast<const T*>(static_cast<const void*>(scratch + words[format::kCallWords + i]));
  }
  template <class T>
  T* out() const {
    return static_cast<T*>(static_cast<void*>(scratch + words[format::kCallWords + inputs()]));
  }
  template <class T>
  const T* constant(int i) const {
    const int32_t offset = words[format::kCallWords + inputs() + 1 + i];
    return static_cast<const T*>(static_cast<const void*>(blob + offset));
  }
};

// ---- configs ----

// The value that a word holds. Classes: in a network without floats nobody asks for one.
template <class T>
struct Word {
  static T value(int32_t word) { return static_cast<T>(word); }
};
template <>
struct Word<float> {
  static float value(int32_t word) {
    float value;
    memcpy(&value, &word, sizeof value);
    return value;
  }
};

#define N2D2_LOOPBACK_MEMBER(type, name) type name;
#define N2D2_LOOPBACK_TAKE(type, name) name = Word<type>::value(*words++);
#define N2D2_LOOPBACK_CONFIG(kernel, members)                                                     \
  template <class Bound>                                                                          \
  struct Config_##kernel {                                                                        \
    members(N2D2_LOOPBACK_MEMBER) void set(const int32_t*& words) { members(N2D2_LOOPBACK_TAKE) } \
  };
N2D2_LOOPBACK_KERNELS(N2D2_LOOPBACK_CONFIG)
template <class Factor>
struct OperandConfig {
  N2D2_LOOPBACK_OPERAND(N2D2_LOOPBACK_MEMBER)
  void set(const int32_t*& words) { N2D2_LOOPBACK_OPERAND(N2D2_LOOPBACK_TAKE) }
};

template <class In>
struct Net {
  typedef int Bound;
  typedef int32_t Factor;
};
template <>
struct Net<float> {
  typedef float Bound;
  typedef float Factor;
};
template <class In>
struct Parameters {
  typedef int8_t Weight;
  typedef int32_t Sum;
};
template <>
struct Parameters<uint16_t> {
  typedef int16_t Weight;
  typedef int64_t Sum;
};
template <>
struct Parameters<int16_t> : Parameters<uint16_t> {};
template <>
struct Parameters<float> {
  typedef float Weight;
  typedef float Sum;
};

// ---- kernels: run() of a step whose elements are In and Out ----

// Config, input, output.
#define N2D2_LOOPBACK_PLAIN(kernel)                            \
  struct Run_##kernel {                                        \
    template <class In, class Out>                             \
    static void run(const Step& s) {                           \
      Config_##kernel<typename Net<In>::Bound> c;              \
      const int32_t* words = s.config();                       \
      c.set(words);                                            \
      kernels::kernel(c, s.rows(), s.in<In>(0), s.out<Out>()); \
    }                                                          \
  };
// And factors: run() of a kernel calls call() with them as what they are.
#ifdef N2D2_LOOPBACK_FACTORS
enum { kHasFactors = 1 };
#else
enum { kHasFactors = 0 };
#endif
#ifdef N2D2_LOOPBACK_MULTIPLIERS
enum { kHasMultipliers = 1 };
#else
enum { kHasMultipliers = 0 };
#endif
template <bool is_in>
struct WithFactors {
  template <class K, class Factor, class In, class Out, class C>
  static void run(const C& c, const Step& s) {
    K::template call<In, Out>(c, s, s.constant<Factor>(K::kFactors));
  }
};
template <>
struct WithFactors<false> {
  template <class K, class Factor, class In, class Out, class C>
  static void run(const C&, const Step&) {}
};
template <class K, class In, class Out, class C>
void run_scaled(const Step& s) {
  C c;
  const int32_t* words = s.config();
  c.set(words);
  if (s.has_multipliers())
    WithFactors<kHasMultipliers != 0>::run<K, int32_t, In, Out>(c, s);
  else
    WithFactors<kHasFactors != 0>::run<K, float, In, Out>(c, s);
}
#define N2D2_LOOPBACK_SCALED(kernel)                                                   \
  struct Run_##kernel {                                                                \
    enum { kFactors = 0 };                                                             \
    template <class In, class Out, class C, class Factor>                              \
    static void call(const C& c, const Step& s, const Factor* factors) {               \
      kernels::kernel(c, s.rows(), s.in<In>(0), s.out<Out>(), factors);                \
    }                                                                                  \
    template <class In, class Out>                                                     \
    static void run(const Step& s) {                                                   \
      run_scaled<Run_##kernel, In, Out, Config_##kernel<typename Net<In>::Bound> >(s); \
    }                                                                                  \
  };
// Weights, biases and factors.
#define N2D2_LOOPBACK_WEIGHTED(kernel)                                                 \
  struct Run_##kernel {                                                                \
    enum { kFactors = 2 };                                                             \
    template <class In, class Out, class C, class Factor>                              \
    static void call(const C& c, const Step& s, const Factor* factors) {               \
      kernels::kernel(c, s.rows(), s.in<In>(0), s.out<Out>(),                          \
                      s.constant<typename Parameters<In>::Weight>(0),                  \
                      s.constant<typename Parameters<In>::Sum>(1), factors);           \
    }                                                                                  \
    template <class In, class Out>                                                     \
    static void run(const Step& s) {                                                   \
      run_scaled<Run_##kernel, In, Out, Config_##kernel<typename Net<In>::Bound> >(s); \
    }                                                                                  \
  };

#ifdef N2D2_LOOPBACK_average_pool
N2D2_LOOPBACK_SCALED(average_pool)
#endif
#ifdef N2D2_LOOPBACK_concat_part
N2D2_LOOPBACK_PLAIN(concat_part)
#endif
#ifdef N2D2_LOOPBACK_conv2d
N2D2_LOOPBACK_WEIGHTED(conv2d)
#endif
#ifdef N2D2_LOOPBACK_conv2d_depthwise
N2D2_LOOPBACK_WEIGHTED(conv2d_depthwise)
#endif
#ifdef N2D2_LOOPBACK_fc
N2D2_LOOPBACK_WEIGHTED(fc)
#endif
#ifdef N2D2_LOOPBACK_max_pool
N2D2_LOOPBACK_PLAIN(max_pool)
#endif
#ifdef N2D2_LOOPBACK_pad_map
N2D2_LOOPBACK_PLAIN(pad_map)
#endif
#ifdef N2D2_LOOPBACK_reshape_copy
N2D2_LOOPBACK_PLAIN(reshape_copy)
#endif
#ifdef N2D2_LOOPBACK_scaling
N2D2_LOOPBACK_SCALED(scaling)
#endif

#ifdef N2D2_LOOPBACK_sum
#ifdef N2D2_LOOPBACK_OPERANDS
enum { kOperands = format::kMaxOperands };
#else
enum { kOperands = 2 };
#endif

// Unfolds the operands of a blob into the variadic call of elemwise.hpp; `left` more may come.
template <int left, class In, class Out, class C, class P, class... Operands>
struct Operate {
  static void run(const Step& s, const C& c, const P* configs, const Operands&... operands) {
    const int i = static_cast<int>(sizeof...(Operands));
    if (i == s.inputs()) return kernels::sum(c, s.rows(), s.out<Out>(), operands...);
    typedef kernels::Operand<P, In> Next;
    const Next next = kernels::operand(configs[i], s.in<In>(i));
    Operate<left - 1, In, Out, C, P, Operands..., Next>::run(s, c, configs, operands..., next);
  }
};
template <class In, class Out, class C, class P, class... Operands>
struct Operate<0, In, Out, C, P, Operands...> {
  static void run(const Step& s, const C& c, const P*, const Operands&... operands) {
    kernels::sum(c, s.rows(), s.out<Out>(), operands...);
  }
};

struct Run_sum {
  template <class In, class Out>
  static void run(const Step& s) {
    typedef Config_sum<typename Net<In>::Bound> Layer;
    typedef OperandConfig<typename Net<In>::Factor> One;
    Layer c;
    One configs[format::kMaxOperands];
    const int32_t* words = s.config();
    c.set(words);
    for (int i = 0; i < s.inputs(); ++i) configs[i].set(words);
    const kernels::Operand<One, In> first = kernels::operand(configs[0], s.in<In>(0));
    Operate<kOperands - 1, In, Out, Layer, One, kernels::Operand<One, In> >::run(s, c, configs, first);
  }
};
#endif

// ---- types of elements ----

// Whether the types are compiled in; with `is_wanted`, runs the step.
template <class K>
bool with_types(const Step& s, bool is_wanted) {
  switch (s.in_type() * 8 + s.out_type()) {
#define N2D2_LOOPBACK_TYPES(kind_in, In, kind_out, Out) \
  case format::kind_in * 8 + format::kind_out:          \
    if (is_wanted) K::template run<In, Out>(s);         \
    return true;
#ifdef N2D2_LOOPBACK_U8_U8
    N2D2_LOOPBACK_TYPES(kU8, uint8_t, kU8, uint8_t)
#endif
#ifdef N2D2_LOOPBACK_U8_I8
    N2D2_LOOPBACK_TYPES(kU8, uint8_t, kI8, int8_t)
#endif
#ifdef N2D2_LOOPBACK_I8_U8
    N2D2_LOOPBACK_TYPES(kI8, int8_t, kU8, uint8_t)
#endif
#ifdef N2D2_LOOPBACK_I8_I8
    N2D2_LOOPBACK_TYPES(kI8, int8_t, kI8, int8_t)
#endif
#ifdef N2D2_LOOPBACK_U16_U16
    N2D2_LOOPBACK_TYPES(kU16, uint16_t, kU16, uint16_t)
#endif
#ifdef N2D2_LOOPBACK_U16_I16
    N2D2_LOOPBACK_TYPES(kU16, uint16_t, kI16, int16_t)
#endif
#ifdef N2D2_LOOPBACK_I16_U16
    N2D2_LOOPBACK_TYPES(kI16, int16_t, kU16, uint16_t)
#endif
#ifdef N2D2_LOOPBACK_I16_I16
    N2D2_LOOPBACK_TYPES(kI16, int16_t, kI16, int16_t)
#endif
#ifdef N2D2_LOOPBACK_F32_F32
    N2D2_LOOPBACK_TYPES(kFloat, float, kFloat, float)
#endif
    default:
      return false;
  }
}

bool run_step(const Step& s, bool is_wanted) {
  (void)is_wanted;
  switch (s.kernel()) {
#define N2D2_LOOPBACK_CASE(kernel) \
  case format::kernel_##kernel:    \
    return with_types<Run_##kernel>(s, is_wanted);
#ifdef N2D2_LOOPBACK_average_pool
    N2D2_LOOPBACK_CASE(average_pool)
#endif
#ifdef N2D2_LOOPBACK_concat_part
    N2D2_LOOPBACK_CASE(concat_part)
#endif
#ifdef N2D2_LOOPBACK_conv2d
    N2D2_LOOPBACK_CASE(conv2d)
#endif
#ifdef N2D2_LOOPBACK_conv2d_depthwise
    N2D2_LOOPBACK_CASE(conv2d_depthwise)
#endif
#ifdef N2D2_LOOPBACK_fc
    N2D2_LOOPBACK_CASE(fc)
#endif
#ifdef N2D2_LOOPBACK_max_pool
    N2D2_LOOPBACK_CASE(max_pool)
#endif
#ifdef N2D2_LOOPBACK_pad_map
    N2D2_LOOPBACK_CASE(pad_map)
#endif
#ifdef N2D2_LOOPBACK_reshape_copy
    N2D2_LOOPBACK_CASE(reshape_copy)
#endif
#ifdef N2D2_LOOPBACK_scaling
    N2D2_LOOPBACK_CASE(scaling)
#endif
#ifdef N2D2_LOOPBACK_sum
    N2D2_LOOPBACK_CASE(sum)
#endif
    default:
      return false;
  }
}

// ---- inputs and outputs ----

// Copies the pixels of an input or output between the scratch and the caller.
void move_end(const int32_t* end, unsigned char* scratch, const unsigned char* from, unsigned char* to,
              ptrdiff_t pitch) {
  const int width = end[1], height = end[2], pixel = end[4], row = end[5], ring = end[6], first = end[7];
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      const ptrdiff_t inside = static_cast<ptrdiff_t>(y) * row + static_cast<ptrdiff_t>(x) * pixel -
                               (ring > 0 ? (y + first) / ring * static_cast<ptrdiff_t>(end[8]) : 0);
      const ptrdiff_t outside = (static_cast<ptrdiff_t>(y) * width + x) * pitch;
      if (from)
        memcpy(scratch + end[0] + inside, from + outside, static_cast<size_t>(end[3]));
      else
        memcpy(to + outside, scratch + end[0] + inside, static_cast<size_t>(end[3]));
    }
}

const int32_t* calls_of(const int32_t* words) {
  return words + format::kHeaderWords + (words[2] + words[3]) * format::kEndWords;
}

// Factors and operands of the step are compiled in. Kernels without factors have the kind of their layer,
// too.
bool has_rest(const Step& s) {
#ifndef N2D2_LOOPBACK_OPERANDS
  if (s.inputs() > 2) return false;
#endif
  return s.has_multipliers() ? kHasMultipliers != 0 : kHasFactors != 0;
}

// The blob's calls lie within it, and all of them can be run.
int check(const unsigned char* blob, size_t size) {
  const int32_t* words = words_of(blob);
  const size_t all = size / sizeof(int32_t);
  if (all < format::kHeaderWords || words[0] != format::kMagic || words[1] < 0 ||
      static_cast<size_t>(words[1]) != size || words[2] < 0 || words[3] < 0 || words[4] < 0)
    return format::kBlobBroken;
  const int32_t ends = static_cast<int32_t>(all) / format::kEndWords;
  if (words[2] > ends || words[3] > ends - words[2]) return format::kBlobBroken;
  const int32_t* call = calls_of(words);
  for (int i = 0; i < words[4]; ++i) {
    const ptrdiff_t left = words + all - call;
    if (left < format::kCallWords || call[0] < format::kCallWords || call[0] > left)
      return format::kBlobBroken;
    const Step step = {call, blob, 0};
    if (step.inputs() < 1 || step.inputs() > format::kMaxOperands) return format::kBlobBroken;
    if (!run_step(step, false) || !has_rest(step)) return format::kNotCompiled;
    call += call[0];
  }
  return format::kDone;
}

}  // namespace

int N2D2_Export_loopback_init(void* handle, const void* blob, size_t size) {
  const unsigned char* bytes = static_cast<const unsigned char*>(blob);
  const int code = check(bytes, size);
  if (code != format::kDone) return code;
  if (words_of(bytes)[5] != 0) {
    const uintptr_t place = reinterpret_cast<uintptr_t>(handle) + sizeof(Handle) + format::kAlignment - 1;
    unsigned char* copy = reinterpret_cast<unsigned char*>(place / format::kAlignment * format::kAlignment);
    memcpy(copy, bytes, size);
    bytes = copy;
  }
  const Handle made = {bytes, guard_of(handle, bytes)};
  memcpy(handle, &made, sizeof made);
  return format::kDone;
}

int N2D2_Export_loopback_execute(void* handle, const N2D2_Export_Arguments* arguments) {
  Handle made;
  memcpy(&made, handle, sizeof made);
  if (made.guard != guard_of(handle, made.blob)) return format::kHandleLost;
  const int32_t* words = words_of(made.blob);
  unsigned char* scratch = static_cast<unsigned char*>(arguments->scratch);
  const int32_t* end = words + format::kHeaderWords;
  for (int i = 0; i < words[2]; ++i, end += format::kEndWords)
    move_end(end, scratch, static_cast<const unsigned char*>(arguments->in[i].data), 0,
             arguments->in[i].pixel);
  const int32_t* call = calls_of(words);
  for (int i = 0; i < words[4]; ++i, call += call[0]) {
    const Step step = {call, made.blob, scratch};
    run_step(step, true);
    if (arguments->step && step.debug_handle() >= 0) arguments->step(step.debug_handle(), arguments->user);
  }
  for (int i = 0; i < words[3]; ++i, end += format::kEndWords)
    move_end(end, scratch, 0, static_cast<unsigned char*>(arguments->out[i].data), arguments->out[i].pixel);
  return format::kDone;
}
