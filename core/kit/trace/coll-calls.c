/* Reading calls of collectives; see coll-calls.h. */
/* SPDX-License-Identifier: MIT */
#include "kit/trace/coll-calls.h"

#include <stdlib.h>
#include <string.h>

#include "kit/trace/attr-value.h"
#include "kit/numbers/clip.h"
#include "kit/text/fields.h"
#include "kit/devices/op-shape.h"
#include "kit/state/saved.h"
#include "kit/devices/stream-name.h"
#include "kit/text/symbol.h"
#include "kit/text/words.h"

enum {
  K_NAME,
  K_IN,
  K_OUT,
  K_SIZE,
  K_DTYPE,
  K_IN_SPLIT,
  K_OUT_SPLIT,
  K_GROUP,
  K_RANKS,
  K_SEQ,
  K_STREAM,
  N_KEYS
};
static const char *const key_names[N_KEYS] = {
  "Collective name", "In msg nelems",  "Out msg nelems",     "Group size",          "dtype",
  "In split size",   "Out split size", "Process Group Name", "Process Group Ranks", "Seq",
  "stream"
};

static const struct {
  const char *name;
  CallType type;
} types[] = {
  { "allreduce", CALL_ALLREDUCE },
  { "allreduce_coalesced", CALL_ALLREDUCE },
  { "reducescatter", CALL_REDUCESCATTER },
  { "_reduce_scatter_base", CALL_REDUCESCATTER },
  { "reduce_scatter_tensor_coalesced", CALL_REDUCESCATTER },
  { "allgather", CALL_ALLGATHER },
  { "all_gather", CALL_ALLGATHER },
  { "_allgather_base", CALL_ALLGATHER },
  { "all_gather_into_tensor_coalesced", CALL_ALLGATHER },
  { "allgather_into_tensor_coalesced", CALL_ALLGATHER },
  { "all_to_all", CALL_ALLTOALL },
  { "all_to_allv", CALL_ALLTOALLV },
};

/* What the names of kernels say where nothing else does. */
static const struct {
  const char *word, *name;
} inferred[] = {
  { "cross_device_reduce", "allreduce" },
  { "allreduce", "allreduce" },
  { "reducescatter", "reducescatter" },
  { "allgather", "allgather" },
  { "alltoall", "all_to_all" },
  { "broadcast", "broadcast" },
  { "sendrecv", "sendrecv" },
  { "reduce", "reduce" },
};

void calls_open(Calls *c, const MillHost *common)
{
  *c = (Calls){ .common = common, .words.common = common };
  for (int i = 0; i < N_KEYS; i++) c->keys[i] = symbol_of(common, key_names[i]);
}

CallType call_type(const char *name)
{
  for (uint32_t i = 0; i < MILL_COUNT(types); i++)
    if (strcmp(types[i].name, name) == 0) return types[i].type;
  return CALL_OTHER;
}

/* ---- attributes */

/* A symbol's text lives as long as the run. */
static const char *lasting(const Calls *c, const char *text, size_t len)
{
  size_t ignored;
  return c->common->symbol_text(c->common, c->common->intern(c->common, text, len), &ignored);
}

static const char *text_of(const Calls *c, const MillBatch *b, const MillEvent *e, int key)
{
  size_t len;
  const MillAttr *a = mill_attr(b, e, c->keys[key]);
  const char *text = a ? mill_attr_text(b, a, &len) : NULL;
  if (text) return lasting(c, text, len);
  if (a && (a->type & MILL_ATTR_TYPE) == MILL_SYM)
    return c->common->symbol_text(c->common, a->u.sym, &len);
  return "";
}

/* A list as JSON, as a text, or as its key repeated: without blanks. */
static const char *list_of(const Calls *c, const MillBatch *b, const MillEvent *e, int key)
{
  const MillAttr *a = mill_attr(b, e, c->keys[key]);
  if (!a) return "";
  MillValue v = attr_value(c->common, b, a, attr_run(b, e, (uint32_t)(a - &b->attrs[e->attrs])));
  if (v.type == MILL_INT) {
    char digits[DIGITS_MAX + 2] = "[";
    size_t n = 1 + digits_write(digits + 1, v.u.i);
    digits[n++] = ']';
    return lasting(c, digits, n);
  }
  if (v.type != MILL_TEXT && v.type != MILL_JSON) return "";
  char *text = c->common->scratch(c->common, v.len + 1);
  size_t n = 0;
  for (uint32_t i = 0; text && i < v.len; i++)
    if ((unsigned char)v.u.text[i] > ' ') text[n++] = v.u.text[i];
  return text ? lasting(c, text, n) : "";
}

