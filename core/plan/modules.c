/* Loading modules: open, check before anything is called, choose by name; see modules.h. */
/* SPDX-License-Identifier: MIT */
#include "plan/modules.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash-seed.h"
#include "base/standard.h"
#include "model/printable.h"
#include "plan/module-check.h"
#include "plan/module-copy.h"
#include "plan/module-elf.h"
#include "plan/module-search.h"
#include "plan/module-trust.h"
#include "plan/module-try.h"
#include "plan/outside.h"

struct Modules {
  Search search;
  GHashTable *named; /* name to the first Candidate of it */
  guint n_named;     /* candidates that are in `named` */
  GHashTable *tags;  /* tag to the name of the stage that has it */
};

enum { MOST_WHYS = 8 };

_Thread_local const char *modules_loading;

Modules *modules_new(const ModuleSearch *search)
{
  Modules *m = g_new0(Modules, 1);
  m->named = g_hash_table_new(hash_text, g_str_equal);
  m->tags = g_hash_table_new(hash_text, g_str_equal);
  search_init(&m->search, search);
  return m;
}

/* The shared objects stay mapped: thread-locals and exit handlers of theirs may outlive us. */
void modules_free(Modules *m)
{
  if (!m) return;
  g_hash_table_unref(m->named);
  search_clear(&m->search);
  g_hash_table_unref(m->tags);
  g_free(m);
}

/* ---- one file */

static Error *refuse(const Candidate *c, Error *e)
{
  return *c->path ? error_at(e, "file: %s (from %s)", c->path, c->origin)
                  : error_at(e, "from %s", c->origin);
}

static Error *not_a_module(const Candidate *c, const char *why)
{
  Error *e =
      refuse(c, error_new(EXIT_STAGE, "STG-05", "\"%s\" is not a stagemill module", c->name));
  return error_why(e, "%s", why);
}

static Error *not_loaded(const Candidate *c, const char *why)
{
  g_autofree char *safe = printable(why ? why : "the loader does not say why");
  Error *e = error_new(EXIT_STAGE, "STG-04", "module \"%s\" could not be loaded", c->name);
  return error_why(refuse(c, e), "%s", safe);
}

static Error *open_file(const Candidate *c, const char *path, const MillModule **out)
{
  bool cut;
  if (!module_look(path, &cut)) return distrust_unreadable("the file", path, c->origin);
  if (cut) return not_loaded(c, "the file ends too early; was it copied whole?");
  errno = 0;
  void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  int error_no = errno;
  if (!handle) {
    Error *e = error_of_errno(not_loaded(c, dlerror()), error_no);
    if (e->status == EXIT_LIMIT) return error_of_kind(e, ERROR_UNSEEN_MODULE);
    return error_help(e, "install what the loader lacks, or rebuild the module");
  }
  *out = dlsym(handle, "mill_module_v1");
  return *out ? NULL : not_a_module(c, "it exports no mill_module_v1");
}

static Error *wrong_abi(const Candidate *c, uint32_t abi)
{
  Error *e = error_new(EXIT_STAGE, "STG-02",
                       "module \"%s\" was built for ABI %u.%u, this program has ABI %u.%u", c->name,
                       abi >> 16, abi & 0xffff, MILL_ABI_MAJOR, MILL_ABI_MINOR);
  refuse(c, e);
  return error_help(e, "rebuild it; stagemill doctor lists every module that was refused");
}

/* Nothing after `abi` may be read before it is known to fit. */
static Error *check_header(const Candidate *c, const MillModule *module)
{
  if (module->magic != MILL_MAGIC)
    return not_a_module(c, "its descriptor does not begin with the right magic");
  uint32_t major = module->abi >> 16, minor = module->abi & 0xffff;
  if (major != MILL_ABI_MAJOR || minor > MILL_ABI_MINOR) return wrong_abi(c, module->abi);
  if (module->size < sizeof(MillModule)) return not_a_module(c, "its descriptor is too small");
  if (!module->descriptor) return not_a_module(c, "it holds no descriptor");
  return NULL;
}

