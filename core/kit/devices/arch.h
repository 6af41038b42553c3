/* What a device can do: peaks and bandwidth, of a bundled device or from a file. */
/* SPDX-License-Identifier: MIT */
#ifndef KIT_ARCH_H
#define KIT_ARCH_H

#include <stagemill/types.h>

enum { MAX_PEAKS = 24, SPEC_BYTES = 24 };

/* The names of the bundled devices, as people read them. */
#define ARCH_NAMES "MI300X, MI325X, MI350X, A100, H100, H200, B200"
#define ARCH_LAST_NAME "GB200"

typedef struct ArchPeak {
  char spec[SPEC_BYTES]; /* matrix_bf16 */
  double tflops;
  double
      limit_tflops; /* where kernels reach less than the device could: what it could; 0: tflops */
} ArchPeak;

typedef struct Arch {
  bool known;
  double mem_bw_gbps; /* 1e9 bytes a second */
  ArchPeak peaks[MAX_PEAKS];
  uint32_t n_peaks;
} Arch;

/* A name, what is in a file, or "" for none.  0, or what `open` returns. */
int arch_read(const MillHost *, const char *text, Arch *out);
/* False: no bundled device has that name. */
bool arch_bundled(const char *name, Arch *out);
/* Of a spec; vector peaks that are not given are that of vector_fp32; 0: not known. */
double arch_peak(const Arch *, const char *spec);
/* The same of what nothing can exceed. */
double arch_limit(const Arch *, const char *spec);

#endif
