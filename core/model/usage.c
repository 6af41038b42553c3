/* What this process has used so far. */
/* SPDX-License-Identifier: MIT */
#include "model/usage.h"

#include <stdio.h>
#include <sys/resource.h>
#include <time.h>

static uint64_t high_water_kib(void)
{
  char line[256];
  unsigned long long kib = 0;
  FILE *status = fopen("/proc/self/status", "re");
  while (status && fgets(line, sizeof line, status))
    if (sscanf(line, "VmHWM: %llu", &kib) == 1) break;
  if (status) fclose(status);
  return kib;
}

uint64_t usage_peak_bytes(void)
{
  struct rusage usage;
  uint64_t kib = high_water_kib();
  if (!kib && getrusage(RUSAGE_SELF, &usage) == 0) kib = (uint64_t)usage.ru_maxrss;
  return kib * 1024;
}

uint64_t usage_cpu_ns(void)
{
  struct rusage usage;
  if (getrusage(RUSAGE_SELF, &usage)) return 0;
  return (uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000000u +
         (uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000u;
}

int64_t usage_clock_ns(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}
