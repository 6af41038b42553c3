/* Tests of torch/memory-bandwidth. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/harness.h>

#define COPY(name, ts, dur, bytes, rate)                               \
  "X \"" name "\" " ts " " dur " p=1 t=9 cat=gpu_memcpy {bytes=" bytes \
  ", memory bandwidth (GB/s)=" rate "}"

/* 10 GB/s over [0,10) and 5 over [5,20) us: 10, 15, 5: (50 + 75 + 50) / 20 = 8.75; the kinds differ in their third word
 * alone.  A fill of no length lasts 1 us. */
static void copies_at_one_time(void)
{
  given(
      COPY("Memcpy HtoD (Pinned -> Device)", "5us", "15us", "75000", "5"),
      COPY("Memcpy HtoD (Pageable -> Device)", "0", "10us", "100000", "10.0"),
      "X \"Memset (Device)\" 50us 0 p=1 t=9 cat=gpu_memset {bytes=4096, memory bandwidth (GB/s)=4}",
      "X k 0 5us p=1 t=7 cat=kernel {bytes=7}");
  expect_table("memory-bandwidth", "0 | Memcpy HtoD | 2 | 175000 | 8.75 | 15 | 20000",
               "0 | Memset | 1 | 4096 | 4 | 4 | 1000");
}

/* Without a rate: 3000 bytes in 1 us are 3 GB/s; without bytes it is not known. */
static void rates_that_are_not_there(void)
{
  given("X MEMORY_COPY_HOST_TO_DEVICE 0 1us p=1 t=9 cat=gpu_memcpy {bytes=3000}",
        "X copy 0 1us p=1 t=9 cat=gpu_memcpy");
  expect_table("memory-bandwidth", "0 | MEMORY_COPY_HOST_TO_DEVICE | 1 | 3000 | 3 | 3 | 1000",
               "0 | copy | 1 | 0 | - | 0 | 0");
}

/* One ends as the next begins: never both. */
static void counters_on_request(void)
{
  with("counters=true");
  given(COPY("Memcpy DtoH", "0", "10us", "5", "2"), COPY("Memcpy DtoH", "10us", "5us", "5", "0.5"));
  expect(COPY("Memcpy DtoH", "0", "10us", "5", "2"), COPY("Memcpy DtoH", "10us", "5us", "5", "0.5"),
         "C \"memory bandwidth Memcpy DtoH\" 0 p=1 t=9 {GB/s=2.0}",
         "C \"memory bandwidth Memcpy DtoH\" 10us p=1 t=9 {GB/s=0.5}",
         "C \"memory bandwidth Memcpy DtoH\" 15us p=1 t=9 {GB/s=0.0}");
  expect_table("memory-bandwidth", "0 | Memcpy DtoH | 2 | 10 | 1.5 | 2 | 15000");
}

HARNESS_MAIN({ "copies at one time", copies_at_one_time },
             { "rates that are not there", rates_that_are_not_there },
             { "counters on request", counters_on_request })
