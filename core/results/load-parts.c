/* Lanes, figures and notices of a summary that is read; see load-parts.h. */
/* SPDX-License-Identifier: MIT */
#include "results/load-parts.h"

#include <string.h>

#include "base/figure.h"
#include "base/num.h"

#define MOST_TAGS 4096u
#define MOST_FIGURES 4096u

/* ------------------------------------------------------------------- lanes */

typedef struct LaneRead {
  uint32_t index;
  int64_t rank;
  const char *label, *name, *dialect, *file;
  bool file_said; /* otherwise it is the name */
  uint64_t offset_ns;
  GPtrArray *tags;
} LaneRead;

static bool take_file(JsonIn *in, void *lane)
{
  LaneRead *l = lane;
  l->file_said = true;
  return in->token.kind == JSON_NULL || json_in_text(in, &l->file);
}

static bool take_tag(JsonIn *in, const char *name, void *lane)
{
  LaneRead *l = lane;
  const char *value;
  if (!json_in_text(in, &value)) return false;
  if (!*name || strchr(name, '='))
    return json_in_fail(in, NULL, "\"%s\" is not the name of a tag", name);
  if (tags_get(l->tags, name)) return json_in_fail(in, NULL, "\"%s\" is there twice", name);
  if (l->tags->len >= MOST_TAGS) return json_in_fail(in, NULL, "more than %u tags", MOST_TAGS);
  g_autofree char *pair = g_strconcat(name, "=", value, NULL);
  tags_set(l->tags, pair, TAG_GIVEN);
  return true;
}

static bool take_tags(JsonIn *in, void *lane) { return json_in_each(in, take_tag, lane); }

static const JsonMember lane_members[] = {
  JSON_FIELD(LaneRead, index, "index", COUNT, true),
  JSON_FIELD(LaneRead, rank, "rank", NUMBER, false),
  JSON_FIELD(LaneRead, label, "label", TEXT, false),
  JSON_FIELD(LaneRead, name, "name", TEXT, true),
  JSON_TAKE("file", false, take_file),
  JSON_FIELD(LaneRead, dialect, "dialect", TEXT, false),
  JSON_FIELD(LaneRead, offset_ns, "offset_ns", LARGE, false),
  JSON_TAKE("tags", false, take_tags),
};

static void replace(char **text, const char *by)
{
  g_free(*text);
  *text = g_strdup(by);
}

static bool take_lane(JsonIn *in, void *out)
{
  Load *load = out;
  uint32_t n = results_n_lanes(load->results);
  LaneInfo *lane = g_new(LaneInfo, 1);
  lane_info_init(lane, n, NULL);
  results_add_lane(load->results, lane);
  LaneRead l = {
    .rank = -1, .label = "", .dialect = "", .offset_ns = UINT64_MAX, .tags = lane->tags
  };
  const char *at = in->token.start;
  if (!json_in_object(in, lane_members, G_N_ELEMENTS(lane_members), &l)) return false;
  if (l.index != n) return json_in_fail(in, at, "lane %u is in the place of lane %u", l.index, n);
  lane->rank = MAX(l.rank, -1);
  lane->path = l.file_said ? l.file : *l.name ? l.name : NULL;
  replace(&lane->name, l.name);
  replace(&lane->label, l.label);
  replace(&lane->dialect, l.dialect);
  g_array_append_val(load->offsets, l.offset_ns);
  return true;
}

bool load_lanes(JsonIn *in, void *load) { return json_in_array(in, take_lane, load); }

bool load_finish_lanes(JsonIn *in)
{
  Load *load = load_of(in);
  int64_t start_ns;
  if (!load->start) return true;
  if (!num_int(load->start, strlen(load->start), &start_ns))
    return json_in_fail(in, in->text, "\"start_ns\" is not a number of nanoseconds");
  for (guint i = 0; i < load->offsets->len; i++) {
    uint64_t offset_ns = g_array_index(load->offsets, uint64_t, i);
    LaneInfo *lane = (LaneInfo *)results_lane(load->results, i);
    if (offset_ns != UINT64_MAX) lane->base_ns = (int64_t)((uint64_t)start_ns + offset_ns);
  }
  return true;
}

/* -------------------------------------------------------- stages left out */

typedef struct LeftRead {
  const char *fact;
  uint32_t n_inputs, n_of;
  GString *stages;
} LeftRead;

/* The name of a fact or a stage: without blanks and commas, at which its line is split later. */
static bool plain_word(JsonIn *in, const char **out)
{
  if (!json_in_text(in, out)) return false;
  if (**out && !strpbrk(*out, " ,\n")) return true;
  return json_in_fail(in, NULL, "\"%s\" is not a name", *out);
}

