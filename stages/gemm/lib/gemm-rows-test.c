/* Tests of lib/gemm-rows: what names of kernels say. */
/* SPDX-License-Identifier: MIT */
#include "gemm/lib/gemm-rows.h"

#include <string.h>

#include "check.h"

static const struct {
  const char *kernel, *transpose;
} rows[] = {
  { "Cijk_Ailk_Bljk_BBS_BH_MT128x128x64", "NN" },
  { "Cijk_Alik_Bljk_HSS", "TN" },
  { "Cijk_Ailk_Bjlk_S", "NT" },
  { "Custom_Cijk_Alik_Bjlk_B", "TT" },
  { "Cijk_Aijk_Bljk", "" }, /* neither order */
  { "Cijk_Alik_Bljx", "" }, /* of B not known */
  { "Cijk_Alik_Blj", "" },  /* cut short */
  { "cijk_Alik_Bljk", "" },
  { "nvjet_hsh_128x256_64x4_1x2_h_bz_coopA_NTN", "NT" },
  { "nvjet_tst_TNT", "TN" },
  { "nvjet_tst_tn", "" },
  { "nvjet_T", "" },
  { "nvjet", "" },
  { "x_nvjet_TN", "" },
  { "ampere_bf16_s16816gemm_tn", "" },
  { "", "" },
};

static void names_of_kernels(void)
{
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char out[TRANSPOSE_BYTES];
    gemm_transpose(rows[i].kernel, strlen(rows[i].kernel), out);
    if (!CHECK_STR(out, rows[i].transpose)) CHECK_ROW(rows[i].kernel);
  }
}

TEST_MAIN({ "names of kernels", names_of_kernels })
