/* aiu-gen: writes traces like those of the AIU's flex runtime, and the truth about them. */
/* SPDX-License-Identifier: MIT */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

#include "aiu.h"

typedef struct { /* of the kernels of a job, by its own clock */
  int64_t kernels, kernel_ns, ideal_cycles, with_ideal_ns;
} JobTruth;

typedef struct {
  JobTruth *jobs;
  Planted *planted; /* by the ordinal of the collective */
  int64_t device_slices, host_slices, padding_slices, metadata;
  int64_t execs, exec_ns, straddling, overlaps;
} Truth;

static const char usage[] =
    "usage: aiu-gen [options]\n"
    "  --events N       records of each rank, metadata rows included (default 2000)\n"
    "  --ranks R        files to write (default 1)\n"
    "  --seed S         another seed gives other times (default 1)\n"
    "  --soc-mhz F      clock of the device counters (default 560)\n"
    "  --wraps W        how often the 32-bit counters wrap (default 0)\n"
    "  --skew-us X      host clocks of ranks 1.. are off by up to X (default 0)\n"
    "  --drift-ppm D    and drift by up to D (default 0)\n"
    "  --collectives C  chain all-reduces over all ranks (default 0)\n"
    "  --groups G       names that these have in turns (default: each its own)\n"
    "  --tree           up a binary tree instead of along a chain\n"
    "  --overlaps K     in every K-th operation DmaO overlaps Exec on one row (default 0: never)\n"
    "  --shuffled       kernels in no order that repeats\n"
    "  --jobs J         files of each rank, one after the other; {job} in their names (default 1)\n"
    "  --shift-us X     device times of each job are off by half of X to X (default 0)\n"
    "  --log FILE       what the compiler said of the kernels: a table for each job\n"
    "  --log-rows N     tables have so many rows at least\n"
    "  --core-mhz F     clock of the cores, which ideal cycles count (default 1100)\n"
    "  --power          device slices carry the power meter\n"
    "  --be             begin-end pairs instead of slices\n"
    "  --attr           arguments under \"attr\" instead of \"args\"\n"
    "  --stamps FORM    dec, hex (both strings) or int (default dec)\n"
    "  --no-distributed leave out distributedInfo\n"
    "  -o PATTERN       output file, {rank} is replaced (default -)\n"
    "  --truth FILE     the truth as JSON (default: standard error)\n";

static const struct option rows[] = { { "events", 1, 0, 'e' },    { "ranks", 1, 0, 'r' },
                                      { "seed", 1, 0, 's' },      { "soc-mhz", 1, 0, 'f' },
                                      { "wraps", 1, 0, 'w' },     { "skew-us", 1, 0, 'k' },
                                      { "drift-ppm", 1, 0, 'd' }, { "collectives", 1, 0, 'c' },
                                      { "overlaps", 1, 0, 'v' },  { "power", 0, 0, 'p' },
                                      { "be", 0, 0, 'b' },        { "attr", 0, 0, 'a' },
                                      { "stamps", 1, 0, 't' },    { "no-distributed", 0, 0, 'n' },
                                      { "output", 1, 0, 'o' },    { "truth", 1, 0, 'u' },
                                      { "shuffled", 0, 0, 'x' },  { "jobs", 1, 0, 'j' },
                                      { "shift-us", 1, 0, 'i' },  { "log", 1, 0, 'l' },
                                      { "log-rows", 1, 0, 'm' },  { "core-mhz", 1, 0, 'g' },
                                      { "groups", 1, 0, 'q' },    { "tree", 0, 0, 'y' },
                                      { "help", 0, 0, 'h' },      { 0 } };

static void check_options(const Options *o)
{
  if (o->collectives && o->ranks < 2) die("--collectives needs --ranks 2 or more");
  if (o->soc_khz < 1000 || o->core_khz < 1000) die("--soc-mhz and --core-mhz: at least 1");
  if (o->skew_ns < 0 || o->drift_ppb < 0 || o->shift_ns < 0)
    die("--skew-us, --drift-ppm and --shift-us: not below 0");
}

