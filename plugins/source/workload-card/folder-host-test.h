/* A host for sources that look through folders: real folders below, what was described as text. */
/* SPDX-License-Identifier: MIT */
#ifndef SOURCE_WORKLOAD_CARD_FOLDER_HOST_TEST_H
#define SOURCE_WORKLOAD_CARD_FOLDER_HOST_TEST_H

#include <glib.h>
#include <stagemill/source.h>
#include <sys/stat.h>

#include "check.h"
#include "module-under-test.h"

/* A row of a program that knows more than the source. */
typedef struct WideEntry {
  MillEntry entry;
  uint64_t newer;
} WideEntry;

/* A host that looks at real folders and writes down what it is given. */
typedef struct Host {
  MillHost common; /* first: a MillHost pointer is a Host pointer */
  MillSourceHost source;
  const char *root, *label;
  GPtrArray *freed_later;
  GString *inputs; /* "path source\n", with tags and hints when `with_tags` */
  GString *notes;  /* "number name=value ...\n" */
  GString *failure;
  bool with_tags;
  int add_status;
} Host;

static Host *self_of(const MillHost *host) { return (Host *)(uintptr_t)host; }

static char *keep(Host *h, char *text)
{
  g_ptr_array_add(h->freed_later, text);
  return text;
}

/* Paths count from the folder under test. */
static const char *inside(const Host *h, const char *text)
{
  size_t len = strlen(h->root);
  if (strncmp(text, h->root, len) != 0) return text;
  return text[len] == '/' ? text + len + 1 : ".";
}

static int by_name(gconstpointer a, gconstpointer b)
{
  return strcmp(((const WideEntry *)a)->entry.name, ((const WideEntry *)b)->entry.name);
}

static int list(const MillSourceHost *host, const char *folder, MillEntryRows *out)
{
  Host *h = self_of(host->common);
  GDir *dir = g_dir_open(folder, 0, NULL);
  if (!dir) return -1;
  GArray *entries = g_array_new(FALSE, TRUE, sizeof(WideEntry));
  for (const char *name; (name = g_dir_read_name(dir));) {
    struct stat st;
    g_autofree char *path = g_build_filename(folder, name, NULL);
    if (stat(path, &st)) continue;
    WideEntry e = { { keep(h, g_strdup(name)), (uint64_t)st.st_size, S_ISDIR(st.st_mode), 0 }, 0 };
    g_array_append_val(entries, e);
  }
  g_dir_close(dir);
  g_array_sort(entries, by_name);
  *out = (MillEntryRows){ .n = entries->len, .stride = sizeof(WideEntry) };
  out->at = (MillEntry *)(void *)keep(h, g_array_free(entries, FALSE));
  return 0;
}

static int64_t read_file(const MillSourceHost *host, const char *path, size_t max, const char **out)
{
  char *bytes = NULL;
  gsize len = 0;
  *out = "it cannot be opened";
  if (!g_file_get_contents(path, &bytes, &len, NULL)) return -1;
  keep(self_of(host->common), bytes);
  *out = len > max ? "it is too large" : bytes;
  return len > max ? -1 : (int64_t)len;
}

static int64_t read_head(const MillSourceHost *host, const char *path, const char **out)
{
  int64_t len = read_file(host, path, SIZE_MAX, out);
  return MIN(len, 64 * 1024);
}

static void print_pairs(GString *out, const char *title, const char *const *pairs)
{
  g_string_append_printf(out, " %s", title);
  for (; pairs && *pairs; pairs++) g_string_append_printf(out, " [%s]", *pairs);
}

static int add_input(const MillSourceHost *host, const MillInput *input)
{
  Host *h = self_of(host->common);
  if (h->add_status) return h->add_status;
  CHECK_INT(input->size, sizeof *input);
  CHECK(input->label == NULL);
  g_string_append_printf(h->inputs, "%s %s", inside(h, input->path),
                         input->source ? input->source : "-");
  if (h->with_tags) {
    print_pairs(h->inputs, "tags", input->tags);
    print_pairs(h->inputs, "hints", input->hints);
  }
  g_string_append_c(h->inputs, '\n');
  return 0;
}

static void note(const MillHost *host, uint32_t number, const MillBatch *b, uint32_t index,
                 const MillNamed *named, uint32_t n)
{
  Host *h = self_of(host);
  CHECK(b == NULL && index == MILL_NO_EVENT && n <= 4);
  g_string_append_printf(h->notes, "%u", number);
  for (uint32_t i = 0; i < n; i++) {
    g_autofree char *value = g_strndup(named[i].value.u.text, named[i].value.len);
    g_string_append_printf(h->notes, " %s=%s", named[i].name, inside(h, value));
  }
  g_string_append_c(h->notes, '\n');
}

static int fail(const MillHost *host, const MillFailure *f)
{
  Host *h = self_of(host);
  CHECK(f->what && f->help);
  g_string_printf(h->failure, "%u|%s|%s", f->number, f->where ? inside(h, f->where) : "",
                  f->why ? f->why : "");
  return -(int)f->status;
}

static void lane(const MillHost *host, uint32_t index, MillLane *out)
{
  CHECK_INT(index, MILL_NO_LANE);
  out->label = self_of(host)->label;
}

static inline void host_init(Host *h, const char *root)
{
  *h = (Host){ .root = root, .label = "" };
  h->freed_later = g_ptr_array_new_with_free_func(g_free);
  h->inputs = g_string_new(NULL);
  h->notes = g_string_new(NULL);
  h->failure = g_string_new(NULL);
  h->common = (MillHost){
    .size = sizeof(MillHost), .abi = MILL_ABI, .lane = lane, .note = note, .fail = fail
  };
  h->source = (MillSourceHost){ .size = sizeof(MillSourceHost),
                                .common = &h->common,
                                .list = list,
                                .read_file = read_file,
                                .read_head = read_head,
                                .add_input = add_input };
}

static inline void host_clear(Host *h)
{
  g_ptr_array_unref(h->freed_later);
  g_string_free(h->inputs, TRUE);
  g_string_free(h->notes, TRUE);
  g_string_free(h->failure, TRUE);
}

#endif
