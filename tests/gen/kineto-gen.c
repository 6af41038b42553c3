/* kineto-gen: writes traces that look like those of PyTorch's profiler, of any size. */
/* SPDX-License-Identifier: MIT */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

#include "kineto.h"

typedef struct {
  int64_t events; /* in each file */
  int64_t size;   /* of each file; 0: --events counts */
  int ranks;
  uint64_t seed;
  LayoutKind layout;
  StampKind stamps;
  bool sorted, operators;
  const char *pattern, *truth;
} Options;

typedef struct {
  int64_t kinds[N_KINDS];
  int64_t device_ns[N_KINDS]; /* sums of durations */
  int64_t steps, metadata;
  OperatorTruth operators;
} Truth;

/* Real files hold one kind of event after the other, so they are far from time order. */
enum { N_PASSES = 5 };
static const uint8_t pass_of[N_KINDS] = {
  [CPU_OP] = 0,           [COLLECTIVE_OP] = 0, [STEP] = 0,
  [COLLECTIVE_RANGE] = 0, [PYTHON] = 1,        [RUNTIME] = 2,
  [LAUNCH_FLOW] = 2,      [KERNEL] = 3,        [COLLECTIVE_KERNEL] = 3,
  [MEMCPY] = 3,           [MEMSET] = 3,        [GPU_STEP] = 3,
  [ARRIVE_FLOW] = 3,      [MEMORY] = 4,        [FORWARD_FLOW] = 4,
  [BACKWARD_FLOW] = 4,    [NAMED_OP] = 0,      [NAMED_CALL] = 2,
  [NAMED_KERNEL] = 3,
};

static const char usage[] =
    "usage: kineto-gen [options]\n"
    "  --events N      events in each file, metadata rows included (default 10000)\n"
    "  --size BYTES    about this size for each file instead (100M, 6G; within 2 % above 10 MB)\n"
    "  --ranks R       files to write (default 1)\n"
    "  --seed S        another seed gives other names and times (default 1)\n"
    "  --layout L      native (as the profiler writes), compact (no blanks), pretty (indented)\n"
    "  --stamps S      relative (from 0), epoch (since 1970), base (to baseTimeNanoseconds)\n"
    "  --sorted        events in time order instead of kind by kind\n"
    "  --operators     also operators with shapes, a graph launch and a kernel without a call in "
    "each step\n"
    "  -o PATTERN      output file, {rank} is replaced (default -)\n"
    "  --truth FILE    what was written, as JSON\n";

static Options read_options(int argc, char **argv)
{
  static const char *const layout_words[] = { "native", "compact", "pretty", NULL };
  static const char *const stamp_words[] = { "relative", "epoch", "base", NULL };
  static const struct option rows[] = { { "events", 1, 0, 'e' }, { "size", 1, 0, 'z' },
                                        { "ranks", 1, 0, 'r' },  { "seed", 1, 0, 's' },
                                        { "layout", 1, 0, 'l' }, { "stamps", 1, 0, 't' },
                                        { "sorted", 0, 0, 'd' }, { "operators", 0, 0, 'p' },
                                        { "output", 1, 0, 'o' }, { "truth", 1, 0, 'u' },
                                        { "help", 0, 0, 'h' },   { 0 } };
  Options o = { .events = 10000, .ranks = 1, .seed = 1, .stamps = BASE, .pattern = "-" };
  int c;
  while ((c = getopt_long(argc, argv, "o:h", rows, NULL)) != -1) switch (c) {
    case 'e': o.events = option_count("--events", optarg, 0, INT64_C(4000000000)); break;
    case 'z': o.size = option_size("--size", optarg); break;
    case 'r': o.ranks = (int)option_count("--ranks", optarg, 1, 100000); break;
    case 's': o.seed = (uint64_t)option_count("--seed", optarg, 0, INT64_MAX); break;
    case 'l': o.layout = (LayoutKind)option_word("--layout", optarg, layout_words); break;
    case 't': o.stamps = (StampKind)option_word("--stamps", optarg, stamp_words); break;
    case 'd': o.sorted = true; break;
    case 'p': o.operators = true; break;
    case 'o': o.pattern = optarg; break;
    case 'u': o.truth = optarg; break;
    case 'h': fputs(usage, stdout); exit(0);
    default: fputs(usage, stderr); exit(2);
    }
  if (optind < argc) die("unexpected argument %s", argv[optind]);
  return o;
}