static bool take_lacks(JsonIn *in, void *left) { return plain_word(in, &((LeftRead *)left)->fact); }

static bool take_left_stage(JsonIn *in, void *stages)
{
  const char *name;
  if (!plain_word(in, &name)) return false;
  GString *out = stages;
  g_string_append_printf(out, "%s%s", out->len ? "," : "", name);
  return true;
}

static bool take_left_stages(JsonIn *in, void *left)
{
  return json_in_array(in, take_left_stage, ((LeftRead *)left)->stages);
}

static const JsonMember left_members[] = {
  JSON_TAKE("lacks", true, take_lacks),
  JSON_FIELD(LeftRead, n_inputs, "inputs", COUNT, true),
  JSON_FIELD(LeftRead, n_of, "of", COUNT, true),
  JSON_TAKE("stages", true, take_left_stages),
};

static bool take_left(JsonIn *in, void *load)
{
  g_autoptr(GString) stages = g_string_new(NULL);
  LeftRead l = { .stages = stages };
  if (!json_in_object(in, left_members, G_N_ELEMENTS(left_members), &l)) return false;
  if (!stages->len) return json_in_fail(in, NULL, "there is no stage");
  g_string_append_printf(((Load *)load)->left_out, "%s %u %u %s\n", l.fact, l.n_inputs, l.n_of,
                         stages->str);
  return true;
}

bool load_left_out(JsonIn *in, void *load)
{
  ((Load *)load)->left_out = g_string_new(NULL);
  return json_in_array(in, take_left, load);
}

/* ----------------------------------------------------------------- figures */

static bool take_flag(JsonIn *in, void *figure)
{
  const char *word;
  if (!json_in_text(in, &word)) return false;
  int flag = figure_word(figure_field("flags")->words, word);
  if (flag < 0) return json_in_fail(in, NULL, "figures have no flag \"%s\"", word);
  ((FigureRead *)figure)->figure.flags |= 1u << flag;
  return true;
}

static bool take_flags(JsonIn *in, void *figure) { return json_in_array(in, take_flag, figure); }

static bool take_declared(JsonIn *in, void *figure)
{
  static const JsonMember members[] = { JSON_FIELD(FigureRead, declared, "name", TEXT, true),
                                        JSON_FIELD(FigureRead, of_declared, "table", TEXT, true) };
  return json_in_object(in, members, G_N_ELEMENTS(members), figure);
}

static JsonMember figure_member(const FigureField *f)
{
  JsonMember m = { .name = f->name,
                   .type = JSON_MEMBER_TEXT,
                   .offset = (uint32_t)offsetof(FigureRead, figure) + f->offset,
                   .words = f->words };
  if (f->type == FIGURE_FIELD_COUNT) m.type = JSON_MEMBER_COUNT;
  if (f->type == FIGURE_FIELD_KIND || f->type == FIGURE_FIELD_BETTER) m.type = JSON_MEMBER_WORD;
  if (f->type == FIGURE_FIELD_FLAGS) {
    m.type = JSON_MEMBER_OTHER;
    m.take = take_flags;
  }
  m.needed = !strcmp(f->name, "name") || !strcmp(f->name, "table") || !strcmp(f->name, "kind");
  return m;
}

static bool take_figure(JsonIn *in, void *load)
{
  uint32_t n_fields;
  JsonMember members[JSON_MEMBERS_MAX];
  const FigureField *fields = figure_fields(&n_fields);
  FigureRead f = { .at = in->token.start };
  for (uint32_t i = 0; i < n_fields; i++) members[i] = figure_member(&fields[i]);
  members[n_fields] = (JsonMember)JSON_TAKE("declared", false, take_declared);
  if (!json_in_object(in, members, n_fields + 1, &f)) return false;
  f.name = f.figure.name;
  f.table = f.figure.table;
  if (((Load *)load)->figures->len >= MOST_FIGURES)
    return json_in_fail(in, f.at, "more than %u figures", MOST_FIGURES);
  if (f.declared) f.figure.name = f.declared;
  if (f.of_declared) f.figure.table = f.of_declared;
  g_array_append_val(((Load *)load)->figures, f);
  return true;
}

bool load_figures(JsonIn *in, void *load) { return json_in_array(in, take_figure, load); }

bool load_finish_figures(JsonIn *in)
{
  Load *load = load_of(in);
  for (guint i = 0; i < load->figures->len; i++) {
    const FigureRead *f = &g_array_index(load->figures, FigureRead, i);
    if (!g_hash_table_contains(load->tables, f->table))
      return json_in_fail(in, f->at, "there is no table \"%s\" for this figure", f->table);
    MillFigure *figure = results_alloc(load->results, sizeof *figure);
    *figure = f->figure;
    results_add_figure(load->results, figure, g_strdup(f->name), f->table);
  }
  return true;
}

