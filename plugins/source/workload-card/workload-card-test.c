/* The workload-card source: layouts of folders, tags from cards and names, and broken cards. */
/* SPDX-License-Identifier: MIT */
#include "check.h"
#include "folder-host-test.h"
#include "scratch.h"

static const MillSourceOps *ops(void) { return source_under_test()->ops; }

static int expand(Host *h, const char *folder)
{
  return ops()->expand(source_under_test(), &h->source, folder);
}

/* ------------------------------------------------------------------ folders */

/* Files are "name" (empty) or "name=text"; names that end in / are folders. */
static char *make_tree(const char *const *files)
{
  char *root = scratch_folder();
  for (; *files; files++) {
    const char *text = strchr(*files, '=');
    g_autofree char *name = g_strndup(*files, text ? (gsize)(text - *files) : strlen(*files));
    g_autofree char *path = g_build_filename(root, name, NULL);
    if (g_str_has_suffix(name, "/"))
      g_mkdir_with_parents(path, 0755);
    else
      scratch_write(root, name, text ? text + 1 : "", -1);
  }
  return root;
}

typedef struct Layout {
  const char *what;
  const char *files[16];
  int status;
  const char *inputs, *notes, *failure;
} Layout;

static void check_layouts(const Layout *rows, size_t n_rows)
{
  for (size_t i = 0; i < n_rows; i++) {
    const Layout *row = &rows[i];
    Host h;
    char *root = make_tree(row->files);
    host_init(&h, root);
    bool good = CHECK_INT(expand(&h, root), row->status);
    good &= CHECK_STR(h.inputs->str, row->inputs ? row->inputs : "");
    good &= CHECK_STR(h.notes->str, row->notes ? row->notes : "");
    good &= CHECK_STR(h.failure->str, row->failure ? row->failure : "");
    if (!good) CHECK_ROW(row->what);
    host_clear(&h);
    scratch_remove(root);
  }
}
#define CHECK_LAYOUTS(rows) check_layouts(rows, G_N_ELEMENTS(rows))

#define RESULT "={\"request_throughput\": 1, \"output_throughput\": 2}"
#define CARD "=workload: {model: {phase: inference}}\n"

/* Known by the bytes of a file: all in the folder is read as where it is read flat. */
static void test_results_alone(void)
{
  static const Layout rows[] = {
    { .what = "results of one configuration, and what lies beside them",
      .files = { "a.json=[]", "run0.json" RESULT, "run1.jsonl" RESULT, "notes.txt", ".hidden",
                 "deep/" },
      .status = 1,
      .inputs = "a.json -\nnotes.txt -\nrun0.json -\nrun1.jsonl -\n" },
    { .what = "a tree of them",
      .files = { "readme.md", "c8/run0.json" RESULT, "c16/run0.json" RESULT,
                 "more/c32/run0.json" RESULT, "traces/t.json=[]", "a/b/c/run0.json" RESULT },
      .status = 1,
      .inputs = "c16/run0.json -\nc8/run0.json -\nmore/c32/run0.json -\n" },
    { .what = "a tree of them, with results at its top: these are a run, too",
      .files = { "run0.json" RESULT, "notes.txt", "c8/run0.json" RESULT, "traces/t.json=[]" },
      .status = 1,
      .inputs = "c8/run0.json -\nnotes.txt -\nrun0.json -\n" },
    { .what = "beside other data they are not looked for",
      .files = { "t.json=[]", "c8/run0.json" RESULT } },
    { .what = "traces alone", .files = { "a.json=[]", "b.json={}", "c/d.json=[]" } },
  };
  CHECK_LAYOUTS(rows);
}

