/* Whether a document is rocprofv3's: the name of its tool stands at its beginning. */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "rocprof-json.h"

int roc_probe(const MillSource *self, const char *bytes, size_t len, const char *name)
{
  static const char key[] = "\"rocprofiler-sdk-tool\"";
  const size_t n = sizeof key - 1;
  const char *end = bytes + len, *p = bytes;
  (void)self, (void)name;
  if (len >= 3 && !memcmp(bytes, "\xef\xbb\xbf", 3)) p += 3;
  while (p < end && scan_is_space(*p)) p++;
  if (p == end || *p++ != '{') return 0;
  while (p < end && scan_is_space(*p)) p++;
  if ((size_t)(end - p) >= n && !memcmp(p, key, n)) return 95;
  return memmem(p, (size_t)(end - p), key, n) ? 90 : 0;
}
