/* A workload card becomes tags: fields of any shape that real cards have, by a table. */
/* SPDX-License-Identifier: MIT */
#include "card.h"

#include <math.h>
#include <string.h>

#include "base/num.h"
#include "kit/read/yaml-doc.h"

enum { MAX_TAG_BYTES = 200, MAX_WHY_BYTES = 400, MAX_STEPS = 4 };

typedef enum Kind {
  AS_TEXT,
  AS_IS, /* a text that is compared letter by letter */
  AS_COUNT,
  AS_TRUTH,
  AS_RATE
} Kind;

typedef struct Field {
  const char *tag;
  Kind kind;
  const char *steps[MAX_STEPS]; /* keys from the top of the card */
} Field;

/* Of fields with the same tag, the first that says something counts. */
static const Field fields[] = {
  { "model", AS_TEXT, { "workload", "model", "model_family" } },
  { "phase", AS_IS, { "workload", "model", "phase" } },
  { "moe", AS_TRUTH, { "workload", "model", "moe" } },
  { "dataset", AS_TEXT, { "workload", "data", "dataset" } },
  { "max_num_seqs", AS_COUNT, { "workload", "data", "max-num-seqs" } },
  { "max_num_batched_tokens", AS_COUNT, { "workload", "data", "max-num-batched-tokens" } },
  { "request_rate", AS_RATE, { "workload", "data", "request_rate" } },
  { "max_concurrency", AS_COUNT, { "workload", "data", "max_concurrency" } },
  { "hardware", AS_TEXT, { "workload", "hardware", "xpu_spec", "model" } },
  { "hardware", AS_TEXT, { "workload", "hardware", "xpu_spec", "type" } },
  { "gpus", AS_COUNT, { "workload", "hardware", "xpu_spec", "total_count" } },
};

/* The same, from Model-executor, which is at the top or in `workload`. */
static const Field executor_fields[] = {
  { "framework", AS_TEXT, { "framework", "name" } },
  { "tp", AS_COUNT, { "model_plan_parallelization", "tp" } },
  { "pp", AS_COUNT, { "model_plan_parallelization", "pp" } },
  { "ep", AS_COUNT, { "model_plan_parallelization", "ep" } },
  { "dp", AS_COUNT, { "model_plan_parallelization", "dp" } },
};
static const Field dp_parts[] = {
  { "dp", AS_COUNT, { "model_plan_parallelization", "dp_replicate" } },
  { "dp", AS_COUNT, { "model_plan_parallelization", "dp_shard" } },
};
static const Field mode_field = { "implementation", AS_TEXT, { "expert_parallel", "mode" } };

typedef struct Reading {
  const MillHost *common;
  const char *path;
  GPtrArray *reported;    /* nodes whose type was counted already */
  const YamlNode *absurd; /* a number that nothing can be counted to */
  const char *absurd_field;
} Reading;

typedef enum Says { SAYS_NOTHING, SAYS_SOMETHING, SAYS_NONSENSE } Says;

/* ------------------------------------------------------------------ values */

static Says nonsense(Reading *r, const char *field, const YamlNode *node)
{
  if (g_ptr_array_find(r->reported, node, NULL)) return SAYS_NONSENSE;
  g_ptr_array_add(r->reported, (gpointer)node);
  g_autofree char *place = g_strdup_printf("%s:%u:%u", r->path, node->line, node->column);
  const char *type = yaml_type_name(node->type);
  const MillNamed named[] = {
    { "place", mill_text(place, strlen(place)) },
    { "field", mill_text(field, strlen(field)) },
    { "type", mill_text(type, strlen(type)) },
  };
  r->common->note(r->common, CARD_WRONG_TYPE, NULL, MILL_NO_EVENT, named, MILL_COUNT(named));
  return SAYS_NONSENSE;
}

static bool is_one_of(const char *text, const char *const *words)
{
  for (; *words; words++)
    if (!g_ascii_strcasecmp(text, *words)) return true;
  return false;
}

/* Cards say "not known" in many ways. */
static bool is_unknown(const YamlNode *node)
{
  static const char *const words[] = { "", "n/a", "na", "tbd", "none", "unknown", "-", "?", NULL };
  if (!node || node->type == YAML_IS_NULL) return true;
  return node->type == YAML_IS_TEXT && is_one_of(node->text, words);
}