static Error *bad_descriptor(const Candidate *c, GPtrArray *faults)
{
  Error *e =
      refuse(c, error_new(EXIT_STAGE, "STG-06", "the descriptor of \"%s\" is faulty", c->name));
  for (guint i = 0; i < faults->len && i < MOST_WHYS; i++) {
    g_autofree char *safe = printable(faults->pdata[i]);
    error_why(e, "%s", safe);
  }
  if (faults->len > MOST_WHYS) error_why(e, "and %u more", faults->len - MOST_WHYS);
  return error_help(e, "its author must correct it; the rules are in the headers, stagemill/*.h");
}

/* Bare names are stagemill's own, so that they never meet those of others; a prefix is the vendor that the module
 * says it has.  A vendor that is no prefix, such as "Acme Ltd.", may choose one. */
static void check_vendor(const MillModule *from, const char *name, GPtrArray *faults)
{
  const char *vendor = from->vendor ? from->vendor : "";
  const char *dot = name ? strchr(name, '.') : NULL;
  if (!dot && (!module_is_kebab(name) || !strcmp(vendor, "stagemill"))) return;
  bool known = module_is_kebab(vendor);
  if (dot && known && strlen(vendor) == (size_t)(dot - name) && g_str_has_prefix(name, vendor))
    return;
  if (dot && !known) return;
  char *fault =
      dot ? g_strdup_printf("the name \"%s\" does not begin with its vendor \"%s\"", name, vendor)
          : g_strdup_printf("the name \"%s\" needs its vendor before it: \"%s.%s\"", name,
                            known ? vendor : "vendor", name);
  g_ptr_array_add(faults, fault);
}

static Error *check_descriptor(const Candidate *c, const MillModule *from, const Descriptor *stage)
{
  g_autoptr(GPtrArray) faults = module_faults(stage);
  check_vendor(from, stage->name, faults);
  if (c->kind && c->kind != stage->kind)
    g_ptr_array_add(faults,
                    g_strdup_printf("it is a %s, in a folder for a %s",
                                    module_kind_name(stage->kind), module_kind_name(c->kind)));
  if (stage->name && strcmp(stage->name, c->name) != 0)
    g_ptr_array_add(faults,
                    g_strdup_printf("the file is named %s" MODULE_SUFFIX ", the %s in it \"%s\"",
                                    c->name, module_kind_name(stage->kind), stage->name));
  return faults->len ? bad_descriptor(c, faults) : NULL;
}

/* Engine tags are the program's own; JSN is shared with the sources that read JSON. */
static bool is_reserved(const Descriptor *stage)
{
  static const char *const engine[] = { "RUN", "PRF", "STG", "OUT", NULL };
  if (strcmp(stage->code, "JSN") == 0) return stage->kind != MILL_KIND_SOURCE;
  return g_strv_contains(engine, stage->code);
}

/* A tag belongs to one name, so that its codes do. */
static Error *claim_tag(Modules *m, const Candidate *c, const Descriptor *stage)
{
  const char *owner = g_hash_table_lookup(m->tags, stage->code);
  if (is_reserved(stage)) owner = "the program itself";
  if (!owner) g_hash_table_insert(m->tags, (gpointer)stage->code, (gpointer)stage->name);
  if (!owner || strcmp(owner, stage->name) == 0) return NULL;
  Error *e = error_new(EXIT_STAGE, "STG-08", "the tag %s of \"%s\" belongs to %s", stage->tag,
                       c->name, owner);
  refuse(c, e);
  return error_help(e, "its author must choose another tag");
}

static Module *make_module(const Candidate *c, const MillModule *from, const Descriptor *stage)
{
  Module *module = g_new0(Module, 1);
  module->stage = stage;
  module->own = from;
  module->vendor = from->vendor ? from->vendor : "";
  module->licence = from->licence ? from->licence : "";
  module->abi = from->abi;
  module->path = g_strdup(c->path);
  module->origin = c->origin;
  return module;
}

