/* The host table of sources: bytes, what they report of their lane, attributes, files. */
/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <string.h>

#include "base/folder.h"
#include "host/instance.h"
#include "host/memory.h"
#include "host/tables.h"
#include "host/verify.h"
#include "model/printable.h"
#include "plan/facts.h"

enum {
  IN_FORK = PHASE_FORK | PHASE_FORKED,
  PARSING = PHASE_READ | IN_FORK,
  LOOKS = PHASE_EXPAND | PHASE_SOURCE | IN_FORK
};

/* ------------------------------------------------------------------- bytes */

static Reader *reader_of(const Instance *i)
{
  return i->source_env.input ? i->source_env.reader(i->source_env.input) : NULL;
}

static int64_t host_read(const MillSourceHost *h, void *buffer, size_t max)
{
  Instance *i = instance_of_source(h);
  Reader *r = phase_allows(i, PHASE_SOURCE, "read") ? reader_of(i) : NULL;
  int64_t n = r ? reader_read(r, buffer, max) : -1;
  return n >= 0 ? n : -MILL_BAD_INPUT; /* instance_leave says why, unless the source goes on */
}

static const char *host_read_why(const MillSourceHost *h)
{
  Instance *i = instance_of_source(h);
  const Reader *r = phase_allows(i, PHASE_SOURCE, "read_why") ? reader_of(i) : NULL;
  return r ? reader_why(r) : NULL;
}

static int64_t host_peek(const MillSourceHost *h, bool from_end, const char **out_bytes)
{
  Instance *i = instance_of_source(h);
  bool fine = phase_allows(i, PHASE_DESCRIBE, "peek") && i->source_env.input;
  return fine ? i->source_env.peek(i->source_env.input, from_end, out_bytes) : 0;
}

static int64_t host_size_bytes(const MillSourceHost *h)
{
  Instance *i = instance_of_source(h);
  bool fine = phase_allows(i, PHASE_DESCRIBE, "size_bytes") && i->source_env.input;
  return fine ? i->source_env.size_bytes(i->source_env.input) : -1;
}

/* ------------------------------------------------------------ of the lane */

static bool describe_number(Instance *i, const char *key, MillValue v)
{
  if (!strcmp(key, "rank") && v.type == MILL_INT)
    lane_info_set_rank(i->lane, v.u.i, "metadata");
  else if (!strcmp(key, "rank_hint") && v.type == MILL_INT)
    lane_info_set_rank(i->lane, v.u.i, "first event");
  else if (!strcmp(key, "base_ns") && v.type == MILL_INT)
    lane_info_set_base(i->lane, v.u.i);
  else if (!strcmp(key, "skipped") && v.type == MILL_BOOL)
    i->lane->skipped = v.u.i != 0;
  else
    return false;
  return true;
}

/* The planner believes facts, and the source's page lists them. */
static void describe_fact(Instance *i, const char *fact)
{
  const Descriptor *d = i->descriptor;
  if (!fact_in_list(d->provides, fact) && !fact_in_list(d->wants, fact))
    instance_refuse(i, "described a fact that it does not declare", fact,
                    "name it in `provides` or `may_provide`");
  else if (!i->env->planned(i->env->run))
    lane_info_add_fact(i->lane, fact);
}

enum { MOST_TAGS = 1000 };

/* False: it is none. */
static bool describe_tag(Instance *i, const char *pair)
{
  size_t len = strcspn(pair, "=");
  if (!len || !pair[len]) return false;
  lane_info_lock(i->lane);
  bool fits = i->lane->tags->len < MOST_TAGS;
  if (fits) tags_set(i->lane->tags, pair, TAG_FILE);
  lane_info_unlock(i->lane);
  if (!fits) instance_refuse(i, "described more than 1,000 tags", NULL, "report it to the author");
  return true;
}