static bool same_key(const char *a, const char *b)
{
  for (; *a && *b; a++, b++) {
    char x = *a == '-' ? '_' : g_ascii_tolower(*a), y = *b == '-' ? '_' : g_ascii_tolower(*b);
    if (x != y) return false;
  }
  return *a == *b;
}

/* By the exact key, else by one that differs only in case or in - and _. */
static const YamlNode *look_up(const YamlNode *map, const char *key)
{
  const YamlNode *exact = yaml_get(map, key);
  for (uint32_t i = 0; !exact && i < map->n; i++)
    if (same_key(map->keys[i]->text, key)) exact = map->items[i];
  return exact;
}

/* The one value of a list of one; lists of unknowns say nothing. */
static const YamlNode *unwrap(const YamlNode *node)
{
  if (!node || node->type != YAML_IS_LIST) return node;
  uint32_t n_unknown = 0;
  for (uint32_t i = 0; i < node->n; i++) n_unknown += is_unknown(node->items[i]);
  if (n_unknown == node->n) return NULL;
  return node->n == 1 ? node->items[0] : node;
}

static const char *last_step(const Field *f)
{
  size_t i = 1;
  while (i < MAX_STEPS && f->steps[i]) i++;
  return f->steps[i - 1];
}

static Says find(Reading *r, const YamlNode *from, const Field *f, const YamlNode **out)
{
  const YamlNode *at = from;
  for (size_t i = 0; i < MAX_STEPS && f->steps[i]; i++) {
    if (i && is_unknown(at)) return SAYS_NOTHING;
    if (at->type != YAML_IS_MAP) return nonsense(r, f->steps[i - 1], at);
    at = look_up(at, f->steps[i]);
    if (!at) return SAYS_NOTHING;
  }
  *out = unwrap(at);
  if (*out && f->kind == AS_IS) *out = at;
  if (is_unknown(*out)) return SAYS_NOTHING;
  bool scalar = (*out)->type != YAML_IS_LIST && (*out)->type != YAML_IS_MAP;
  return scalar ? SAYS_SOMETHING : nonsense(r, last_step(f), *out);
}

static Says as_it_is(const YamlNode *node, GString *out)
{
  if (node->len > MAX_TAG_BYTES) return SAYS_NONSENSE;
  g_string_assign(out, node->text);
  for (char *p = out->str; *p; p++)
    if (g_ascii_iscntrl(*p)) *p = ' ';
  return out->len ? SAYS_SOMETHING : SAYS_NOTHING;
}

static Says as_text(const YamlNode *node, GString *out)
{
  Says says = as_it_is(node, out);
  if (says != SAYS_SOMETHING) return says;
  g_strstrip(out->str);
  g_string_set_size(out, strlen(out->str));
  return out->len ? SAYS_SOMETHING : SAYS_NOTHING;
}

/* A number, also one in quotes. */
static bool number_of(const YamlNode *node, int64_t *out_whole, double *out_real)
{
  static const char *const infinite[] = { "inf", "+inf", "infinity", NULL };
  if (node->type == YAML_IS_REAL) {
    *out_real = node->u.r;
  } else if (node->type == YAML_IS_INT) {
    *out_real = (double)(*out_whole = node->u.i);
    return true;
  } else if (node->type != YAML_IS_TEXT) {
    return false;
  } else if (num_int(node->text, node->len, out_whole)) {
    *out_real = (double)*out_whole;
    return true;
  } else if (is_one_of(node->text, infinite)) {
    *out_real = INFINITY;
  } else if (!num_real(node->text, node->len, out_real)) {
    return false;
  }
  bool whole = fabs(*out_real) < 1e15 && *out_real == floor(*out_real);
  *out_whole = whole ? (int64_t)*out_real : -1;
  return true;
}

/* A number so great that the card cannot mean it; a word for infinity is another matter. */
static bool is_absurd(const YamlNode *node)
{
  int64_t whole;
  double real;
  return g_ascii_isdigit(*node->text) && number_of(node, &whole, &real) && real >= 0x1p63;
}

