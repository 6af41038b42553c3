/* A case as a test gives it: options, lanes, events; whatever is wrong with it is reported with its place. */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/num.h"
#include "base/suggest.h"
#include "harness-internal.h"
#include "model/option.h"
#include "plan/module-copy.h"
#include "plan/modules.h"
#include "record.h"

static HarnessCase current;

static void lane_free(gpointer p)
{
  HarnessLane *lane = p;
  g_free(lane->name);
  g_free(lane->label);
  g_free(lane->dialect);
  g_free(lane->path);
  g_ptr_array_unref(lane->tags);
  g_ptr_array_unref(lane->facts);
  g_ptr_array_unref(lane->members);
  g_ptr_array_unref(lane->lines);
  g_clear_pointer(&lane->bytes, g_bytes_unref);
  g_free(lane);
}

HarnessCase *harness_case(void)
{
  if (current.options) return &current;
  current.options = g_ptr_array_new_with_free_func(g_free);
  current.lanes = g_ptr_array_new_with_free_func(lane_free);
  return &current;
}

/* The case as it is given from here on. */
static HarnessCase *change(void)
{
  HarnessCase *c = harness_case();
  if (c->forget) c->forget();
  return c;
}

void harness_clear(void)
{
  HarnessCase *c = change();
  harness_record_next();
  g_ptr_array_set_size(c->options, 0);
  g_ptr_array_set_size(c->lanes, 0);
  c->with_stage = NULL;
  if (c->folder) harness_remove_folder(c->folder);
  g_clear_pointer(&c->folder, g_free);
}

const Descriptor *harness_describe(const MillModule *module)
{
  char *fault = NULL;
  Modules *alone = modules_new(NULL);
  Error *e = modules_add(alone, module, "the test");
  g_autofree char *text = e ? harness_error_text(e) : NULL;
  modules_free(alone);
  error_free(e);
  if (!text) return module_copy(module, &fault);
  harness_complain(NULL, 0, "%s", text);
  return NULL;
}

static uint32_t kind_under_test(void) { return harness_case()->descriptor->kind; }

/* ----------------------------------------------------------------- options */

static void unknown_option(const char *file, int line, const char *name)
{
  const Descriptor *d = current.descriptor;
  g_autofree const char **names = g_new0(const char *, d->n_options + 1);
  for (uint32_t i = 0; i < d->n_options; i++) names[i] = d->options[i].name;
  const char *near = suggest_nearest(name, names);
  harness_complain(file, line, "%s \"%s\" has no option \"%s\"%s%s%s", module_kind_name(d->kind),
                   d->name, name, near ? ", did you mean \"" : "", near ? near : "",
                   near ? "\"?" : "");
}

void harness_add_option(const char *file, int line, const char *text)
{
  HarnessCase *c = change();
  const char *equal = strchr(text, '=');
  harness_record_item(CASE_WITH, text);
  g_autofree char *name = g_strndup(text, equal ? (gsize)(equal - text) : strlen(text));
  if (!equal)
    harness_complain(file, line, "\"%s\": an option is NAME=VALUE", text);
  else if (!option_find(c->descriptor->options, c->descriptor->n_options, name))
    unknown_option(file, line, name);
  else
    g_ptr_array_add(c->options, g_strdup(text));
}

void harness_with(const char *file, int line, ...)
{
  va_list args;
  va_start(args, line);
  for (const char *text; (text = va_arg(args, const char *));)
    harness_add_option(file, line, text);
  va_end(args);
}

/* ------------------------------------------------------------------- lanes */

static HarnessLane *add_lane(void)
{
  HarnessCase *c = change();
  HarnessLane *lane = g_new0(HarnessLane, 1);
  lane->rank = c->lanes->len;
  lane->base_ns = MILL_NO_BASE;
  lane->name = g_strdup_printf("lane%u.json", c->lanes->len);
  lane->label = g_strdup("");
  lane->dialect = g_strdup("");
  lane->tags = g_ptr_array_new_with_free_func(g_free);
  lane->facts = g_ptr_array_new_with_free_func(g_free);
  lane->members = g_ptr_array_new_with_free_func(g_free);
  lane->lines = g_ptr_array_new_with_free_func((GDestroyNotify)harness_line_free);
  g_ptr_array_add(c->lanes, lane);
  return lane;
}

static HarnessLane *last_lane(void)
{
  HarnessCase *c = change();
  return c->lanes->len ? c->lanes->pdata[c->lanes->len - 1] : add_lane();
}