/* What a module gives, once its header is known to fit. */
static Error *take(Modules *m, Candidate *c, const MillModule *from)
{
  char *fault = NULL;
  Descriptor *stage = module_copy(from, &fault);
  if (!stage) {
    g_autoptr(GPtrArray) faults = g_ptr_array_new_with_free_func(g_free);
    g_ptr_array_add(faults, fault);
    return bad_descriptor(c, faults);
  }
  if (!*c->path && stage->name) {
    g_free(c->name);
    c->name = g_strdup(stage->name);
  }
  Error *e = check_descriptor(c, from, stage);
  if (!c->kind) c->kind = stage->kind;
  if (!e) module_add_vendor(stage);
  if (!e) e = claim_tag(m, c, stage);
  if (e)
    module_copy_free(stage);
  else
    c->module = make_module(c, from, stage);
  if (c->module) outside_add(c->module);
  return e;
}

/* Bare names are the program's own, except where only others put files.  Nothing in the file is believed yet. */
static bool is_from_outside(const Candidate *c)
{
  return strchr(c->name, '.') || !strcmp(c->origin, SEARCH_GIVEN) ||
         !strcmp(c->origin, SEARCH_USER);
}

typedef struct Trial {
  const Candidate *candidate;
  const char *path;
} Trial;

/* As far as it goes before an operation is called. */
static void load_there(void *what)
{
  const Trial *t = what;
  const MillModule *from = NULL;
  char *fault = NULL;
  Error *e = open_file(t->candidate, t->path, &from);
  if (e || check_header(t->candidate, from)) return;
  Descriptor *stage = module_copy(from, &fault);
  if (stage) module_faults(stage);
}

static Error *try_first(const Candidate *c, const char *path)
{
  Trial t = { c, path };
  g_autofree char *why = module_try(path, load_there, &t);
  if (!why) return NULL;
  Error *e = error_new(EXIT_STAGE, "STG-12", "module \"%s\" cannot be loaded", c->name);
  error_why(refuse(c, e), "a process that loaded it, to try it, %s", why);
  return error_help(e, "report it to its author, or remove the file; nothing else is affected");
}

static Error *load(Modules *m, Candidate *c)
{
  const MillModule *from = NULL;
  /* Links are followed once, so that the path which is looked at is the one that is loaded. */
  char real[PATH_MAX];
  const char *path = realpath(c->path, real);
  Error *e = path ? search_distrust(path, c->origin, false, m->search.allow_unsafe)
                  : distrust_unreadable("the file", c->path, c->origin);
  bool outside = is_from_outside(c);
  if (outside) standard_divert(false);
  if (!e && outside && m->search.try_first) e = try_first(c, path);
  modules_loading = c->path;
  if (!e) e = open_file(c, path, &from);
  if (!e) e = check_header(c, from);
  if (!e) e = take(m, c, from);
  modules_loading = NULL;
  return e;
}

static void try_candidate(Modules *m, Candidate *c)
{
  if (c->tried) return;
  c->tried = true;
  c->refusal = load(m, c);
}

Error *modules_add(Modules *m, const MillModule *module, const char *origin)
{
  Candidate *c = g_new0(Candidate, 1);
  c->name = g_strdup("(in memory)");
  c->path = g_strdup("");
  c->origin = origin;
  c->tried = true;
  Error *e = check_header(c, module);
  if (!e) e = take(m, c, module);
  if (e)
    candidate_free(c);
  else
    g_ptr_array_add(m->search.candidates, c);
  return e;
}

/* ---- choosing */

static Candidate *first_named(Modules *m, const char *name)
{
  while (m->n_named < m->search.candidates->len) {
    Candidate *c = m->search.candidates->pdata[m->n_named++];
    Candidate *last = g_hash_table_lookup(m->named, c->name);
    while (last && last->next) last = last->next;
    if (last)
      last->next = c;
    else
      g_hash_table_insert(m->named, c->name, c);
  }
  return g_hash_table_lookup(m->named, name);
}

/* The first file of the name and kind decides, also when it must be refused: silently taking one
 * further down the path would run other code than the user sees. */
static Candidate *pick(Modules *m, uint32_t kind, const char *name)
{
  Candidate *first = NULL;
  for (Candidate *c = first_named(m, name); c; c = c->next) {
    if (!c->kind) try_candidate(m, c); /* its folder holds modules of any kind */
    if (c->kind && c->kind != kind) continue;
    try_candidate(m, c);
    if (!first)
      first = c;
    else if (first->module && c->module && !first->module->shadows)
      first->module->shadows = g_strdup(c->path);
  }
  return first;
}