/* ----------------------------------------------------------------- notices */

typedef struct NoticeRead {
  MillNoticeResult result;
  MillNotice declared;
  uint32_t level;
} NoticeRead;

static bool take_declared_notice(JsonIn *in, void *notice)
{
  static const JsonMember members[] = {
    JSON_FIELD(NoticeRead, declared.what, "what", TEXT, false),
    JSON_FIELD(NoticeRead, declared.effect, "effect", TEXT, false),
    JSON_FIELD(NoticeRead, declared.help, "help", TEXT, false),
    JSON_FIELD(NoticeRead, declared.explain, "explain", TEXT, false)
  };
  return json_in_object(in, members, G_N_ELEMENTS(members), notice);
}

static const JsonMember notice_members[] = {
  JSON_FIELD(NoticeRead, result.code, "code", TEXT, true),
  { .name = "level",
    .type = JSON_MEMBER_WORD,
    .offset = offsetof(NoticeRead, level),
    .needed = true,
    .words = "none|error|warning|info|debug|trace" },
  JSON_FIELD(NoticeRead, result.count, "count", LARGE, true),
  JSON_FIELD(NoticeRead, result.what, "what", TEXT, true),
  JSON_FIELD(NoticeRead, result.effect, "effect", TEXT, false),
  JSON_FIELD(NoticeRead, result.help, "help", TEXT, false),
  JSON_TAKE("declared", false, take_declared_notice),
};

static bool take_notice(JsonIn *in, void *out)
{
  Load *load = out;
  NoticeRead n = { .level = 0 };
  int64_t number;
  if (!json_in_object(in, notice_members, G_N_ELEMENTS(notice_members), &n)) return false;
  const char *digits = strrchr(n.result.code, '-');
  MillNotice *notice = results_alloc(load->results, sizeof *notice);
  *notice = n.declared;
  if (digits && num_int(digits + 1, strlen(digits + 1), &number)) notice->number = (uint32_t)number;
  notice->level = n.level;
  if (!notice->what) notice->what = n.result.what;
  if (!notice->effect) notice->effect = n.result.effect;
  if (!notice->help) notice->help = n.result.help;
  n.result.size = sizeof n.result;
  n.result.notice = notice;
  results_add_notice(load->results, &n.result);
  return true;
}

bool load_notices(JsonIn *in, void *load) { return json_in_array(in, take_notice, load); }

/* -------------------------------------------------------------------- findings */

static bool take_json(JsonIn *in, const char **out)
{
  JsonToken token;
  if (!json_in_pass(in, &token)) return false;
  *out = g_string_chunk_insert_len(in->texts, token.start, (gssize)token.len);
  return true;
}

static bool take_where(JsonIn *in, void *out)
{
  return take_json(in, &((MillFindingResult *)out)->where_json);
}

static bool take_evidence(JsonIn *in, void *out)
{
  return take_json(in, &((MillFindingResult *)out)->evidence_json);
}

static bool take_share(JsonIn *in, void *out)
{
  const char *text = NULL;
  if (!take_json(in, &text)) return false;
  return num_real(text, strlen(text), &((MillFindingResult *)out)->share) ||
         json_in_fail(in, NULL, "\"share\" must be a number");
}

static bool take_cost(JsonIn *in, void *out)
{
  const char *text = NULL;
  MillFindingResult *f = out;
  f->cost_ns = mill_int(0);
  if (!take_json(in, &text)) return false;
  return num_int(text, strlen(text), &f->cost_ns.u.i) ||
         json_in_fail(in, NULL, "\"cost_ns\" must be an integer");
}

static const JsonMember finding_members[] = {
  JSON_FIELD(MillFindingResult, name, "name", TEXT, true),
  JSON_FIELD(MillFindingResult, text, "text", TEXT, true),
  { .name = "severity",
    .type = JSON_MEMBER_WORD,
    .offset = offsetof(MillFindingResult, severity),
    .needed = true,
    .words = "none|note|warning|critical" },
  JSON_TAKE("cost_ns", false, take_cost),
  JSON_TAKE("share", true, take_share),
  JSON_TAKE("where", true, take_where),
  JSON_TAKE("evidence", true, take_evidence),
  JSON_FIELD(MillFindingResult, advice, "advice", TEXT, true),
};

static bool take_finding(JsonIn *in, void *out)
{
  MillFindingResult f = { .size = sizeof f };
  if (!json_in_object(in, finding_members, G_N_ELEMENTS(finding_members), &f)) return false;
  results_add_finding(((Load *)out)->results, &f);
  return true;
}

bool load_findings(JsonIn *in, void *load) { return json_in_array(in, take_finding, load); }
