/* Names of files with tags in them; see name-pattern.h. */
/* SPDX-License-Identifier: MIT */
#include "base/name-pattern.h"

#include <string.h>

#include "base/trees.h"

void name_fault_clear(NameFault *f)
{
  g_free(f->what);
  g_free(f->where);
  g_free(f->help);
  *f = (NameFault){ 0 };
}

/* ------------------------------------------------------------------ reading */

/* What the command line takes for a tag. */
static bool is_tag_name(const char *text, size_t len)
{
  for (size_t i = 0; i < len; i++)
    if (!g_ascii_isalnum(text[i]) && !strchr("_.-", text[i])) return false;
  return len > 0;
}

static NamePattern *refuse(NamePattern *p, const char *brace, NameFault *out)
{
  const char *end = strchr(brace, '}');
  size_t len = end ? (size_t)(end - brace) + 1 : strlen(brace);
  g_autofree char *piece = g_strndup(brace, len), *shown = g_strescape(piece, NULL);
  out->what = end ? g_strdup_printf("%s is not the name of a tag in braces", shown)
                  : g_strdup_printf("a brace is not closed: %s", shown);
  out->help = g_strdup("tags are written as in {threads}thread_{channels}ch.json");
  name_pattern_free(p);
  return NULL;
}

NamePattern *name_pattern_read(const char *text, NameFault *out)
{
  NamePattern *p = g_new0(NamePattern, 1);
  p->texts = g_ptr_array_new_with_free_func(g_free);
  p->tags = g_ptr_array_new_with_free_func(g_free);
  const char *brace;
  while ((brace = strchr(text, '{'))) {
    const char *end = strchr(brace, '}');
    if (!end || !is_tag_name(brace + 1, (size_t)(end - brace) - 1)) return refuse(p, brace, out);
    g_ptr_array_add(p->texts, g_strndup(text, (size_t)(brace - text)));
    g_ptr_array_add(p->tags, g_strndup(brace + 1, (size_t)(end - brace) - 1));
    text = end + 1;
  }
  g_ptr_array_add(p->texts, g_strdup(text));
  return p;
}

void name_pattern_free(NamePattern *p)
{
  if (!p) return;
  g_ptr_array_unref(p->texts);
  g_ptr_array_unref(p->tags);
  g_free(p);
}

bool name_pattern_has(const NamePattern *p, const char *tag)
{
  return g_ptr_array_find_with_equal_func(p->tags, tag, g_str_equal, NULL);
}

char *name_pattern_groups(const NamePattern *p)
{
  GString *all = g_string_new(NULL);
  g_autoptr(GTree) seen = text_set_new();
  for (guint i = 0; i < p->tags->len; i++) {
    const char *tag = p->tags->pdata[i];
    if (!strcmp(tag, NAME_RANK) || text_set_has(seen, tag)) continue;
    text_set_add(seen, g_strdup(tag));
    g_string_append_printf(all, "%s%s", all->len ? "," : "", tag);
  }
  return g_string_free(all, FALSE);
}

/* ------------------------------------------------------------------- groups */

bool name_same_group(const NamePattern *p, const NameLanes *lanes, uint32_t a, uint32_t b)
{
  for (guint i = 0; i < p->tags->len && a != b; i++) {
    const char *tag = p->tags->pdata[i];
    if (!strcmp(tag, NAME_RANK)) continue;
    g_autofree char *one = g_strdup(lanes->tag(lanes->context, a, tag));
    if (g_strcmp0(one, lanes->tag(lanes->context, b, tag))) return false;
  }
  return true;
}

static bool shares_rank(const NamePattern *p, const NameLanes *lanes, uint32_t lane, int64_t rank)
{
  for (uint32_t i = 0; i < lanes->n; i++)
    if (i != lane && lanes->rank(lanes->context, i) == rank && name_same_group(p, lanes, i, lane))
      return true;
  return false;
}

/* The rank where that is unique, else the lane's number, too. */
static char *rank_text(const NamePattern *p, const NameLanes *lanes, uint32_t lane)
{
  int64_t rank = lanes->rank(lanes->context, lane);
  if (lanes->merged && lanes->n > 1) return g_strdup("-all");
  if (rank < 0) return g_strdup_printf("-lane%u", lane);
  if (!shares_rank(p, lanes, lane, rank)) return g_strdup_printf("%" G_GINT64_FORMAT, rank);
  return g_strdup_printf("%" G_GINT64_FORMAT "-lane%u", rank, lane);
}