static bool set_rank(HarnessLane *lane, const char *value)
{
  lane->has_rank = true;
  lane->rank = -1;
  return !strcmp(value, "-") || num_int(value, strlen(value), &lane->rank);
}

/* What only the source of a lane knows. */
static bool set_described(HarnessLane *lane, const char *key, const char *value)
{
  if (kind_under_test() == MILL_KIND_SOURCE) return false;
  if (g_str_has_prefix(key, "member.")) {
    g_ptr_array_add(lane->members, g_strdup_printf("%s=%s", key + strlen("member."), value));
    return true;
  }
  if (!strcmp(key, "fact")) {
    g_ptr_array_add(lane->facts, g_strdup(value));
    return true;
  }
  if (!strcmp(key, "base")) return num_duration(value, strlen(value), &lane->base_ns);
  if (strcmp(key, "dialect")) return false;
  text_replace(&lane->dialect, g_strdup(value));
  return true;
}

static bool set_fact(void *context, const char *key, const char *value)
{
  HarnessLane *lane = context;
  if (!strcmp(key, "rank")) return set_rank(lane, value);
  if (!strcmp(key, "name")) return text_replace(&lane->name, g_strdup(value)), true;
  if (!strcmp(key, "label")) return text_replace(&lane->label, g_strdup(value)), true;
  if (!g_str_has_prefix(key, "tag.")) return set_described(lane, key, value);
  g_ptr_array_add(lane->tags, g_strdup_printf("%s=%s", key + strlen("tag."), value));
  return true;
}

void harness_each_fact(const char *facts,
                       bool (*set)(void *context, const char *key, const char *value),
                       void *context, const char *file, int line)
{
  g_auto(GStrv) words = g_strsplit(facts, " ", -1);
  for (char **word = words; *word; word++) {
    char *equal = strchr(*word, '=');
    g_autofree char *key = g_strndup(*word, equal ? (gsize)(equal - *word) : 0);
    if (**word && (!equal || !set(context, key, equal + 1)))
      harness_complain(file, line, "\"%s\" is not a fact of a lane that can be given here", *word);
  }
}

void harness_lane(const char *file, int line, const char *facts)
{
  harness_record_item(CASE_LANE, facts);
  harness_each_fact(facts, set_fact, add_lane(), file, line);
}

/* ------------------------------------------------------------------ events */

void harness_add_event(const char *file, int line, const char *text)
{
  char *why = NULL;
  HarnessLine *event = harness_line_parse(text, &why);
  harness_record_line(text);
  if (event)
    g_ptr_array_add(last_lane()->lines, event);
  else
    harness_complain(file, line, "%s", why);
  g_free(why);
}

bool harness_begin_events(const char *file, int line)
{
  if (kind_under_test() == MILL_KIND_SOURCE) {
    harness_complain(file, line, "a source is given bytes: given_bytes or given_file");
    return false;
  }
  last_lane();
  return true;
}

void harness_given(const char *file, int line, ...)
{
  va_list args;
  if (!harness_begin_events(file, line)) return;
  harness_record_item(CASE_GIVEN, NULL);
  va_start(args, line);
  for (const char *text; (text = va_arg(args, const char *));) harness_add_event(file, line, text);
  va_end(args);
}

/* Each lane is one input: the second one begins another lane. */
static HarnessLane *input_for(const char *file, int line)
{
  if (kind_under_test() != MILL_KIND_SOURCE) {
    harness_complain(file, line, "only a source is given bytes; stages and sinks are given events");
    return NULL;
  }
  HarnessLane *lane = last_lane();
  return lane->bytes || lane->path ? add_lane() : lane;
}

void harness_bytes(const char *file, int line, const void *bytes, size_t len)
{
  HarnessLane *lane = input_for(file, line);
  size_t n = len == HARNESS_TEXT ? strlen(bytes) : len;
  harness_record_item(CASE_BYTES, NULL);
  harness_record_text(bytes, n);
  if (lane) lane->bytes = g_bytes_new(bytes, n);
}

void harness_file(const char *file, int line, const char *path)
{
  HarnessLane *lane = input_for(file, line);
  if (!lane) return;
  lane->path = g_strdup(path);
  harness_record_item(CASE_FILE, path);
  if (!g_file_test(path, G_FILE_TEST_EXISTS))
    harness_complain(file, line, "there is no file %s", path);
}

void harness_stage(const char *file, int line, const MillStage *stage)
{
  if (kind_under_test() == MILL_KIND_STAGE)
    harness_complain(file, line, "a stage is tested alone");
  else
    change()->with_stage = stage;
  harness_record_lack("a stage of its own");
}