static bool describe_text(Instance *i, const char *key, const char *value)
{
  bool planned = i->env->planned(i->env->run);
  if (!strcmp(key, "tag")) {
    return describe_tag(i, value);
  } else if (!strcmp(key, "dialect")) {
    if (planned) return true;
    g_free(i->lane->dialect);
    i->lane->dialect = g_strdup(value);
  } else if (!strcmp(key, "fact")) {
    describe_fact(i, value);
  } else {
    return false;
  }
  return true;
}

static void host_describe(const MillSourceHost *h, const char *key, MillValue v)
{
  Instance *i = instance_of_source(h);
  if (!phase_allows(i, PHASE_SOURCE, "describe") || !i->lane || i->again) return;
  if (i->env->verify) verify_value(i, &v, NULL);
  bool known = describe_number(i, key, v);
  if (!known && v.type == MILL_TEXT) {
    g_autofree char *text = g_strndup(v.len ? v.u.text : "", v.len);
    known = describe_text(i, key, text);
  }
  if (!known && i->env->verify)
    verify_broken(i, "unknown-key", "set a value of the lane that does not exist", NULL);
}

static uint32_t host_track(const MillSourceHost *h, MillValue process, MillValue thread)
{
  Instance *i = instance_of_source(h);
  return phase_allows(i, PHASE_START | PARSING, "track")
             ? instance_track(i, i->lane->index, process, thread)
             : MILL_FAILED;
}

/* ------------------------------------------------------------------- parts */

static int64_t host_part(const MillSourceHost *h)
{
  Instance *i = instance_of_source(h);
  bool fine = phase_allows(i, PHASE_DESCRIBE, "part") && i->source_env.input;
  return fine ? i->source_env.part(i->source_env.input) : -1;
}

enum { MOST_PARTS = 65536 };

static void host_divide(const MillSourceHost *h, uint32_t n_parts)
{
  Instance *i = instance_of_source(h);
  bool fine = phase_allows(i, PHASE_DESCRIBE, "divide") && i->source_env.input;
  if (n_parts > MOST_PARTS)
    instance_refuse(i, "divided an input into more than 65,536 lanes", NULL, "report it to the author");
  else if (fine && n_parts)
    i->source_env.divide(i->source_env.input, n_parts);
}

/* -------------------------------------------------------------- what is read */

static MillReadRows host_wanted(const MillSourceHost *h)
{
  Instance *i = instance_of_source(h);
  if (!phase_allows(i, PHASE_START | PARSING, "wanted")) return (MillReadRows){ 0 };
  return i->env->wanted(i->env->run);
}

static void host_member(const MillSourceHost *h, bool after_events, const char *key, size_t key_len,
                        const char *json, size_t len)
{
  Instance *i = instance_of_source(h);
  MillValue value = mill_json(json, len), name = mill_text(key, key_len);
  if (!phase_allows(i, PHASE_READ, "member") || i->again) return;
  if (i->env->verify) verify_value(i, &value, NULL);
  if (!instance_takes(i, &name) || !instance_takes(i, &value)) return;
  if (budget_is_full(i->env->budget)) {
    memory_refuse(i);
    return;
  }
  LaneMember member = { g_strndup(key, key_len), g_bytes_new(json, len), after_events };
  lane_info_add_member(i->lane, member, i->env->budget);
}

static bool host_strict(const MillSourceHost *h) { return instance_of_source(h)->env->strict; }

static bool host_recover(const MillSourceHost *h) { return instance_of_source(h)->env->recover; }

/* -------------------------------------------------------------- attributes */

static int host_add_attr(const MillSourceHost *h, MillBatch *b, MillSym key, MillValue value)
{
  Instance *i = instance_of_source(h);
  if (!phase_allows(i, PARSING, "add_attr")) return -MILL_STAGE_FAILED;
  if (!b->n_events)
    return instance_refuse(i, "added an attribute before the first event", NULL, NULL);
  if (i->env->verify) verify_value(i, &value, NULL);
  if (verify_number(&value) && !instance_takes(i, &value)) return -MILL_STAGE_FAILED;
  if (batch_add_attr(batch_of(b), key, value)) return 0;
  return instance_refuse(i, "added more attributes than an event can have", NULL,
                         "put what follows into further records with the same id");
}