static void test_single(void)
{
  static const Layout rows[] = {
    { .what = "results with a card",
      .files = { "card.yaml" CARD, "results_json/b.json", "results_json/a.jsonl",
                 "results_json/c.json.gz", "results_json/d.json.zst", "results_json/e.txt",
                 "results_json/a.pytorch.json", "results_json/._a.json", "results_json/.f.json",
                 "results_json/deep/g.json" },
      .status = 1,
      .inputs = "results_json/.f.json bench-json\nresults_json/a.jsonl bench-json\n"
                "results_json/b.json bench-json\nresults_json/c.json.gz bench-json\n"
                "results_json/d.json.zst bench-json\n" },
    { .what = "results without a card; of other files only what may be a trace",
      .files = { "results_json/a.json", "other.json", "off.csv" },
      .status = 1,
      .inputs = "results_json/a.json bench-json\nother.json -\n" },
    { .what = "requests and totals of AIPerf are one run",
      .files = { "profile_export.jsonl", "profile_export_aiperf.json", "profile_export_aiperf.csv",
                 "t.json" },
      .status = 1,
      .inputs = "profile_export.jsonl bench-json\nt.json -\n",
      .notes = "8 place=profile_export_aiperf.json\n" },
    { .what = "totals of AIPerf alone",
      .files = { "profile_export_aiperf.json", "inputs.json" },
      .status = 1,
      .inputs = "profile_export_aiperf.json bench-json\ninputs.json -\n" },
    { .what = "loose files beside a card",
      .files = { "card.yml" CARD, "off.csv", "b.sqlite", "a.json", "c.jsonl", "x.csv.gz",
                 "a.pytorch.json", "notes.txt", "a.nsys-rep", "plots/p.csv" },
      .status = 1,
      .inputs = "a.json -\nb.sqlite -\nc.jsonl -\noff.csv -\nx.csv.gz -\n" },
    { .what = "gate logs here; files and other folders are none",
      .files = { "gates_logs_run1/gate_logs_0.json", "gates_logs_run0/", "gates_logs_x.json",
                 "baseline_gates_logs/gates_logs_other/" },
      .status = 1,
      .inputs = "gates_logs_run0 gate-log\ngates_logs_run1 gate-log\ngates_logs_x.json -\n" },
    { .what = "gate logs one level down: the first folder by name that has any",
      .files = { "card.yaml" CARD, "a_gates_logs/readme", "b_gates_logs/gates_logs_1/",
                 "b_gates_logs/gates_logs_0/", "baseline_gates_logs/gates_logs_9/" },
      .status = 1,
      .inputs = "b_gates_logs/gates_logs_0 gate-log\nb_gates_logs/gates_logs_1 gate-log\n" },
    { .what = "plain gates_logs",
      .files = { "gates_logs/gates_logs_0/" },
      .status = 1,
      .inputs = "gates_logs/gates_logs_0 gate-log\n" },
    { .what = "results, gate logs and tables together",
      .files = { "card.yaml" CARD, "results_json/a.json", "gates_logs_0/", "k.csv" },
      .status = 1,
      .inputs = "results_json/a.json bench-json\ngates_logs_0 gate-log\nk.csv -\n" },
    { .what = "the first card by name counts",
      .files = { "a.yml=x: 1", "b.yaml" CARD, "c.yaml=broken: [", "k.csv" },
      .status = 1,
      .inputs = "k.csv -\n" },
    { .what = "a folder of gate logs itself",
      .files = { "gate_logs_0.json", "gate_logs_1.json.gz" },
      .status = 1,
      .inputs = ". gate-log\n" },
    { .what = "compressed gate logs alone",
      .files = { "gate_logs_1.json.zst" },
      .status = 1,
      .inputs = ". gate-log\n" },
    { .what = "gate logs lying beside a card",
      .files = { "card.yaml" CARD, "gate_logs_0.json", "gate_logs_1.json.gz", "k.csv" },
      .status = 1,
      .inputs = ". gate-log\nk.csv -\n" },
  };
  CHECK_LAYOUTS(rows);
}

static void test_tree(void)
{
  static const Layout rows[] = {
    { .what = "runs one and two levels down, in the order of names",
      .files = { "b/results_json/1.json", "a/z/card.yaml" CARD, "a/z/k.csv", "a/y/gates_logs_0/",
                 "c/d/e/results_json/1.json", "summary.csv", "c/notes.txt",
                 ".hidden/results_json/1.json" },
      .status = 1,
      .inputs = "a/y/gates_logs_0 gate-log\na/z/k.csv -\nb/results_json/1.json bench-json\n" },
    { .what = "runs below a group that has a file of its own",
      .files = { "a/setup.yaml=x: 1", "a/r/results_json/1.json" },
      .status = 1,
      .inputs = "a/r/results_json/1.json bench-json\n" },
    { .what = "a broken card is skipped, and a run with nothing in it",
      .files = { "a/card.yaml=workload: {a: *x}\n", "a/results_json/1.json", "b/card.yaml" CARD,
                 "c/results_json/" },
      .status = 1,
      .inputs = "a/results_json/1.json bench-json\n",
      .notes = "4 place=a/card.yaml:1:15 why=the alias *x stands for nothing: no &x before it\n"
               "6 place=b why=\n6 place=c why=\n" },
    { .what = "the folder's own card is of no run when runs are below",
      .files = { "card.yaml" CARD, "a/results_json/1.json" },
      .status = 1,
      .inputs = "a/results_json/1.json bench-json\n" },
    { .what = "runs, and nothing in any",
      .files = { "a/card.yaml" CARD, "b/results_json/x.txt" },
      .status = -MILL_BAD_INPUT,
      .notes = "6 place=a why=\n6 place=b why=\n",
      .failure = "3|.|a run has results_json/*.json, gates_logs_*/gate_logs_*.json, or kernel "
                 "tables and databases beside its card" },
  };
  CHECK_LAYOUTS(rows);
}

