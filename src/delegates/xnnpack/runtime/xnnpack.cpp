// Answers: how is a blob of xnnpack run? As operators of XNNPACK, one after the other, on the caller's
// thread.
// Part of an exported project; may be used without condition. Needs libxnnpack; XNNPACK takes memory from the
// heap for its operators, which destroy gives back.
//
// XNNPACK rescales a sum to its output by rint(float(sum) * scale). That is the rounding of the network
// (rescale.hpp) when inputs and outputs have scale 1 and the weights of each output the network's factor.
#include <string.h>
#include <xnnpack.h>

#include "../../../../export/CPP/delegates/delegate.h"
#include "blob.hpp"

extern "C" {
int N2D2_Export_xnnpack_init(void* handle, const void* blob, size_t size);
int N2D2_Export_xnnpack_execute(void* handle, const N2D2_Export_Arguments* arguments);
void N2D2_Export_xnnpack_destroy(void* handle);
}

namespace {

namespace format = N2D2_Export::xnnpack;

typedef unsigned char Byte;

// An element of an array that may lie anywhere.
template <class T>
T item(const void* array, int32_t index) {
  T out;
  memcpy(&out, static_cast<const Byte*>(array) + static_cast<size_t>(index) * sizeof(T), sizeof(T));
  return out;
}

// A handle: Head, then the maps, then a Work for each step, all of them anywhere.
struct Head {
  uintptr_t guard;  // follows from where the handle lies and from what follows here
  int32_t inputs, outputs, steps;
};
struct Work {
  xnn_operator_t op;
  int32_t kind, debug_handle, in, out, in_h, in_w;
};

static_assert(sizeof(Head) <= format::kHandleBytes, "see blob.hpp");
static_assert(sizeof(format::Map) <= format::kMapBytes, "see blob.hpp");
static_assert(sizeof(Work) <= format::kWorkBytes, "see blob.hpp");

uintptr_t guard_of(const void* handle, const Head& head) {
  const uintptr_t sizes = static_cast<uintptr_t>(head.inputs + 31 * head.outputs + 961 * head.steps);
  return ~(reinterpret_cast<uintptr_t>(handle) ^ sizes);
}

Byte* maps_of(void* handle) {
  return static_cast<Byte*>(handle) + sizeof(Head);
}
Byte* works_of(void* handle, const Head& head) {
  return maps_of(handle) + static_cast<size_t>(head.inputs + head.outputs) * sizeof(format::Map);
}

int failed(int32_t step, xnn_status status) {
  return (1 + step) * 256 + static_cast<int>(status);
}

// Whether `count` things of `size` bytes lie in the blob from `place` on.
bool holds(const format::Header& header, int32_t place, int64_t count, int64_t size) {
  return place >= 0 && count >= 0 && place <= header.bytes && count <= (header.bytes - place) / size;
}

bool is_whole(const format::Header& header, const format::Step& s) {
  if (s.kind == format::kMaxPool) return true;
  if (s.kind != format::kConvolution || s.groups < 1 || s.in_c < s.groups || s.out_c < 1) return false;
  const int64_t taps = static_cast<int64_t>(s.kernel_h) * s.kernel_w * (s.in_c / s.groups);
  return holds(header, s.scales, s.out_c, 4) && holds(header, s.biases, s.out_c, 4) &&
         holds(header, s.weights, s.out_c, taps < 1 ? 1 : taps);
}

const void* blob_at(const void* blob, int32_t offset) {
  return static_cast<const Byte*>(blob) + offset;
}

xnn_status create_convolution(const format::Step& s, const void* blob, xnn_operator_t* op) {
  return xnn_create_convolution2d_nhwc_qc8(
      static_cast<uint32_t>(s.top), static_cast<uint32_t>(s.right), static_cast<uint32_t>(s.bottom),
      static_cast<uint32_t>(s.left), static_cast<uint32_t>(s.kernel_h), static_cast<uint32_t>(s.kernel_w),
      static_cast<uint32_t>(s.stride_h), static_cast<uint32_t>(s.stride_w),
      static_cast<uint32_t>(s.dilation_h), static_cast<uint32_t>(s.dilation_w),
      static_cast<uint32_t>(s.groups), static_cast<size_t>(s.in_c / s.groups),
      static_cast<size_t>(s.out_c / s.groups), static_cast<size_t>(s.in_c), static_cast<size_t>(s.out_c),
      static_cast<int8_t>(s.in_zero), 1.0f, static_cast<const float*>(blob_at(blob, s.scales)),
      static_cast<const int8_t*>(blob_at(blob, s.weights)),
      static_cast<const int32_t*>(blob_at(blob, s.biases)), static_cast<int8_t>(s.out_zero), 1.0f,
      static_cast<int8_t>(s.lo), static_cast<int8_t>(s.hi), 0, op);
}

xnn_status create_max_pool(const format::Step& s, xnn_operator_t* op) {
  const size_t channels = static_cast<size_t>(s.in_c);
  return xnn_create_max_pooling2d_nhwc_s8(
      static_cast<uint32_t>(s.top), static_cast<uint32_t>(s.right), static_cast<uint32_t>(s.bottom),
      static_cast<uint32_t>(s.left), static_cast<uint32_t>(s.kernel_h), static_cast<uint32_t>(s.kernel_w),
      static_cast<uint32_t>(s.stride_h), static_cast<uint32_t>(s.stride_w), 1, 1, channels, channels,
      channels, static_cast<int8_t>(s.lo), static_cast<int8_t>(s.hi), 0, op);
}

xnn_status setup(const Work& work, const Byte* in, Byte* out) {
  const size_t h = static_cast<size_t>(work.in_h), w = static_cast<size_t>(work.in_w);
  const int8_t* from = static_cast<const int8_t*>(static_cast<const void*>(in));
  int8_t* to = static_cast<int8_t*>(static_cast<void*>(out));
  if (work.kind == format::kMaxPool) return xnn_setup_max_pooling2d_nhwc_s8(work.op, 1, h, w, from, to, NULL);
  return xnn_setup_convolution2d_nhwc_qc8(work.op, 1, h, w, from, to, NULL);
}

// Packed pixels from or to pixels at a pitch; an unsigned map gets or loses its 128.
void move_map(const format::Map& map, const Byte* from, ptrdiff_t from_pitch, Byte* to, ptrdiff_t to_pitch) {
  const Byte turn = map.is_unsigned ? 0x80 : 0;
  for (int32_t p = 0; p < map.pixels; ++p)
    for (int32_t c = 0; c < map.channels; ++c)
      to[p * to_pitch + c] = static_cast<Byte>(from[p * from_pitch + c] ^ turn);
}

}  // namespace