static Options read_options(int argc, char **argv)
{
  static const char *const forms[] = { "dec", "hex", "int", NULL };
  Options o = { .events = 2000,
                .ranks = 1,
                .seed = 1,
                .soc_khz = 560000,
                .distributed = true,
                .pattern = "-",
                .jobs = 1,
                .core_khz = 1100000 };
  int c;
  while ((c = getopt_long(argc, argv, "o:h", rows, NULL)) != -1) switch (c) {
    case 'e': o.events = option_count("--events", optarg, 16, INT64_C(4000000000)); break;
    case 'r': o.ranks = (int)option_count("--ranks", optarg, 1, 1024); break;
    case 's': o.seed = (uint64_t)option_count("--seed", optarg, 0, INT64_MAX); break;
    case 'f': o.soc_khz = option_milli("--soc-mhz", optarg); break;
    case 'w': o.wraps = option_count("--wraps", optarg, 0, 1000000); break;
    case 'k': o.skew_ns = option_milli("--skew-us", optarg); break;
    case 'd': o.drift_ppb = option_milli("--drift-ppm", optarg); break;
    case 'c': o.collectives = option_count("--collectives", optarg, 0, INT32_MAX); break;
    case 'q': o.groups = option_count("--groups", optarg, 1, INT32_MAX); break;
    case 'y': o.tree = true; break;
    case 'v': o.overlap_every = option_count("--overlaps", optarg, 0, INT32_MAX); break;
    case 'j': o.jobs = (int)option_count("--jobs", optarg, 1, 1024); break;
    case 'i': o.shift_ns = option_milli("--shift-us", optarg); break;
    case 'l': o.log = optarg; break;
    case 'm': o.log_rows = option_count("--log-rows", optarg, 0, 1000000); break;
    case 'g': o.core_khz = option_milli("--core-mhz", optarg); break;
    case 'x': o.shuffled = true; break;
    case 'p': o.power = true; break;
    case 'b': o.be = true; break;
    case 'a': o.attr = true; break;
    case 'n': o.distributed = false; break;
    case 't': o.counters = (CounterText)option_word("--stamps", optarg, forms); break;
    case 'o': o.pattern = optarg; break;
    case 'u': o.truth = optarg; break;
    case 'h': fputs(usage, stdout); exit(0);
    default: fputs(usage, stderr); exit(2);
    }
  if (optind < argc) die("unexpected argument %s", argv[optind]);
  if (!o.groups) o.groups = o.collectives ? o.collectives : 1;
  check_options(&o);
  return o;
}

static int64_t wraps_before(const Clock *clock, int64_t cycles)
{
  return (clock->first_count + cycles) >> 32;
}

static void count_kernel(const Grid *grid, const Slice *slice, JobTruth *job)
{
  __int128 twice = (__int128)(slice->end - slice->start) * 2000000 + grid->options->soc_khz;
  int64_t dur_ns = (int64_t)(twice / (2 * grid->options->soc_khz));
  int64_t ideal = kernel_ideal_cycles(grid, (int)(slice->number % KERNELS));
  job->kernels++;
  job->kernel_ns += dur_ns;
  job->ideal_cycles += ideal;
  if (ideal) job->with_ideal_ns += dur_ns;
}

static void count_slice(const Grid *grid, const Clock *clock, const Slice *slice, Truth *truth,
                        JobTruth *job)
{
  if (slice->part == HOST) {
    truth->host_slices++;
    return;
  }
  truth->device_slices++;
  if (wraps_before(clock, slice->stamp[0]) != wraps_before(clock, slice->stamp[4]))
    truth->straddling++;
  if (slice->part == DMA_OUT && slice->thread == CORE_THREAD) truth->overlaps++;
  if (slice->part != EXEC) return;
  count_kernel(grid, slice, job);
  truth->execs++;
  truth->exec_ns += host_ns(grid, clock, slice->end) - host_ns(grid, clock, slice->start);
}

static void write_host(Writer *w, const char *name, int64_t start, int64_t end, Truth *truth)
{
  Slice slice = { .start = start,
                  .end = end,
                  .part = HOST,
                  .thread = GRAPH_THREAD,
                  .name = name,
                  .number = -1,
                  .group = -1,
                  .to = -1 };
  write_slice(w, &slice);
  truth->host_slices++;
}

/* Ranks differ in the number of their messages; host slices after the run make up for it. */
static void write_padding(Writer *w, int64_t n, Truth *truth)
{
  for (int64_t i = 0; i < n; i++) {
    int64_t start = w->grid->total_cycles + i * 2000;
    write_host(w, "Compute of padding", start, start + 1000, truth);
  }
  truth->padding_slices = n;
}

/* The slices of a job; returns their number. */
static int64_t write_job(Writer *w, int job, Slice *plan, int64_t *exec_cycles, Truth *truth)
{
  int64_t written = 0, end = job_first_slot(w->grid, job + 1);
  for (int64_t slot = job_first_slot(w->grid, job); slot < end; slot++) {
    int n = plan_slot(w->grid, w->clock, slot, exec_cycles, plan, truth->planted);
    for (int i = 0; i < n; i++) {
      write_slice(w, &plan[i]);
      count_slice(w->grid, w->clock, &plan[i], truth, &truth->jobs[job]);
    }
    written += n;
  }
  return written;
}

static void write_rank(const Grid *grid, const Clock *clock, int64_t slices, const char *pattern,
                       Truth *truth)
{
  const Options *o = grid->options;
  Out out;
  Slice *plan = malloc(sizeof *plan * (size_t)(OPERATION_SLICES + o->ranks + 3));
  int64_t exec_cycles = 0, left = slices - 1;
  if (!plan) die("no memory for one slot");
  truth->metadata = o->events - slices * (o->be ? 2 : 1);
  for (int job = 0; job < o->jobs; job++) {
    Writer w = { grid, clock, &out, job_shift_ns(o, clock->rank, job), true };
    char *path = numbered_path(pattern, "{job}", job, o->jobs);
    out_open(&out, path);
    write_header(&w);
    for (int row = 0; job == 0 && row < truth->metadata; row++) write_metadata_row(&w, row);
    if (job == 0) write_host(&w, "PrepareAndSyncRdma", -20000, -1000, truth);
    left -= write_job(&w, job, plan, &exec_cycles, truth);
    if (job == o->jobs - 1) write_padding(&w, left, truth);
    write_trailer(&w);
    out_close(&out);
    free(path);
  }
  free(plan);
}