static void test_others(void)
{
  static const Layout rows[] = {
    { .what = "empty", .files = { "x/" } },
    { .what = "traces", .files = { "rank0.json", "rank1.json", "sub/rank2.json" } },
    { .what = "traces beside the YAML of another program",
      .files = { "rank0.json", "values.yaml=image: x\n" } },
    { .what = "traces beside YAML of several documents",
      .files = { "rank0.json", "deploy.yaml=a: 1\n---\nb: 2\n" } },
    { .what = "a list", .files = { "rank0.json", "l.yaml=- workload\n" } },
    { .what = "a list below", .files = { "a/rank0.json", "a/l.yaml=- workload\n" } },
    { .what = "folders named like files", .files = { "card.yaml/", "x.json" } },
    { .what = "a file named results_json", .files = { "results_json", "x.json" } },
  };
  CHECK_LAYOUTS(rows);
  Host h;
  host_init(&h, "/nowhere");
  CHECK_INT(expand(&h, "/nowhere/at/all"), 0);
  host_clear(&h);
}

/* ------------------------------------------------------------- broken cards */

typedef struct Broken {
  const char *text, *place, *why;
} Broken;

static void check_broken(const Broken *row, bool beside_results)
{
  Host h;
  char *root = scratch_folder();
  g_autofree char *wanted = g_strdup_printf("2|card.yaml%s|%s", row->place, row->why);
  scratch_write(root, "card.yaml", row->text, -1);
  if (beside_results) scratch_write(root, "results_json/a.json", "{}", -1);
  host_init(&h, root);
  bool good = CHECK_INT(expand(&h, root), -MILL_BAD_INPUT);
  good &= CHECK_STR(h.failure->str, wanted);
  good &= CHECK_STR(h.inputs->str, "");
  if (!good) CHECK_ROW(row->text);
  host_clear(&h);
  scratch_remove(root);
}

static void test_broken(void)
{
  static const Broken rows[] = {
    { "workload:\n\tmodel: 1\n", ":2:1",
      "a tab is among the blanks, where YAML allows only spaces (found character that cannot start "
      "any token, while scanning for the next token from 2:1)" },
    { "workload: {}\n---\nworkload: {}\n", ":2:1",
      "a second document begins; there may be only one" },
    { "workload:\n  a: 1\n  b: 2\n  a: 3\n", ":4:3", "the key \"a\" is duplicated, first at 2:3" },
    { "workload: *x\n", ":1:11", "the alias *x stands for nothing: no &x before it" },
    { "workload:\n", ":1:10", "the key workload should be a map, and is nothing" },
    { "workload: [1]\n", ":1:11", "the key workload should be a map, and is a list" },
    { "workload: text: more\n", ":1:15",
      "\": \" is where no value can begin; text that holds it needs quotes (mapping values are not "
      "allowed in this context)" },
    { "workload: {data: {max-num-seqs: 1e308}}", ":1:33",
      "max-num-seqs is 1e308, which is not a count" },
    { "workload: {hardware: {xpu_spec: {total_count: 1e999}}}\nModel-executor: "
      "{model_plan_parallelization: {tp: 1e300}}\n",
      ":1:47", "total_count is 1e999, which is not a count" },
  };
  static const Broken only_beside_results[] = {
    { "", ":1:1", "the document is empty" },
    { "# nothing\n", ":1:1", "the document is empty" },
    { "- 1\n", ":1:1", "a card should be a map, and is a list" },
    { "version: 1\n", ":1:1", "there is no key workload at the top, as every card has" },
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    check_broken(&rows[i], true);
    check_broken(&rows[i], false);
  }
  for (size_t i = 0; i < G_N_ELEMENTS(only_beside_results); i++)
    check_broken(&only_beside_results[i], true);
}