static Writer make_writer(const Options *o, const Run *run, const Names *names, Out *out)
{
  const int64_t epoch_ns = INT64_C(1712195495519689047), base_ns = INT64_C(1711929600000000000);
  Writer w = { .run = run, .names = names, .layout = o->layout, .first = true, .out = out };
  if (o->stamps == EPOCH) w.zero_ns = epoch_ns;
  if (o->stamps == RELATIVE) w.zero_ns = 346637;
  if (o->stamps == BASE) {
    w.base_ns = base_ns;
    w.zero_ns = epoch_ns - base_ns;
  }
  return w;
}

/* Layers of the next step so that `left` events are never exceeded; 0: no whole step fits. */
static uint32_t step_layers(int64_t left)
{
  int64_t layers = (left - STEP_EVENTS) / LAYER_EVENTS;
  if (left < STEP_EVENTS) return 0;
  return (uint32_t)(layers < MAX_LAYERS ? layers : MAX_LAYERS);
}

static int by_time(const void *left, const void *right)
{
  const Planned *a = left, *b = right;
  if (a->ts_ns != b->ts_ns) return a->ts_ns < b->ts_ns ? -1 : 1;
  if (a->dur_ns != b->dur_ns) return a->dur_ns > b->dur_ns ? -1 : 1;
  if (a->kind != b->kind) return a->kind < b->kind ? -1 : 1;
  return a->id < b->id ? -1 : a->id > b->id;
}

/* pass < 0: all kinds */
static void write_plan(Writer *w, const Planned *plan, size_t n, int pass, Truth *truth)
{
  for (size_t i = 0; i < n; i++) {
    if (pass >= 0 && pass_of[plan[i].kind] != pass) continue;
    write_event(w, &plan[i]);
    truth->kinds[plan[i].kind]++;
    if (plan[i].dur_ns > 0) truth->device_ns[plan[i].kind] += plan[i].dur_ns;
  }
}

/* The events that no whole layer is left for become memory events after the last step. */
static void write_rest(Writer *w, const Run *run, uint32_t step, int64_t left, Truth *truth)
{
  for (int64_t i = 0; i < left; i++) {
    Planned memory = { .kind = MEMORY, .place = MAIN_THREAD, .dur_ns = -1 };
    memory.ts_ns = step_start_ns(step) + i * 1000;
    memory.value = hash3(run->seed, step, (uint64_t)i);
    write_plan(w, &memory, 1, -1, truth);
  }
}

/* What is planned again in each pass counts once. */
static void write_pass(Writer *w, const Options *o, int64_t events, int pass, Planned *plan,
                       Truth *truth)
{
  const Run *run = w->run;
  int64_t left = events, operators = o->operators ? OPERATOR_EVENTS : 0;
  uint32_t step = 0, layers;
  for (; (layers = step_layers(left - operators)) > 0; step++) {
    OperatorTruth again = { 0 };
    size_t n = plan_step(run, step, layers, plan);
    if (o->operators)
      n += plan_operators(run, step, plan + n, pass <= 0 ? &truth->operators : &again);
    if (pass < 0) qsort(plan, n, sizeof *plan, by_time);
    write_plan(w, plan, n, pass, truth);
    left -= (int64_t)n;
  }
  if (pass == N_PASSES - 1 || pass < 0) write_rest(w, run, step, left, truth);
  truth->steps = step;
}

static uint64_t write_file(const Options *o, const Run *run, const Names *names, int64_t events,
                           const char *path, Truth *truth)
{
  Out out;
  Planned *plan = malloc(MAX_PLANNED * sizeof *plan);
  if (!plan) die("no memory for one step");
  out_open(&out, path);
  Writer w = make_writer(o, run, names, &out);
  write_header(&w);
  truth->metadata = events < METADATA_ROWS ? events : METADATA_ROWS;
  for (int row = 0; row < truth->metadata; row++) write_metadata_row(&w, row);
  for (int pass = o->sorted ? -1 : 0; pass < (o->sorted ? 0 : N_PASSES); pass++)
    write_pass(&w, o, events - truth->metadata, pass, plan, truth);
  write_trailer(&w);
  free(plan);
  return out_close(&out);
}