static void print_head(FILE *file, const Grid *grid)
{
  const Options *o = grid->options;
  int64_t pairs = o->collectives * 2 * (o->ranks - 1);
  fprintf(file,
          "{\"generator\": \"aiu-gen\", \"seed\": %llu, \"soc_khz\": %lld, \"events\": %lld, "
          "\"operations\": %lld,\n"
          " \"cycles\": %lld, \"wraps\": %lld, \"collectives\": %lld, \"flow_pairs\": %lld,\n"
          " \"idle_watts\": %d, \"exec_watts\": %d, \"slack_ns\": %lld, \"ranks\": [\n",
          (unsigned long long)o->seed, (long long)o->soc_khz, (long long)o->events,
          (long long)grid->slots, (long long)grid->total_cycles, (long long)o->wraps,
          (long long)o->collectives, (long long)pairs, IDLE_WATTS, EXEC_WATTS,
          (long long)slack_ns(grid));
}

static void print_rank(FILE *file, const Clock *clock, const Truth *t)
{
  fprintf(file,
          "  {\"rank\": %d, \"offset_ns\": %lld, \"drift_ppb\": %lld, \"first_count\": %lld,\n"
          "   \"slices\": %lld, \"device_slices\": %lld, \"host_slices\": %lld, "
          "\"padding_slices\": %lld,\n"
          "   \"metadata\": %lld, \"kernels\": %lld, \"kernel_ns\": %lld, \"straddling\": %lld, "
          "\"overlaps\": %lld",
          clock->rank, (long long)clock->offset_ns, (long long)clock->drift_ppb,
          (long long)clock->first_count, (long long)(t->device_slices + t->host_slices),
          (long long)t->device_slices, (long long)t->host_slices, (long long)t->padding_slices,
          (long long)t->metadata, (long long)t->execs, (long long)t->exec_ns,
          (long long)t->straddling, (long long)t->overlaps);
}

static void print_jobs(FILE *file, const Options *o, int rank, const JobTruth *jobs)
{
  fprintf(file, ",\n   \"jobs\": [");
  for (int i = 0; i < o->jobs; i++)
    fprintf(file,
            "%s{\"shift_ns\": %lld, \"kernels\": %lld, \"kernel_ns\": %lld, "
            "\"ideal_cycles\": %lld, \"with_ideal_ns\": %lld}",
            i ? ",\n     " : "", (long long)job_shift_ns(o, rank, i), (long long)jobs[i].kernels,
            (long long)jobs[i].kernel_ns, (long long)jobs[i].ideal_cycles,
            (long long)jobs[i].with_ideal_ns);
  fputs("]", file);
}

/* In nanoseconds of the one true clock. */
static void print_planted(FILE *file, const Grid *grid, const Planted *planted)
{
  const Clock clock = { 0 };
  fputs(",\n \"planted\": [", file);
  for (int64_t i = 0; i < grid->options->collectives; i++)
    fprintf(file, "%s{\"group\": %lld, \"begin_ns\": %lld, \"end_ns\": %lld}", i ? ",\n  " : "",
            (long long)planted[i].group, (long long)host_ns(grid, &clock, planted[i].begin),
            (long long)host_ns(grid, &clock, planted[i].end));
  fputs("]", file);
}

int main(int argc, char **argv)
{
  Options o = read_options(argc, argv);
  FILE *truth_file = o.truth ? fopen(o.truth, "w") : stderr;
  if (!truth_file) die("%s: cannot be written", o.truth);
  int64_t slices = (o.events - METADATA_ROWS) / (o.be ? 2 : 1);
  Grid grid = grid_make(&o, slices - 1);
  Planted *planted = calloc((size_t)o.collectives + 1, sizeof *planted);
  if (!planted) die("no memory for %lld collectives", (long long)o.collectives);
  print_head(truth_file, &grid);
  if (o.log) write_log(&grid, o.log);
  for (int rank = 0; rank < o.ranks; rank++) {
    Clock clock = clock_make(&grid, rank);
    Truth truth = { .jobs = calloc((size_t)o.jobs, sizeof *truth.jobs), .planted = planted };
    char *path = rank_path(o.pattern, rank, o.ranks);
    if (!truth.jobs) die("no memory for %d jobs", o.jobs);
    write_rank(&grid, &clock, slices, path, &truth);
    print_rank(truth_file, &clock, &truth);
    if (o.jobs > 1 || o.log || o.shift_ns) print_jobs(truth_file, &o, rank, truth.jobs);
    fputs(rank + 1 < o.ranks ? "},\n" : "}\n]", truth_file);
    free(truth.jobs);
    free(path);
  }
  if (o.collectives) print_planted(truth_file, &grid, planted);
  fputs("}\n", truth_file);
  free(planted);
  if (o.truth && fclose(truth_file)) die("%s: cannot be written", o.truth);
  return 0;
}
