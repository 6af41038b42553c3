/* Writes what a compiler would have said of the kernels of aiu-gen. */
/* SPDX-License-Identifier: MIT */
#include "aiu.h"

static const struct {
  const char *name, *category;
  int percent; /* of the shortest time that a call takes */
} kernels[KERNELS] = {
  { "addmm_MatMul", "MatMul", 90 }, { "mul", "Mul", 70 },
  { "softmax", NULL, 0 },           { "add", NULL, 0 },
  { "bmm_BatchMatMul", "Bmm", 95 }, { "layernorm", "Norm", 80 },
  { "gelu", "Gelu", 85 },           { "SenFusedDeviceNode", NULL, 60 },
};

const char *kernel_name(int kernel) { return kernels[kernel].name; }

/* No kernel is shorter than 160 thousandths of the busy part of a slot. */
int64_t kernel_ideal_cycles(const Grid *grid, int kernel)
{
  const Options *o = grid->options;
  __int128 shortest = (__int128)(grid->busy_cycles * 160 / 1000) * o->core_khz / o->soc_khz;
  return (int64_t)(shortest * kernels[kernel].percent / 100);
}

static void write_row(Out *out, const char *name, int64_t number, const char *category,
                      int64_t cycles)
{
  out_room(out);
  put(out, name);
  put_char(out, '_');
  put_i64(out, number);
  put(out, category ? "-opCat" : "-NA");
  if (category) put(out, category);
  put(out, "    ");
  put_i64(out, cycles);
  put_char(out, '\n');
}

static void write_table(const Grid *grid, Out *out, int job)
{
  int64_t total = 0;
  put(out, job % 2 ? "\n DECODING \n" : "\n PREFILL \n");
  put(out, "  Kernel                          Ideal/Total Cycles        \n");
  for (int kernel = 0; kernel < KERNELS; kernel++) {
    int64_t cycles = kernel_ideal_cycles(grid, kernel);
    write_row(out, kernels[kernel].name, kernel + (int64_t)KERNELS * job, kernels[kernel].category,
              cycles);
    total += cycles;
  }
  for (int64_t row = KERNELS; row < grid->options->log_rows; row++, total += 1000)
    write_row(out, "unused", row, "Unused", 1000);
  put(out, "Total    ");
  put_i64(out, total);
  put(out, "\n====== Perf Summary End ======\n");
}

void write_log(const Grid *grid, const char *path)
{
  Out out;
  out_open(&out, path);
  put(&out, "compiling for 1 core\n");
  for (int job = 0; job < grid->options->jobs; job++) write_table(grid, &out, job);
  out_close(&out);
}
