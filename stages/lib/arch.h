/* What a device can do: peaks and bandwidth, of a bundled device or from a file. */
#ifndef STAGE_LIB_ARCH_H
#define STAGE_LIB_ARCH_H

#include <stagemill/types.h>

enum { MAX_PEAKS = 24, SPEC_BYTES = 24 };

typedef struct ArchPeak {
  char spec[SPEC_BYTES]; /* matrix_bf16 */
  double tflops;
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

#endif
