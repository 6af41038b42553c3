/* Devices and files of them; see arch.h.
 *
 * Sources: MI300X: rates that its owners reached, as in TraceLens' example of a file; vector peaks and those of MI325X: AMD's
 * data sheets of the two (peak, dense), as are the limits; fp32 is limited by TF32, which products may compute it with, and on MI350X by
 * a third of bf16, with which TF32 is emulated there.  MI350X: AMD's data sheet, dense.  H100 (SXM) and A100 (SXM, 80 GB): NVIDIA's data sheets, dense, without sparsity.
 * H200 (SXM): NVIDIA's data sheet; its rates are those of H100.  B200 (HGX, 1000 W) and GB200 (one of its GPUs, 1200 W): NVIDIA's
 * brief of the Blackwell architecture, halves of what it gives with sparsity. */
/* SPDX-License-Identifier: MIT */
#include "kit/devices/arch.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/num.h"

static const struct {
  const char *name;
  Arch arch;
} bundled[] = {
  { "MI300X",
    { true,
      5300,
      { { "matrix_bf16", 708, 1307.4 },
        { "matrix_fp16", 654, 1307.4 },
        { "matrix_fp32", 163, 653.7 },
        { "matrix_fp64", 81, 163.4 },
        { "matrix_fp8", 1273, 2614.9 },
        { "matrix_int8", 2600, 2614.9 },
        { "vector_fp32", 163.4 },
        { "vector_fp64", 81.7 } },
      8 } },
  { "MI325X",
    { true,
      6000,
      { { "matrix_bf16", 1307.4 },
        { "matrix_fp16", 1307.4 },
        { "matrix_fp32", 163.4, 653.7 },
        { "matrix_fp64", 163.4 },
        { "matrix_fp8", 2614.9 },
        { "matrix_int8", 2614.9 },
        { "vector_fp32", 163.4 },
        { "vector_fp64", 81.7 } },
      8 } },
  { "H100",
    { true,
      3350,
      { { "matrix_bf16", 989.4 },
        { "matrix_fp16", 989.4 },
        { "matrix_fp32", 494.7 },
        { "matrix_fp64", 66.9 },
        { "matrix_fp8", 1978.9 },
        { "matrix_int8", 1978.9 },
        { "vector_fp32", 66.9 },
        { "vector_fp64", 33.5 } },
      8 } },
  { "MI350X",
    { true,
      8000,
      { { "matrix_bf16", 2306.9 },
        { "matrix_fp16", 2306.9 },
        { "matrix_fp32", 144.2, 769 },
        { "matrix_fp64", 72.1 },
        { "matrix_fp8", 4613.7 },
        { "matrix_fp4", 9227.5 },
        { "matrix_int8", 4613.7 },
        { "vector_fp32", 144.2 },
        { "vector_fp64", 72.1 } },
      9 } },
  { "H200",
    { true,
      4800,
      { { "matrix_bf16", 989.4 },
        { "matrix_fp16", 989.4 },
        { "matrix_fp32", 494.7 },
        { "matrix_fp64", 66.9 },
        { "matrix_fp8", 1978.9 },
        { "matrix_int8", 1978.9 },
        { "vector_fp32", 66.9 },
        { "vector_fp64", 33.5 } },
      8 } },
  { "B200",
    { true,
      8000,
      { { "matrix_bf16", 2250 },
        { "matrix_fp16", 2250 },
        { "matrix_fp32", 1100 },
        { "matrix_fp64", 40 },
        { "matrix_fp8", 4500 },
        { "matrix_fp4", 9000 },
        { "matrix_int8", 4500 },
        { "vector_fp32", 80 },
        { "vector_fp64", 40 } },
      9 } },
  { "GB200",
    { true,
      8000,
      { { "matrix_bf16", 2500 },
        { "matrix_fp16", 2500 },
        { "matrix_fp32", 1250 },
        { "matrix_fp64", 45 },
        { "matrix_fp8", 5000 },
        { "matrix_fp4", 10000 },
        { "matrix_int8", 5000 },
        { "vector_fp32", 90 },
        { "vector_fp64", 45 } },
      9 } },
  { "A100",
    { true,
      2039,
      { { "matrix_bf16", 312 },
        { "matrix_fp16", 312 },
        { "matrix_fp32", 156 },
        { "matrix_fp64", 19.5 },
        { "matrix_int8", 624 },
        { "vector_fp32", 19.5 },
        { "vector_fp64", 9.7 } },
      7 } },
};

/* ---- files */

typedef struct Reader {
  const MillHost *common;
  const char *text;
  JsonCursor cursor;
  Arch *out;
} Reader;

static int fail_at(const Reader *r, const char *at, const char *why)
{
  char what[96];
  JsonPlace place = json_place(r->text, (size_t)(at - r->text));
  snprintf(what, sizeof what, "the file of arch is not as it should be in line %u, column %u",
           place.line, place.column);
  const MillFailure f = {
    .size = sizeof f,
    .status = MILL_STAGE_FAILED,
    .line = __LINE__,
    .file = __FILE__,
    .what = what,
    .why = why,
    .help = "it is like {\"mem_bw_gbps\": 5300, \"max_achievable_tflops\": {\"matrix_bf16\": 708}}"
  };
  return r->common->fail(r->common, &f);
}