/* Measures a few steps without writing them. */
static int64_t events_for_size(const Options *o, const Names *names)
{
  Run run = { .seed = o->seed, .n_ranks = o->ranks };
  Truth unused = { 0 };
  int64_t few = METADATA_ROWS + STEP_EVENTS + LAYER_EVENTS;
  int64_t many = METADATA_ROWS + 8 * MAX_PLANNED;
  int64_t few_bytes = (int64_t)write_file(o, &run, names, few, NULL, &unused);
  int64_t many_bytes = (int64_t)write_file(o, &run, names, many, NULL, &unused);
  int64_t events = few + (int64_t)((double)(o->size - few_bytes) * (double)(many - few) /
                                   (double)(many_bytes - few_bytes));
  return events < 0 ? 0 : events;
}

static void print_operators(FILE *file, const OperatorTruth *o)
{
  fprintf(file,
          ",\n     \"products\": %lld, \"product_ns\": %lld, \"mul_ns\": %lld, \"graph_kernels\": "
          "%lld, "
          "\"graph_ns\": %lld, \"lone_kernels\": %lld, \"lone_ns\": %lld",
          (long long)o->product_calls, (long long)o->product_ns, (long long)o->mul_ns,
          (long long)o->graph_kernels, (long long)o->graph_ns, (long long)o->lone_kernels,
          (long long)o->lone_ns);
}

static void print_truth(FILE *file, int rank, int64_t events, uint64_t bytes, const Truth *t)
{
  const int64_t *k = t->kinds;
  int64_t starts = k[LAUNCH_FLOW] + k[FORWARD_FLOW], ends = k[ARRIVE_FLOW] + k[BACKWARD_FLOW];
  int64_t slices = events - t->metadata - starts - ends - k[MEMORY];
  fprintf(file,
          "    {\"rank\": %d, \"bytes\": %llu, \"events\": %lld, \"slices\": %lld, \"instants\": "
          "%lld,\n"
          "     \"metadata\": %lld, \"flow_starts\": %lld, \"flow_ends\": %lld, \"steps\": %lld,\n"
          "     \"kernels\": %lld, \"kernel_ns\": %lld, \"collectives\": %lld, \"collective_ns\": "
          "%lld,\n"
          "     \"memcpys\": %lld, \"memcpy_ns\": %lld, \"memsets\": %lld, \"memset_ns\": %lld",
          rank, (unsigned long long)bytes, (long long)events, (long long)slices,
          (long long)k[MEMORY], (long long)t->metadata, (long long)starts, (long long)ends,
          (long long)t->steps, (long long)k[KERNEL], (long long)t->device_ns[KERNEL],
          (long long)k[COLLECTIVE_KERNEL], (long long)t->device_ns[COLLECTIVE_KERNEL],
          (long long)k[MEMCPY], (long long)t->device_ns[MEMCPY], (long long)k[MEMSET],
          (long long)t->device_ns[MEMSET]);
  if (t->operators.product_calls) print_operators(file, &t->operators);
  fputc('}', file);
}

int main(int argc, char **argv)
{
  Options o = read_options(argc, argv);
  Names names;
  FILE *truth_file = o.truth ? fopen(o.truth, "w") : NULL;
  if (o.truth && !truth_file) die("%s: cannot be written", o.truth);
  names_make(&names, o.seed);
  int64_t events = o.size ? events_for_size(&o, &names) : o.events;
  if (truth_file) fprintf(truth_file, "{\"generator\": \"kineto-gen\", \"ranks\": [\n");
  for (int rank = 0; rank < o.ranks; rank++) {
    Run run = { .seed = o.seed, .rank = rank, .n_ranks = o.ranks };
    Truth truth = { 0 };
    char *path = rank_path(o.pattern, rank, o.ranks);
    uint64_t bytes = write_file(&o, &run, &names, events, path, &truth);
    if (truth_file) print_truth(truth_file, rank, events, bytes, &truth);
    if (truth_file) fputs(rank + 1 < o.ranks ? ",\n" : "\n]}\n", truth_file);
    free(path);
  }
  if (truth_file && fclose(truth_file)) die("%s: cannot be written", o.truth);
  names_free(&names);
  return 0;
}
