/* Tests of lib/arch: the bundled devices. */
/* SPDX-License-Identifier: MIT */
#include "kit/devices/arch.h"

#include <string.h>

#include "check.h"

static Arch device(const char *name)
{
  Arch a = { 0 };
  if (!CHECK(arch_bundled(name, &a))) CHECK_ROW(name);
  return a;
}

/* Each name that people read is known. */
static void names(void)
{
  const char *list = ARCH_NAMES ", " ARCH_LAST_NAME;
  int n = 0;
  for (const char *at = list; *at; n++) {
    char name[16] = "";
    size_t len = strcspn(at, ",");
    memcpy(name, at, len);
    CHECK(device(name).known);
    at += len;
    at += strspn(at, ", ");
  }
  CHECK_INT(n, 8);
  Arch a;
  CHECK(!arch_bundled("MI999", &a));
}

/* Rates that kernels of MI300X reach, and what its data sheet says: dense, fp32 as TF32. */
static void what_is_reached_and_what_is_possible(void)
{
  Arch a = device("MI300X");
  CHECK(arch_peak(&a, "matrix_bf16") == 708 && arch_limit(&a, "matrix_bf16") == 1307.4);
  CHECK(arch_peak(&a, "matrix_fp8") == 1273 && arch_limit(&a, "matrix_fp8") == 2614.9);
  CHECK(arch_peak(&a, "matrix_fp32") == 163 && arch_limit(&a, "matrix_fp32") == 653.7);
  CHECK(arch_peak(&a, "vector_bf16") == 163.4 && arch_limit(&a, "vector_bf16") == 163.4);
  CHECK(arch_limit(&a, "matrix_fp4") == 0);
}

/* Data sheets, dense. */
static void data_sheets(void)
{
  static const struct {
    const char *name;
    double bf16, fp8, fp32, fp64, vector_fp32, gbps;
  } sheets[] = {
    { "A100", 312, 0, 156, 19.5, 19.5, 2039 },
    { "H100", 989.4, 1978.9, 494.7, 66.9, 66.9, 3350 },
    { "H200", 989.4, 1978.9, 494.7, 66.9, 66.9, 4800 },
    { "B200", 2250, 4500, 1100, 40, 80, 8000 },
    { "GB200", 2500, 5000, 1250, 45, 90, 8000 },
    { "MI300X", 1307.4, 2614.9, 653.7, 163.4, 163.4, 5300 },
    { "MI325X", 1307.4, 2614.9, 653.7, 163.4, 163.4, 6000 },
    { "MI350X", 2306.9, 4613.7, 769, 72.1, 144.2, 8000 },
  };
  for (size_t i = 0; i < sizeof sheets / sizeof *sheets; i++) {
    Arch a = device(sheets[i].name);
    bool same = arch_limit(&a, "matrix_bf16") == sheets[i].bf16 &&
                arch_limit(&a, "matrix_fp8") == sheets[i].fp8 &&
                arch_limit(&a, "matrix_fp32") == sheets[i].fp32 &&
                arch_limit(&a, "matrix_fp64") == sheets[i].fp64 &&
                arch_limit(&a, "vector_fp32") == sheets[i].vector_fp32 &&
                a.mem_bw_gbps == sheets[i].gbps;
    if (!CHECK(same)) CHECK_ROW(sheets[i].name);
  }
}

TEST_MAIN({ "names", names },
          { "what is reached, and what is possible", what_is_reached_and_what_is_possible },
          { "data sheets", data_sheets })