/* A positive number. */
static int read_number(Reader *r, double *out)
{
  JsonToken t;
  JsonKind kind = json_skip(&r->cursor, &t);
  if (kind == JSON_ERROR) return fail_at(r, r->cursor.error_at, r->cursor.error);
  if (kind != JSON_NUMBER || !num_real(t.start, t.len, out) || *out <= 0)
    return fail_at(r, t.start, "a number above 0 belongs here");
  return 0;
}

static ArchPeak *find_peak(Arch *a, const char *spec)
{
  for (uint32_t i = 0; i < a->n_peaks; i++)
    if (strcmp(a->peaks[i].spec, spec) == 0) return &a->peaks[i];
  return NULL;
}

static int read_peak(Reader *r, const JsonToken *key, bool is_limit)
{
  Arch *a = r->out;
  char spec[SPEC_BYTES];
  bool named = json_word(key, spec, sizeof spec) && strlen(spec) > 7 &&
               (g_str_has_prefix(spec, "matrix_") || g_str_has_prefix(spec, "vector_"));
  if (!named) return fail_at(r, key->start, "the name begins with matrix_ or vector_");
  ArchPeak *peak = find_peak(a, spec);
  if (!peak) {
    if (a->n_peaks == MAX_PEAKS) return fail_at(r, key->start, "there are more than 24 peaks");
    peak = &a->peaks[a->n_peaks++];
    g_strlcpy(peak->spec, spec, sizeof peak->spec);
  }
  return read_number(r, is_limit ? &peak->limit_tflops : &peak->tflops);
}

static int read_peaks(Reader *r, bool are_limits)
{
  JsonToken t;
  if (json_next(&r->cursor, &t) != JSON_OBJECT)
    return fail_at(r, t.start, "an object belongs here");
  for (;;) {
    JsonKind kind = json_next(&r->cursor, &t);
    if (kind == JSON_OBJECT_END) return 0;
    if (kind != JSON_KEY) return fail_at(r, r->cursor.error_at, r->cursor.error);
    int status = read_peak(r, &t, are_limits);
    if (status < 0) return status;
  }
}

/* Other members say something for people. */
static int read_member(Reader *r, const JsonToken *key)
{
  JsonToken t;
  if (json_is(key, "mem_bw_gbps")) return read_number(r, &r->out->mem_bw_gbps);
  if (json_is(key, "max_achievable_tflops")) return read_peaks(r, false);
  if (json_is(key, "peak_tflops")) return read_peaks(r, true);
  if (json_skip(&r->cursor, &t) == JSON_ERROR)
    return fail_at(r, r->cursor.error_at, r->cursor.error);
  return 0;
}

static int read_file(Reader *r)
{
  JsonToken t;
  JsonKind kind = json_next(&r->cursor, &t);
  if (kind == JSON_ERROR) return fail_at(r, r->cursor.error_at, r->cursor.error);
  if (kind != JSON_OBJECT) return fail_at(r, r->text, "an object belongs here");
  while ((kind = json_next(&r->cursor, &t)) == JSON_KEY) {
    int status = read_member(r, &t);
    if (status < 0) return status;
  }
  if (kind != JSON_OBJECT_END || json_next(&r->cursor, &t) == JSON_ERROR)
    return fail_at(r, r->cursor.error_at, r->cursor.error);
  if (r->out->mem_bw_gbps <= 0) return fail_at(r, r->text, "mem_bw_gbps is missing");
  r->out->known = true;
  return 0;
}

bool arch_bundled(const char *name, Arch *out)
{
  uint32_t i = 0;
  while (i < MILL_COUNT(bundled) && strcmp(name, bundled[i].name) != 0) i++;
  if (i < MILL_COUNT(bundled)) *out = bundled[i].arch;
  return i < MILL_COUNT(bundled);
}

int arch_read(const MillHost *common, const char *text, Arch *out)
{
  const char *p = text;
  *out = (Arch){ 0 };
  while (*p && (unsigned char)*p <= ' ') p++;
  if (!*p) return 0;
  if (arch_bundled(p, out)) return 0;
  if (*p != '{')
    return mill_fail(common, MILL_STAGE_FAILED, "arch is neither a file nor the name of a device",
                     "known are " ARCH_NAMES " and " ARCH_LAST_NAME);
  Reader r = { .common = common, .text = text, .out = out };
  json_open(&r.cursor, text, strlen(text), true);
  return read_file(&r);
}

/* What `of` says of the spec, or of vector_fp32 for other vectors. */
static double look_up(const Arch *a, const char *spec, double (*of)(const ArchPeak *))
{
  double fp32 = 0;
  for (uint32_t i = 0; i < a->n_peaks; i++) {
    if (strcmp(a->peaks[i].spec, spec) == 0) return of(&a->peaks[i]);
    if (strcmp(a->peaks[i].spec, "vector_fp32") == 0) fp32 = of(&a->peaks[i]);
  }
  return strncmp(spec, "vector_", 7) == 0 ? fp32 : 0;
}

static double peak_of(const ArchPeak *p) { return p->tflops > 0 ? p->tflops : p->limit_tflops; }
static double limit_of(const ArchPeak *p) { return fmax(p->tflops, p->limit_tflops); }

double arch_peak(const Arch *a, const char *spec) { return look_up(a, spec, peak_of); }
double arch_limit(const Arch *a, const char *spec) { return look_up(a, spec, limit_of); }