char *name_of_lane(const NamePattern *p, const NameLanes *lanes, uint32_t lane)
{
  GString *name = g_string_new(p->texts->pdata[0]);
  for (guint i = 0; i < p->tags->len; i++) {
    const char *tag = p->tags->pdata[i];
    bool is_rank = !strcmp(tag, NAME_RANK);
    g_autofree char *rank = is_rank ? rank_text(p, lanes, lane) : NULL;
    const char *value = is_rank ? rank : lanes->tag(lanes->context, lane, tag);
    g_string_append(name, value ? value : "");
    g_string_append(name, p->texts->pdata[i + 1]);
  }
  return g_string_free(name, FALSE);
}

/* ----------------------------------------------------------------- checking */

/* A value is a part of one component of a path, and shown as it is; NULL: it can be. */
static const char *unfit(const char *value)
{
  if (!*value) return "it is empty";
  if (strchr(value, '/')) return "a slash would lead to another folder";
  if (strstr(value, "..")) return "two dots may lead to another folder";
  for (const char *p = value; *p; p++)
    if (g_ascii_iscntrl(*p)) return "a control character is in it";
  return strlen(value) > 200 ? "it is longer than 200 bytes" : NULL;
}

static bool check_value(const NameLanes *lanes, uint32_t lane, const char *tag, NameFault *out)
{
  const char *value = lanes->tag(lanes->context, lane, tag), *why = value ? unfit(value) : NULL;
  if (value && !why) return true;
  if (value) {
    g_autofree char *shown = g_strescape(value, NULL), *start = g_strndup(shown, 60);
    out->what =
        g_strdup_printf("the tag %s cannot be in the name of a file: %s (%s)", tag, why, start);
    out->help = g_strdup_printf("give it another value, as in %s=VALUE:PATH", tag);
  } else {
    out->what = g_strdup_printf("an input has no tag \"%s\"", tag);
    out->help =
        g_strdup_printf("leave {%s} out of the name, or give the tag: %s=VALUE:PATH", tag, tag);
  }
  out->where = g_strdup(lanes->name(lanes->context, lane));
  return false;
}

static bool check_lane(const NamePattern *p, const NameLanes *lanes, uint32_t lane, NameFault *out)
{
  for (guint i = 0; i < p->tags->len; i++) {
    const char *tag = p->tags->pdata[i];
    if (strcmp(tag, NAME_RANK) != 0 && !check_value(lanes, lane, tag, out)) return false;
  }
  return true;
}

/* The values, whose boundaries a name does not show. */
static char *key_of_lane(const NamePattern *p, const NameLanes *lanes, uint32_t lane)
{
  GString *key = g_string_new(NULL);
  for (guint i = 0; i < p->tags->len; i++) {
    const char *tag = p->tags->pdata[i];
    bool is_rank = !strcmp(tag, NAME_RANK);
    g_autofree char *rank = is_rank ? rank_text(p, lanes, lane) : NULL;
    g_string_append_printf(key, "%s\n", is_rank ? rank : lanes->tag(lanes->context, lane, tag));
  }
  return g_string_free(key, FALSE);
}

/* A name belongs to the values that were seen with it first. */
static bool take_name(GTree *keys, const char *name, char *key, const char *lane, NameFault *out)
{
  const char *before = g_tree_lookup(keys, name);
  if (before && !strcmp(before, key)) {
    g_free(key);
    return true;
  }
  if (!before) {
    g_tree_insert(keys, g_strdup(name), key);
    return true;
  }
  g_free(key);
  out->what = g_strdup_printf("inputs with different tags would be written to one file: %s", name);
  out->where = g_strdup(lane);
  out->help = g_strdup("put text between the tags, as in {threads}thread_{channels}ch.json");
  return false;
}

static bool check_merged(const NamePattern *p, const NameLanes *lanes, NameFault *out)
{
  for (uint32_t i = 1; lanes->merged && i < lanes->n; i++) {
    if (name_same_group(p, lanes, 0, i)) continue;
    out->what = g_strdup("a stage merged all inputs into one stream, so tags cannot split it");
    out->help = g_strdup("remove the tags from the name, or the stage from the profile");
    return false;
  }
  return true;
}

GPtrArray *name_of_lanes(const NamePattern *p, const NameLanes *lanes, NameFault *out)
{
  g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
  g_autoptr(GTree) keys = g_tree_new_full(trees_by_text, NULL, g_free, g_free);
  if (!check_merged(p, lanes, out)) return NULL;
  for (uint32_t i = 0; i < lanes->n; i++) {
    if (!check_lane(p, lanes, i, out)) return NULL;
    char *name = name_of_lane(p, lanes, i);
    g_ptr_array_add(names, name);
    bool taken =
        take_name(keys, name, key_of_lane(p, lanes, i), lanes->name(lanes->context, i), out);
    if (!taken) return NULL;
  }
  return g_steal_pointer(&names);
}