static void test_too_large(void)
{
  Host h;
  char *root = scratch_folder();
  g_autofree char *text = g_malloc((1 << 20) + 1);
  memset(text, '#', (1 << 20) + 1);
  scratch_write(root, "card.yaml", text, (1 << 20) + 1);
  scratch_write(root, "results_json/a.json", "{}", -1);
  host_init(&h, root);
  CHECK_INT(expand(&h, root), -MILL_BAD_INPUT);
  CHECK_STR(h.failure->str, "2|card.yaml|it is too large");
  host_clear(&h);
  scratch_remove(root);
}

/* --------------------------------------------------------------------- tags */

static char *tags_of(const char *run, const char *card, const char *label, char **out_notes)
{
  Host h;
  char *root = scratch_folder();
  g_autofree char *folder = g_build_filename(root, run, NULL);
  scratch_write(folder, "results_json/r.json", "{}", -1);
  if (card) scratch_write(folder, "card.yaml", card, -1);
  host_init(&h, folder);
  h.label = label;
  h.with_tags = true;
  CHECK_INT(expand(&h, folder), 1);
  char *tags = g_strdup(h.inputs->str);
  if (out_notes) *out_notes = g_strdup(h.notes->str);
  host_clear(&h);
  scratch_remove(root);
  return tags;
}

/* All tags that the card alone gives. */
static void check_card(const char *card, const char *wanted, const char *wanted_notes)
{
  g_autofree char *notes = NULL;
  g_autofree char *got = tags_of("r", card, "", &notes);
  g_autofree char *all =
      g_strdup_printf("results_json/r.json bench-json tags %s[run=r] [card=r/card.yaml] hints "
                      "[file=r.json]\n",
                      wanted);
  bool good = CHECK_STR(got, all);
  good &= CHECK_STR(notes, wanted_notes);
  if (!good) CHECK_ROW(card);
}

static void test_full_card(void)
{
  check_card("version: 1\n"
             "description: a test\n"
             "workload:\n"
             "  model:\n"
             "    phase: inference\n"
             "    moe: yes\n"
             "    model_family: mixtral-8x7b\n"
             "  data:\n"
             "    batch_size: [1, 2]\n"
             "    dataset: sharegpt\n"
             "    max-num-seqs: 32\n"
             "    max-num-batched-tokens: 8_192\n"
             "    request_rate: 2.5\n"
             "    max_concurrency: 64\n"
             "  hardware:\n"
             "    xpu_spec: {type: GPU, model: nvidia_a100, total_count: 4}\n"
             "Model-executor:\n"
             "  framework: {name: vllm}\n"
             "  model_plan_parallelization: {dp_replicate: 2, dp_shard: 3, tp: 4, pp: 1, ep: 8}\n"
             "  expert_parallel: {mode: default_all_to_all, eplb: on}\n"
             "metric_source: {traces: [json]}\n",
             "[model=mixtral-8x7b] [phase=inference] [moe=true] [dataset=sharegpt] "
             "[max_num_seqs=32] [max_num_batched_tokens=8192] [request_rate=2.5] "
             "[max_concurrency=64] [hardware=nvidia_a100] [gpus=4] [framework=vllm] [tp=4] [pp=1] "
             "[ep=8] [dp=6] [implementation=DefaultAll2All] ",
             "");
}