static bool host_grow_attrs(const MillSourceHost *h, MillBatch *b)
{
  bool fine = phase_allows(instance_of_source(h), PARSING, "grow_attrs");
  return fine && batch_grow_attrs(batch_of(b));
}

static uint32_t host_own_text(const MillSourceHost *h, MillBatch *b, const char *text, size_t len)
{
  Instance *i = instance_of_source(h);
  Batch *batch = batch_of(b);
  if (!phase_allows(i, PARSING, "own_text")) return 0;
  bool fits = batch_has_room(batch, len);
  if (fits && batch_wants_charge(batch)) fits = batch_charge(batch, i->env->budget);
  if (fits) return batch_own_text(batch, text, len);
  memory_refuse_for(i, "it puts more texts into one batch than there is memory for");
  return 0;
}

/* ------------------------------------------------------------------- files */

/* Sources may list a folder more than once. */
static void add_unseen(SourceEnv *env, const char *what, int why)
{
  for (const Error *e = env->unseen; e; e = e->next)
    if (!strcmp(e->what, what)) return;
  Error *e = error_of_errno(error_new(EXIT_INPUT, "RUN-91", "%s", what), why);
  env->unseen = error_join(env->unseen, e);
}

/* What is not there, or no folder, is an answer.  Whatever else keeps a folder or a name in it from being seen
 * would leave out inputs: it is an error, whatever the source makes of it. */
static void cannot_see(Instance *i, const char *path)
{
  int why = errno;
  if (why == ENOENT && !g_file_test(path, G_FILE_TEST_IS_SYMLINK)) return;
  if (why == ENOTDIR) return;
  g_autofree char *safe = printable(path);
  g_autofree char *what = g_strdup_printf("\"%s\" cannot be read: %s", safe, g_strerror(why));
  if (i->phase == PHASE_EXPAND)
    add_unseen(&i->source_env, what, why);
  else if (!i->error)
    mill_fail(&i->common, why == ENOMEM ? MILL_LIMIT : MILL_BAD_INPUT, what,
              "correct its mode, or take it out of the folder");
}

static int list_into(Instance *i, const char *folder, FolderListing *listing, MillEntryRows *out)
{
  const FolderEntry *found = folder_list(listing, folder);
  if (!found) {
    cannot_see(i, folder);
    return -1;
  }
  MillEntry *entries = memory_scratch(i, (listing->names->len + 1) * sizeof *entries);
  for (guint k = 0; entries && k < listing->names->len; k++) {
    const FolderEntry *f = &found[k];
    errno = f->why;
    if (f->seen < 0) cannot_see(i, f->path);
    if (f->seen <= 0) continue;
    MillEntry *entry = &entries[out->n++];
    entry->name = memory_scratch_text(i, f->name);
    entry->is_folder = S_ISDIR(f->st.st_mode);
    entry->size_bytes = S_ISREG(f->st.st_mode) ? (uint64_t)f->st.st_size : 0;
  }
  out->at = entries;
  return entries ? 0 : -1;
}

/* Sources look through one folder in turn: it is looked at once.  A name that vanished in between is left out. */
static int host_list(const MillSourceHost *h, const char *folder, MillEntryRows *out)
{
  Instance *i = instance_of_source(h);
  FolderListing own = { 0 }, *held = i->source_env.listing;
  *out = (MillEntryRows){ .stride = sizeof(MillEntry) };
  if (!phase_allows(i, LOOKS, "list")) return -1;
  bool is_held = held && (!held->path || !strcmp(held->path, folder));
  int status = list_into(i, folder, is_held ? held : &own, out);
  folder_listing_clear(&own);
  return status;
}

#define LARGEST_FILE ((size_t)INT32_MAX) /* an array of bytes holds no more than twice that */

/* Until one byte more than `max`: most files are far smaller than what a source allows. */
static int64_t read_all(Reader *r, size_t max, GByteArray *out)
{
  char piece[16384];
  int64_t n = 0;
  while (out->len <= max && (n = reader_read(r, piece, MIN(sizeof piece, max + 1 - out->len))) > 0)
    g_byte_array_append(out, (const guint8 *)piece, (guint)n);
  return n;
}