static Says as_count(const YamlNode *node, GString *out)
{
  char buf[NUM_BUF];
  int64_t whole;
  double real;
  if (!number_of(node, &whole, &real) || whole < 0) return SAYS_NONSENSE;
  num_format_int(buf, whole);
  g_string_assign(out, buf);
  return SAYS_SOMETHING;
}

static Says as_rate(const YamlNode *node, GString *out)
{
  char buf[NUM_BUF] = "inf";
  int64_t whole;
  double real;
  if (!number_of(node, &whole, &real) || isnan(real) || real < 0) return SAYS_NONSENSE;
  if (whole >= 0)
    num_format_int(buf, whole);
  else if (isfinite(real))
    num_format_real(buf, real);
  g_string_assign(out, buf);
  return SAYS_SOMETHING;
}

static Says as_truth(const YamlNode *node, GString *out)
{
  static const char *const yes[] = { "true", "yes", "on", "1", NULL };
  static const char *const no[] = { "false", "no", "off", "0", NULL };
  bool is_yes = is_one_of(node->text, yes);
  if (!is_yes && !is_one_of(node->text, no)) return SAYS_NONSENSE;
  g_string_assign(out, is_yes ? "true" : "false");
  return SAYS_SOMETHING;
}

static Says read_field(Reading *r, const YamlNode *from, const Field *f, GString *out)
{
  static Says (*const readers[])(const YamlNode *, GString *) = { [AS_TEXT] = as_text,
                                                                  [AS_IS] = as_it_is,
                                                                  [AS_COUNT] = as_count,
                                                                  [AS_TRUTH] = as_truth,
                                                                  [AS_RATE] = as_rate };
  const YamlNode *node = NULL;
  Says says = find(r, from, f, &node);
  if (says != SAYS_SOMETHING) return says;
  if (f->kind == AS_COUNT && is_absurd(node)) {
    if (!r->absurd) r->absurd_field = last_step(f), r->absurd = node;
    return SAYS_NONSENSE;
  }
  says = readers[f->kind](node, out);
  return says == SAYS_NONSENSE ? nonsense(r, last_step(f), node) : says;
}

/* -------------------------------------------------------------------- tags */

static void read_fields(Reading *r, const YamlNode *from, const Field *rows, size_t n_rows,
                        GPtrArray *tags)
{
  g_autoptr(GString) value = g_string_new(NULL);
  for (size_t i = 0; i < n_rows; i++) {
    if (tags_have(tags, rows[i].tag)) continue;
    if (read_field(r, from, &rows[i], value) == SAYS_SOMETHING)
      tags_add(tags, rows[i].tag, value->str);
  }
}

/* Replicas times shards, where dp itself is not given. */
static void read_dp_parts(Reading *r, const YamlNode *executor, GPtrArray *tags)
{
  g_autoptr(GString) value = g_string_new(NULL);
  int64_t product = 0, part;
  char buf[NUM_BUF];
  if (tags_have(tags, "dp")) return;
  for (size_t i = 0; i < G_N_ELEMENTS(dp_parts); i++) {
    if (read_field(r, executor, &dp_parts[i], value) != SAYS_SOMETHING) continue;
    if (!num_int(value->str, value->len, &part) || part == 0) continue;
    if (__builtin_mul_overflow(product ? product : 1, part, &product)) return;
  }
  if (!product) return;
  num_format_int(buf, product);
  tags_add(tags, "dp", buf);
}

static void read_implementation(Reading *r, const YamlNode *executor, GPtrArray *tags)
{
  g_autoptr(GString) mode = g_string_new(NULL);
  Says says = executor ? read_field(r, executor, &mode_field, mode) : SAYS_NOTHING;
  if (says == SAYS_NONSENSE) return;
  static const char *const off[] = { "false", "no", "off", NULL };
  if (says == SAYS_NOTHING || is_one_of(mode->str, off))
    tags_add(tags, "implementation", "Baseline");
  else if (!g_ascii_strcasecmp(mode->str, "default_all_to_all"))
    tags_add(tags, "implementation", "DefaultAll2All");
  else
    tags_add(tags, "implementation", mode->str);
}