static Error *first_unseen(const GPtrArray *refused)
{
  for (guint i = 0; i < refused->len; i++) {
    const Error *e = refused->pdata[i];
    if (e->kind == ERROR_UNSEEN_MODULE) return error_copy(e);
  }
  return NULL;
}

static Error *not_found(Modules *m, uint32_t kind, const char *name)
{
  Error *unseen = first_unseen(m->search.refused); /* it may be in that folder */
  if (unseen) return unseen;
  g_autofree char *safe = printable(name);
  g_autoptr(GPtrArray) all = modules_all(m, kind);
  g_autoptr(GPtrArray) words = g_ptr_array_new();
  for (guint i = 0; i < all->len; i++)
    g_ptr_array_add(words, (gpointer)((Module *)all->pdata[i])->stage->name);
  g_ptr_array_add(words, NULL);
  const char *what = module_kind_name(kind ? kind : MILL_KIND_STAGE);
  Error *e = error_new(EXIT_STAGE, "STG-01", "unknown %s \"%s\"", what, safe);
  error_of_kind(e, ERROR_UNKNOWN_MODULE);
  for (guint i = 0; i < m->search.refused->len && i < MOST_WHYS; i++) {
    const Error *refused = m->search.refused->pdata[i];
    error_why(e, "%s: %s", refused->what, (char *)refused->why->pdata[0]);
  }
  error_suggest(e, name, (const char *const *)words->pdata);
  if (!all->len)
    return error_help(e, "none was found; stagemill doctor shows the searched folders");
  return error_help(e, "stagemill list %ss    shows the %u %ss found", what, all->len, what);
}

static Error *ambiguous(const char *name, Candidate *const *found)
{
  Error *e = error_new(EXIT_STAGE, "STG-07", "\"%s\" is the name of several modules", name);
  for (uint32_t kind = MILL_KIND_STAGE; kind <= MILL_KIND_SINK; kind++)
    if (found[kind])
      error_help(e, "%s/%s    is the %s", module_kind_name(kind), name, module_kind_name(kind));
  return e;
}

static Candidate *pick_any(Modules *m, const char *name, Error **out_error)
{
  Candidate *found[MILL_KIND_SINK + 1] = { NULL }, *one = NULL;
  guint n = 0;
  for (uint32_t kind = MILL_KIND_STAGE; kind <= MILL_KIND_SINK; kind++) {
    found[kind] = pick(m, kind, name);
    if (!found[kind] || found[kind] == one) continue;
    one = found[kind];
    n++;
  }
  if (n < 2) return one;
  *out_error = ambiguous(name, found);
  return NULL;
}

const Module *modules_find(Modules *m, uint32_t kind, const char *name, Error **out_error)
{
  Error *e = NULL;
  if (m->search.given) {
    *out_error = error_copy(m->search.given);
    return NULL;
  }
  const char *bare = name;
  uint32_t given = module_split_kind(&bare);
  if (given && kind && given != kind) {
    *out_error = not_found(m, kind, name);
    return NULL;
  }
  if (given) kind = given;
  Candidate *c = kind ? pick(m, kind, bare) : pick_any(m, bare, &e);
  if (c && c->module) return c->module;
  if (!e) e = c ? error_copy(c->refusal) : not_found(m, kind, bare);
  *out_error = e;
  return NULL;
}

const Module *modules_behind(Modules *m, const char *name, Error **out_refused)
{
  uint32_t kind = module_split_kind(&name);
  Error *refused = NULL;
  const Module *found = NULL;
  for (Candidate *c = first_named(m, name); c && !found; c = c->next) {
    try_candidate(m, c);
    if (c->refusal) refused = error_join(refused, error_copy(c->refusal));
    if (c->module && (!kind || c->kind == kind)) found = c->module;
  }
  *out_refused = refused;
  return refused ? found : NULL;
}

static int by_text(const void *a, const void *b)
{
  return strcmp(*(char *const *)a, *(char *const *)b);
}

GPtrArray *modules_names(Modules *m)
{
  GPtrArray *out = g_ptr_array_new();
  for (guint i = 0; i < m->search.candidates->len; i++) {
    Candidate *c = m->search.candidates->pdata[i];
    if (first_named(m, c->name) == c) g_ptr_array_add(out, c->name);
  }
  g_ptr_array_sort(out, by_text);
  return out;
}