static int64_t file_failed(Instance *i, const char *why, const char **out)
{
  *out = memory_scratch_text(i, why);
  return -1;
}

static int64_t host_read_file(const MillSourceHost *h, const char *path, size_t max,
                              const char **out_bytes)
{
  Instance *i = instance_of_source(h);
  g_autofree char *why = NULL;
  if (!phase_allows(i, LOOKS, "read_file")) return file_failed(i, "it was not allowed", out_bytes);
  max = MIN(max, LARGEST_FILE);
  Reader *r = reader_open(path, &why);
  if (!r) return file_failed(i, why, out_bytes);
  g_autoptr(GByteArray) bytes = g_byte_array_new();
  int64_t n = read_all(r, max, bytes);
  g_autofree char *failure = n < 0 ? g_strdup(reader_why(r)) : NULL;
  reader_close(r);
  if (n < 0) return file_failed(i, failure, out_bytes);
  if (bytes->len > max) return file_failed(i, "it is too large", out_bytes);
  char *copy = memory_scratch(i, (size_t)bytes->len + 1);
  if (!copy) return file_failed(i, "it is too large", out_bytes);
  if (bytes->len) memcpy(copy, bytes->data, bytes->len);
  *out_bytes = copy;
  return bytes->len;
}

static int64_t host_read_head(const MillSourceHost *h, const char *path, const char **out_bytes)
{
  Instance *i = instance_of_source(h);
  g_autofree char *why = NULL;
  const char *bytes;
  if (!phase_allows(i, LOOKS, "read_head")) return file_failed(i, "it was not allowed", out_bytes);
  Reader *r = reader_open(path, &why);
  if (!r) return file_failed(i, why, out_bytes);
  size_t len = reader_peek(r, &bytes);
  char *copy = memory_scratch(i, len + 1);
  if (copy && len) memcpy(copy, bytes, len);
  *out_bytes = copy;
  g_autofree char *failure = len == 0 && reader_why(r) ? g_strdup(reader_why(r)) : NULL;
  reader_close(r);
  if (!copy) return file_failed(i, "it is too large", out_bytes);
  return failure ? file_failed(i, failure, out_bytes) : (int64_t)len;
}

static int host_add_input(const MillSourceHost *h, const MillInput *theirs)
{
  Instance *i = instance_of_source(h);
  MillInput found = { 0 };
  if (!phase_allows(i, PHASE_EXPAND, "add_input")) return -MILL_STAGE_FAILED;
  memcpy(&found, theirs, MIN(theirs->size, (uint32_t)sizeof found));
  if (!found.path) return instance_refuse(i, "added an input without a path", NULL, NULL);
  i->source_env.add_input(i->source_env.finder, &found);
  return 0;
}

static int host_enter(const MillSourceHost *h, const char *path, const char **out_why)
{
  Instance *i = instance_of_source(h);
  g_autofree char *why = NULL;
  bool fine = phase_allows(i, PHASE_SOURCE, "enter") && i->source_env.input;
  int status = fine ? i->source_env.enter(i->source_env.input, path, &why) : -1;
  if (status) *out_why = memory_scratch_text(i, why ? why : "there is no input to read");
  return status;
}

void host_source_init(MillSourceHost *h, const MillHost *common)
{
  *h = (MillSourceHost){
    .size = sizeof *h,
    .common = common,
    .read = host_read,
    .read_why = host_read_why,
    .peek = host_peek,
    .describe = host_describe,
    .track = host_track,
    .wanted = host_wanted,
    .add_attr = host_add_attr,
    .grow_attrs = host_grow_attrs,
    .own_text = host_own_text,
    .member = host_member,
    .strict = host_strict,
    .recover = host_recover,
    .list = host_list,
    .read_file = host_read_file,
    .add_input = host_add_input,
    .enter = host_enter,
    .size_bytes = host_size_bytes,
    .read_head = host_read_head,
    .part = host_part,
    .divide = host_divide,
  };
}