static int64_t number_of(const Calls *c, const MillBatch *b, const MillEvent *e, int key,
                         int64_t absent)
{
  int64_t v;
  return mill_attr_int(b, e, c->keys[key], &v) && v >= 0 ? v : absent;
}

static const char *infer_name(const Calls *c, MillSym kernel)
{
  size_t len;
  const char *text = c->common->symbol_text(c->common, kernel, &len);
  for (uint32_t i = 0; i < MILL_COUNT(inferred); i++)
    if (words_have_any_case(text, len, inferred[i].word)) return inferred[i].name;
  return "other";
}

/* What no profiler's hook has described; kernels of other libraries never are. */
static bool is_bare(const Call *call, MillSym kernel, const MillHost *common)
{
  size_t len;
  const char *text = common->symbol_text(common, kernel, &len);
  bool told = *call->group || *call->ranks || call->size || call->in_elements >= 0;
  return !told &&
         (words_have_any_case(text, len, "nccl") || words_have_any_case(text, len, "rccl"));
}

static void read_call(Calls *c, const MillBatch *b, const MillEvent *e, Call *out)
{
  StreamRoom room;
  Field stream = stream_name(c->common, b, e, c->keys[K_STREAM], &room);
  out->name = text_of(c, b, e, K_NAME);
  if (!*out->name) out->name = infer_name(c, e->name);
  out->type = call_type(out->name);
  out->dtype = text_of(c, b, e, K_DTYPE);
  out->group = text_of(c, b, e, K_GROUP);
  out->ranks = list_of(c, b, e, K_RANKS);
  out->in_split = list_of(c, b, e, K_IN_SPLIT);
  out->out_split = list_of(c, b, e, K_OUT_SPLIT);
  out->stream = lasting(c, stream.text, stream.len);
  out->in_elements = number_of(c, b, e, K_IN, -1);
  out->out_elements = number_of(c, b, e, K_OUT, -1);
  out->size = number_of(c, b, e, K_SIZE, 0);
  out->number = number_of(c, b, e, K_SEQ, -1);
  out->has_seq = out->number >= 0;
}

bool calls_see(Calls *c, const MillBatch *b, const MillEvent *e, int64_t rank)
{
  if (e->kind != MILL_SLICE || e->dur_ns < 0 || e->flags & MILL_FLAG_NO_TS) return true;
  if (torch_kind(&c->words, e) != TORCH_KERNEL) return true;
  if (torch_work(&c->words, TORCH_KERNEL, e->name) != WORK_COMMUNICATION) return true;
  if (c->max_ns && e->dur_ns > c->max_ns) {
    c->n_absurd++;
    return true;
  }
  if (!array_reserve(c->common, &c->items, &c->capacity, c->n + 1, sizeof *c->items)) return false;
  Call *call = &c->items[c->n++];
  *call = (Call){ .ts_ns = e->ts_ns,
                  .own_ts_ns = e->ts_ns,
                  .dur_ns = e->dur_ns,
                  .rank = rank,
                  .index = (uint32_t)(c->n - 1) };
  read_call(c, b, e, call);
  bool bare = is_bare(call, e->name, c->common);
  c->n_bare += bare;
  c->bare_ns = add_clipped(c->bare_ns, bare ? e->dur_ns : 0);
  c->comm_ns = add_clipped(c->comm_ns, e->dur_ns);
  return true;
}

/* ---- the end of a lane */

static int by_time(const void *p, const void *q)
{
  const Call *a = p, *b = q;
  if (a->ts_ns != b->ts_ns) return a->ts_ns < b->ts_ns ? -1 : 1;
  int order = strcmp(a->group, b->group);
  if (order == 0) order = strcmp(a->stream, b->stream);
  return order ? order : (a->number > b->number) - (a->number < b->number);
}

static int by_group(const void *p, const void *q)
{
  const Call *a = p, *b = q;
  int order = strcmp(a->group, b->group);
  if (order == 0) order = strcmp(a->ranks, b->ranks);
  return order ? order : by_time(p, q);
}