static void test_odd_cards(void)
{
  static const struct {
    const char *card, *tags, *notes;
  } rows[] = {
    { "{\"workload\": {\"model\": {\"moe\": false, \"phase\": \"Serving\"}}}",
      "[phase=Serving] [moe=false] [implementation=Baseline] ", "" },
    { "workload: {Model_Executor: {framework: {name: jax}, expert_parallel: {mode: deepep}}}",
      "[framework=jax] [implementation=deepep] ", "" },
    { "workload: {hardware: {xpu_spec: {type: TPU, model: TBD, total_count: '8'}}}",
      "[hardware=TPU] [gpus=8] [implementation=Baseline] ", "" },
    { "workload: {data: {max_num_seqs: 0x20, max_num_batched_tokens: 2048.0, dataset: ''}}",
      "[max_num_seqs=32] [max_num_batched_tokens=2048] [implementation=Baseline] ", "" },
    { "workload: {model: {model_family: 7.10, phase: [null], moe: [on]}, data: N/A}",
      "[model=7.10] [moe=true] [implementation=Baseline] ", "" },
    { "workload: {data: {request_rate: .inf, max_concurrency: null}}",
      "[request_rate=inf] [implementation=Baseline] ", "" },
    { "workload: {data: {request_rate: 'inf'}}", "[request_rate=inf] [implementation=Baseline] ",
      "" },
    { "workload: {data: {request_rate: '4', dataset: \"a\\nb \"}}",
      "[dataset=a b] [request_rate=4] [implementation=Baseline] ", "" },
    { "workload: {}\nModel-executor: {expert_parallel: {mode: off}}", "[implementation=Baseline] ",
      "" },
    { "workload: {}\nModel-executor: {model_plan_parallelization: {dp: 2, dp_shard: 8}}",
      "[dp=2] [implementation=Baseline] ", "" },
    { "workload: {}\nModel-executor: {model_plan_parallelization: {dp_replicate: 0, dp_shard: 8}}",
      "[dp=8] [implementation=Baseline] ", "" },
    { "b: &b {tp: 4, pp: 1}\nworkload: {}\n"
      "Model-executor: {model_plan_parallelization: {<<: *b, pp: 2}}",
      "[tp=4] [pp=2] [implementation=Baseline] ", "" },
    { "workload: {model: 5, hardware: [1, 2]}", "[implementation=Baseline] ",
      "5 place=card.yaml:1:19 field=model type=a whole number\n"
      "5 place=card.yaml:1:32 field=hardware type=a list\n" },
    { "workload:\n  model: {model_family: {a: 1}, phase: [a, b], moe: perhaps}\n"
      "  data: {max-num-seqs: many, max-num-batched-tokens: -1, request_rate: .nan}\n"
      "  hardware: {xpu_spec: {total_count: 2.5}}\n",
      "[implementation=Baseline] ",
      "5 place=card.yaml:2:25 field=model_family type=a map\n"
      "5 place=card.yaml:2:40 field=phase type=a list\n"
      "5 place=card.yaml:2:53 field=moe type=a text\n"
      "5 place=card.yaml:3:24 field=max-num-seqs type=a text\n"
      "5 place=card.yaml:3:54 field=max-num-batched-tokens type=a whole number\n"
      "5 place=card.yaml:3:72 field=request_rate type=a number\n"
      "5 place=card.yaml:4:38 field=total_count type=a number\n" },
    { "workload: {}\nModel-executor: [1]", "[implementation=Baseline] ",
      "5 place=card.yaml:2:17 field=Model-executor type=a list\n" },
    { "workload: {}\nModel-executor: {expert_parallel: {mode: {a: 1}}}", "",
      "5 place=card.yaml:2:42 field=mode type=a map\n" },
    { "workload: {model: {phase: [inference]}}", "[implementation=Baseline] ",
      "5 place=card.yaml:1:27 field=phase type=a list\n" },
    { "workload: {model: {phase: ' inference', model_family: ' a '}}",
      "[model=a] [phase= inference] [implementation=Baseline] ", "" },
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++)
    check_card(rows[i].card, rows[i].tags, rows[i].notes);
}

static void test_names(void)
{
  static const struct {
    const char *run, *card, *label, *wanted;
  } rows[] = {
    { "Mixtral8x7B-vllmTP4-Perlmutter[dp_tp_8_2048]-group", NULL, "",
      "tags [run=Mixtral8x7B-vllmTP4-Perlmutter[dp_tp_8_2048]-group] hints "
      "[implementation=Baseline] [max_num_seqs=8] [max_num_batched_tokens=2048] [file=r.json]\n" },
    { "m-vllmEP4-x[x_128_512]_EplbOn", NULL, "",
      "tags [run=m-vllmEP4-x[x_128_512]_EplbOn] hints [implementation=DefaultAll2All] [eplb=on] "
      "[max_num_seqs=128] [max_num_batched_tokens=512] [file=r.json]\n" },
    { "a_eplboff", NULL, "", "tags [run=a_eplboff] hints [eplb=off] [file=r.json]\n" },
    { "a[8_2048]", NULL, "", "tags [run=a[8_2048]] hints [file=r.json]\n" },
    { "a[x_8_many]", NULL, "", "tags [run=a[x_8_many]] hints [file=r.json]\n" },
    { "a[x_8_16", NULL, "", "tags [run=a[x_8_16] hints [file=r.json]\n" },
    { "plain", NULL, "Mine", "tags [implementation=Mine] [run=plain] hints [file=r.json]\n" },
    { "plain", NULL, "On", "tags [eplb=on] [run=plain] hints [file=r.json]\n" },
    { "plain", NULL, "tuned_eplboff", "tags [eplb=off] [run=plain] hints [file=r.json]\n" },
    { "r-vllmEP4", "workload: {}", "",
      "tags [implementation=Baseline] [run=r-vllmEP4] [card=r-vllmEP4/card.yaml] hints "
      "[implementation=DefaultAll2All] [file=r.json]\n" },
    { "r", "workload: {}", "Mine",
      "tags [implementation=Mine] [run=r] [card=r/card.yaml] hints [file=r.json]\n" },
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autofree char *got = tags_of(rows[i].run, rows[i].card, rows[i].label, NULL);
    const char *tags = strstr(got, "tags");
    if (!CHECK_STR(tags ? tags : got, rows[i].wanted)) CHECK_ROW(rows[i].run);
  }
}