static const YamlNode *find_executor(Reading *r, const YamlNode *root)
{
  const YamlNode *executor = look_up(root, "Model-executor");
  if (!executor) executor = look_up(look_up(root, "workload"), "Model-executor");
  if (is_unknown(executor)) return NULL;
  if (executor->type == YAML_IS_MAP) return executor;
  nonsense(r, "Model-executor", executor);
  return NULL;
}

static void read_tags(Reading *r, const YamlNode *root, GPtrArray *tags)
{
  const YamlNode *executor = find_executor(r, root);
  read_fields(r, root, fields, G_N_ELEMENTS(fields), tags);
  if (executor) {
    read_fields(r, executor, executor_fields, G_N_ELEMENTS(executor_fields), tags);
    read_dp_parts(r, executor, tags);
  }
  read_implementation(r, executor, tags);
}

/* -------------------------------------------------------------------- card */

static void set_broken(Card *card, char *place, const char *why)
{
  card->state = CARD_BROKEN;
  card->place = place;
  card->why = g_strdup(why);
  if (strlen(card->why) <= MAX_WHY_BYTES) return;
  const char *end = g_utf8_find_prev_char(card->why, card->why + MAX_WHY_BYTES);
  card->why[end ? end - card->why : 0] = '\0';
}

static char *place_of(const char *path, uint32_t line, uint32_t column)
{
  return g_strdup_printf("%s:%u:%u", path, line, column);
}

/* Where nothing else marks a run folder, a YAML file without a workload is another program's. */
static void check_root(const RunFolder *run, const YamlNode *root, Card *out)
{
  const YamlNode *workload = root->type == YAML_IS_MAP ? look_up(root, "workload") : NULL;
  if (workload && workload->type == YAML_IS_MAP) {
    out->state = CARD_READ;
    return;
  }
  if (!workload && !run->has_signs) {
    out->state = CARD_FOREIGN;
    return;
  }
  const YamlNode *at = workload ? workload : root;
  char *place = place_of(run->card_path, at->line, at->column);
  if (root->type == YAML_IS_MAP && !workload) {
    set_broken(out, place, "there is no key workload at the top, as every card has");
    return;
  }
  g_autofree char *why =
      g_strdup_printf("%s should be a map, and is %s", workload ? "the key workload" : "a card",
                      yaml_type_name(at->type));
  set_broken(out, place, why);
}

static bool may_be_card(const RunFolder *run, const char *bytes, size_t len)
{
  return run->has_signs || memmem(bytes, len, "workload", strlen("workload"));
}

static void refuse_absurd(const Reading *r, Card *out)
{
  g_autofree char *why =
      g_strdup_printf("%s is %.40s, which is not a count", r->absurd_field, r->absurd->text);
  g_ptr_array_set_size(out->tags, 0);
  set_broken(out, place_of(r->path, r->absurd->line, r->absurd->column), why);
}

static void parse(const MillHost *common, const RunFolder *run, const char *bytes, size_t len,
                  Card *out)
{
  YamlFault fault;
  YamlDoc *doc = yaml_doc_parse(bytes, len, &fault);
  if (!doc) {
    if (may_be_card(run, bytes, len))
      set_broken(out, place_of(run->card_path, fault.line, fault.column), fault.why);
    else
      out->state = CARD_FOREIGN;
    g_free(fault.why);
    return;
  }
  check_root(run, yaml_doc_root(doc), out);
  if (out->state == CARD_READ) {
    Reading r = { .common = common, .path = run->card_path, .reported = g_ptr_array_new() };
    read_tags(&r, yaml_doc_root(doc), out->tags);
    g_ptr_array_unref(r.reported);
    if (r.absurd) refuse_absurd(&r, out);
  }
  yaml_doc_free(doc);
}

void card_read(const MillSourceHost *host, const RunFolder *run, Card *out)
{
  *out = (Card){ .state = CARD_ABSENT, .tags = g_ptr_array_new_with_free_func(g_free) };
  if (!run->card_path) return;
  const char *bytes = "";
  int64_t len = host->read_file(host, run->card_path, YAML_DOC_MAX_BYTES, &bytes);
  if (len < 0)
    set_broken(out, g_strdup(run->card_path), bytes);
  else
    parse(host->common, run, bytes, (size_t)len, out);
}

void card_clear(Card *card)
{
  g_free(card->place);
  g_free(card->why);
  g_ptr_array_unref(card->tags);
}