/* Calls that name no group are of one, or of one for each stream where there are several. */
static bool name_groups(Calls *c)
{
  const char *only = NULL;
  bool several = false;
  Buffer text = { .common = c->common };
  for (size_t i = 0; i < c->n; i++) {
    if (*c->items[i].group) continue;
    several |= only && strcmp(only, c->items[i].stream) != 0;
    only = c->items[i].stream;
  }
  for (size_t i = 0; i < c->n; i++) {
    Call *call = &c->items[i];
    if (*call->group) continue;
    text.len = 0;
    if (!buffer_add(&text, "all", 3) ||
        (several && (!buffer_add(&text, " on stream ", 11) ||
                     !buffer_add(&text, call->stream, strlen(call->stream)))))
      return false;
    call->group = lasting(c, text.text, text.len);
  }
  array_free(c->common, text.text);
  return true;
}

/* Seq numbers a group's calls if all of them have one, and no two the same; else positions do. */
static void number_group(Call *calls, size_t n)
{
  bool all = true;
  for (size_t i = 0; i < n; i++)
    all &= calls[i].has_seq && (i == 0 || calls[i].number > calls[i - 1].number);
  for (size_t i = 0; i < n && !all; i++) {
    calls[i].number = (int64_t)i;
    calls[i].has_seq = false;
  }
}

bool calls_close(Calls *c)
{
  if (c->n == 0) return true;
  if (!name_groups(c)) return false;
  qsort(c->items, c->n, sizeof *c->items, by_group);
  for (size_t i = 0, end; i < c->n; i = end) {
    for (end = i + 1; end < c->n && strcmp(c->items[i].group, c->items[end].group) == 0 &&
                      strcmp(c->items[i].ranks, c->items[end].ranks) == 0;)
      end++;
    number_group(&c->items[i], end - i);
  }
  return true;
}

/* ---- saved state: texts of calls are those of symbols, each there once */

static void save_text(StateIo *io, const StateField *f, void *owner, void *at)
{
  const char *text = *(const char **)at;
  (void)f, (void)owner;
  io->host->put_text(io->host, text, strlen(text));
}

static bool load_text(StateIo *io, const StateField *f, void *owner, void *at, bool is_new)
{
  size_t len;
  (void)f, (void)owner, (void)is_new;
  *(const char **)at =
      io->host->common->symbol_text(io->host->common, saved_get_sym(io->host), &len);
  return true;
}

static const StateOps text_ops = { save_text, load_text, 3 };
static const StateField call_fields[] = {
  STATE_FIRST(Call, ts_ns),
  STATE_FIRST(Call, own_ts_ns),
  STATE_FIRST(Call, dur_ns),
  STATE_FIRST(Call, rank),
  STATE_FIRST(Call, number),
  STATE_FIRST(Call, in_elements),
  STATE_FIRST(Call, out_elements),
  STATE_FIRST(Call, size),
  STATE_FIRST(Call, type),
  STATE_FIRST(Call, has_seq),
  STATE_BY(Call, group, text_ops),
  STATE_BY(Call, ranks, text_ops),
  STATE_BY(Call, name, text_ops),
  STATE_BY(Call, dtype, text_ops),
  STATE_BY(Call, in_split, text_ops),
  STATE_BY(Call, out_split, text_ops),
  STATE_BY(Call, stream, text_ops),
};
static const StateType call_state = STATE_TYPE(Call, call_fields);

static const StateField calls_fields[] = { STATE_LIST(Calls, items, n, capacity, call_state) };
const StateType calls_state = STATE_TYPE(Calls, calls_fields);

/* ---- sizes */

double call_element_bytes(const Call *c)
{
  return op_type_bytes(op_type_of(c->dtype, strlen(c->dtype)));
}

int64_t call_bytes(const Call *c, int64_t elements)
{
  double size = call_element_bytes(c), bytes = size * (double)elements;
  return size > 0 && elements >= 0 && bytes < 9e18 ? (int64_t)bytes : -1;
}

int64_t call_full(const Call *c)
{
  return call_bytes(c, c->type == CALL_ALLGATHER ? c->out_elements : c->in_elements);
}

double call_bus_factor(const Call *c, int64_t size)
{
  double n = size > 0 ? (double)size : 1;
  return (c->type == CALL_ALLREDUCE ? 2 : 1) * (n - 1) / n;
}