/* A broken card in a tree leaves the reason, with its place, on the run's inputs. */
static void test_card_error(void)
{
  static const char *const files[] = { "r-vllmTP4/card.yaml=workload: {a: *x}\n",
                                       "r-vllmTP4/results_json/r.json", NULL };
  Host h;
  char *root = make_tree(files);
  host_init(&h, root);
  h.with_tags = true;
  CHECK_INT(expand(&h, root), 1);
  CHECK(strstr(h.inputs->str, "[card_error=r-vllmTP4/card.yaml:1:15: the alias *x stands for "
                              "nothing") != NULL);
  CHECK(strstr(h.inputs->str, "[card=") == NULL);
  CHECK(strstr(h.inputs->str, "hints [implementation=Baseline] [file=r.json]") != NULL);
  host_clear(&h);
  scratch_remove(root);
}

static void test_refused_input(void)
{
  static const char *const files[] = { "results_json/a.json", "results_json/b.json", NULL };
  Host h;
  char *root = make_tree(files);
  host_init(&h, root);
  h.add_status = -MILL_LIMIT;
  CHECK_INT(expand(&h, root), -MILL_LIMIT);
  host_clear(&h);
  scratch_remove(root);
}

/* The name of the folder, also when it is given as the current one. */
static void test_run_name(void)
{
  static const char *const files[] = { "here/results_json/a.json", NULL };
  Host h;
  char *root = make_tree(files);
  g_autofree char *folder = g_build_filename(root, "here", NULL);
  g_autofree char *before = g_get_current_dir();
  CHECK_INT(chdir(folder), 0);
  host_init(&h, ".");
  h.with_tags = true;
  CHECK_INT(expand(&h, "."), 1);
  CHECK(strstr(h.inputs->str, "[run=here]") != NULL);
  CHECK_INT(chdir(before), 0);
  host_clear(&h);
  g_autofree char *slashed = g_strconcat(folder, "/", NULL);
  host_init(&h, folder);
  h.with_tags = true;
  CHECK_INT(expand(&h, slashed), 1);
  CHECK(strstr(h.inputs->str, "[run=here]") != NULL);
  host_clear(&h);
  scratch_remove(root);
}

/* -------------------------------------------------------------- as an input */

static int probe(const char *text, const char *name)
{
  return ops()->probe(source_under_test(), text, strlen(text), name);
}

static void test_probe(void)
{
  Host h;
  void *instance = NULL;
  CHECK(probe("version: 1\nworkload:\n", "x/card.yaml") > 0);
  CHECK(probe("{\"workload\": {}}", "x/card.yml") > 0);
  CHECK(probe("version: 1\nworkload:\n", "x/card.txt") > 0);
  CHECK(probe("workload:\n", NULL) > 0);
  CHECK_INT(probe("version: 1\n", "x/card.yaml"), 0);
  CHECK_INT(probe("the workload: none\n", "x.txt"), 0);
  CHECK_INT(probe("workloa", "x.txt"), 0);
  CHECK_INT(probe("", "x.txt"), 0);
  host_init(&h, "");
  CHECK_INT(ops()->open(source_under_test(), &h.source, NULL, &instance), 0);
  CHECK_INT(ops()->describe(instance), -MILL_BAD_INPUT);
  CHECK_STR(h.failure->str, "1||");
  host_clear(&h);
}

TEST_MAIN({ "results alone", test_results_alone }, { "lays out one run", test_single },
          { "lays out trees of runs", test_tree }, { "leaves other folders alone", test_others },
          { "refuses broken cards of single runs", test_broken },
          { "refuses cards above 1 MiB", test_too_large }, { "reads a full card", test_full_card },
          { "reads cards of odd shapes", test_odd_cards }, { "reads names and labels", test_names },
          { "goes on with names in a tree", test_card_error },
          { "hands on a refused input", test_refused_input },
          { "names the run after its folder", test_run_name },
          { "asks for the folder of a card", test_probe })