const Module *modules_get(Modules *m, uint32_t kind, const char *name)
{
  Candidate *c = pick(m, kind, name);
  return c && c->module && c->module->stage->kind == kind ? c->module : NULL;
}

GPtrArray *modules_all(Modules *m, uint32_t kind)
{
  GPtrArray *out = g_ptr_array_new();
  g_autoptr(GPtrArray) names = modules_names(m);
  for (guint i = 0; i < names->len; i++)
    for (uint32_t k = MILL_KIND_STAGE; k <= MILL_KIND_SINK; k++) {
      const Module *found = !kind || kind == k ? modules_get(m, k, names->pdata[i]) : NULL;
      if (found) g_ptr_array_add(out, (gpointer)found);
    }
  return out;
}

/* The author's word, with the vendor before it that the name begins with, if any. */
static bool is_format(const Candidate *c, const char *format)
{
  const char *dot = strchr(c->name, '.');
  size_t len = dot ? (size_t)(dot - c->name) + 1 : 0;
  return !strncmp(format, c->name, len) && !strcmp(format + len, c->peek.format);
}

/* The first of the name decides, so it must be known that this one is it and what it says. */
static bool may_be_sink(Candidate *c, uint32_t flags, const char *format)
{
  if (c->tried) return true;
  if (!c->kind || c->kind == MILL_KIND_SINK) {
    if (!c->looked_at) c->known = module_peek(c->path, &c->peek);
    c->looked_at = true;
    if (!c->known) return true;
  }
  bool other = c->kind ? c->kind != MILL_KIND_SINK : c->peek.kind != MILL_KIND_SINK;
  if (other) return c->next && may_be_sink(c->next, flags, format);
  if (c->peek.kind != MILL_KIND_SINK) return true; /* it will be refused */
  return (!flags || c->peek.flags & flags) && (!format || is_format(c, format));
}

GPtrArray *modules_sinks(Modules *m, uint32_t flags, const char *format)
{
  GPtrArray *out = g_ptr_array_new();
  g_autoptr(GPtrArray) names = modules_names(m);
  for (guint i = 0; i < names->len; i++) {
    const char *name = names->pdata[i];
    if (!may_be_sink(first_named(m, name), flags, format)) continue;
    const Module *found = modules_get(m, MILL_KIND_SINK, name);
    if (!found || (flags && !(found->stage->flags & flags))) continue;
    if (!format || !strcmp(found->stage->family, format)) g_ptr_array_add(out, (gpointer)found);
  }
  return out;
}

GPtrArray *modules_refused(Modules *m)
{
  GPtrArray *out = g_ptr_array_new();
  for (guint i = 0; i < m->search.refused->len; i++)
    g_ptr_array_add(out, m->search.refused->pdata[i]);
  for (guint i = 0; i < m->search.candidates->len; i++) {
    Candidate *c = m->search.candidates->pdata[i];
    if (c->refusal) g_ptr_array_add(out, c->refusal);
  }
  return out;
}

Error *modules_unseen(Modules *m)
{
  g_autoptr(GPtrArray) refused = modules_refused(m);
  return m->search.given ? error_copy(m->search.given) : first_unseen(refused);
}

const GPtrArray *modules_folders(const Modules *m) { return m->search.folders; }

Error *modules_part(const Modules *m, const char *name, char **out_path)
{
  const GPtrArray *folders = m->search.folders;
  for (guint i = 0; i < folders->len; i++) {
    const SearchFolder *folder = folders->pdata[i];
    g_autofree char *file = g_build_filename(folder->path, name, NULL);
    char *path = realpath(file, NULL); /* links are followed first, as those of folders are */
    if (!path) continue;
    *out_path = g_strdup(path);
    free(path);
    return search_distrust(*out_path, folder->origin, false, m->search.allow_unsafe);
  }
  Error *e = error_new(EXIT_STAGE, "STG-01", "a part of the program is missing: %s", name);
  return error_help(e, "install the program again; stagemill doctor lists the folders it looks in");
}