int N2D2_Export_xnnpack_init(void* handle, const void* blob, size_t size) {
  format::Header header;
  if (size < sizeof header) return format::kBlobBroken;
  memcpy(&header, blob, sizeof header);
  if (header.magic != format::kMagic || header.bytes < 0 || static_cast<size_t>(header.bytes) != size ||
      header.inputs < 0 || header.outputs < 0 || header.inputs > header.bytes ||
      header.outputs > header.bytes)
    return format::kBlobBroken;
  const int32_t begin = static_cast<int32_t>(sizeof header), maps = header.inputs + header.outputs;
  if (!holds(header, begin, maps, sizeof(format::Map))) return format::kBlobBroken;
  const int32_t steps = begin + maps * static_cast<int32_t>(sizeof(format::Map));
  if (!holds(header, steps, header.steps, sizeof(format::Step))) return format::kBlobBroken;
  for (int32_t i = 0; i < header.steps; ++i)
    if (!is_whole(header, item<format::Step>(blob_at(blob, steps), i))) return format::kBlobBroken;
  if (xnn_initialize(NULL) != xnn_status_success) return format::kNoLibrary;

  Head head = {0, header.inputs, header.outputs, 0};
  memcpy(maps_of(handle), blob_at(blob, begin), static_cast<size_t>(maps) * sizeof(format::Map));
  for (; head.steps < header.steps; ++head.steps) {
    const format::Step s = item<format::Step>(blob_at(blob, steps), head.steps);
    Work work = {NULL, s.kind, s.debug_handle, s.in, s.out, s.in_h, s.in_w};
    const xnn_status status =
        s.kind == format::kMaxPool ? create_max_pool(s, &work.op) : create_convolution(s, blob, &work.op);
    if (status != xnn_status_success) {
      const int code = failed(head.steps, status);
      head.guard = guard_of(handle, head);
      memcpy(handle, &head, sizeof head);
      N2D2_Export_xnnpack_destroy(handle);
      return code;
    }
    memcpy(works_of(handle, head) + static_cast<size_t>(head.steps) * sizeof work, &work, sizeof work);
  }
  head.guard = guard_of(handle, head);
  memcpy(handle, &head, sizeof head);
  return format::kDone;
}

int N2D2_Export_xnnpack_execute(void* handle, const N2D2_Export_Arguments* arguments) {
  const Head head = item<Head>(handle, 0);
  if (head.guard != guard_of(handle, head)) return format::kHandleLost;
  Byte* scratch = static_cast<Byte*>(arguments->scratch);
  for (int32_t i = 0; i < head.inputs; ++i) {
    const format::Map map = item<format::Map>(maps_of(handle), i);
    const N2D2_Export_Source& source = arguments->in[i];
    move_map(map, static_cast<const Byte*>(source.data), source.pixel, scratch + map.place, map.channels);
  }
  for (int32_t i = 0; i < head.steps; ++i) {
    const Work work = item<Work>(works_of(handle, head), i);
    xnn_status status = setup(work, scratch + work.in, scratch + work.out);
    if (status == xnn_status_success) status = xnn_run_operator(work.op, NULL);
    if (status != xnn_status_success) return failed(i, status);
    if (arguments->step) arguments->step(work.debug_handle, arguments->user);
  }
  for (int32_t i = 0; i < head.outputs; ++i) {
    const format::Map map = item<format::Map>(maps_of(handle), head.inputs + i);
    const N2D2_Export_Sink& sink = arguments->out[i];
    move_map(map, scratch + map.place, map.channels, static_cast<Byte*>(sink.data), sink.pixel);
  }
  return format::kDone;
}

void N2D2_Export_xnnpack_destroy(void* handle) {
  Head head = item<Head>(handle, 0);
  if (head.guard != guard_of(handle, head)) return;
  for (int32_t i = 0; i < head.steps; ++i) xnn_delete_operator(item<Work>(works_of(handle, head), i).op);
  head.guard = 0;
  memcpy(handle, &head, sizeof head);
}
