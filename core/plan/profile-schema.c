/* The JSON Schema of profiles, with the options of every stage found, for editors. */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/figure.h"
#include "base/num.h"
#include "model/option.h"
#include "plan/profile-parts.h"

static const char head[] =
    "{\n"
    "  \"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n"
    "  \"$id\": \"urn:stagemill:profile:1\",\n"
    "  \"title\": \"stagemill profile\",\n"
    "  \"type\": \"object\",\n"
    "  \"required\": [\"profile\"],\n"
    "  \"anyOf\": [{ \"required\": [\"stages\"] }, { \"required\": [\"inherits\"] }],\n"
    "  \"additionalProperties\": false,\n"
    "  \"patternProperties\": { \"^//\": true },\n"
    "  \"properties\": {\n"
    "    \"$schema\": { \"type\": \"string\" },\n"
    "    \"profile\": { \"const\": 1, \"description\": \"The version of the format.\" },\n"
    "    \"name\": { \"$ref\": \"#/$defs/name\" },\n"
    "    \"description\": { \"type\": \"string\" },\n"
    "    \"inherits\": { \"type\": \"string\", \"description\": \"A profile's name, or a path with "
    "a slash.\" },\n"
    "    \"params\": {\n"
    "      \"type\": \"object\",\n"
    "      \"patternProperties\": { \"^//\": true, \"^[a-z][a-z0-9]*(-[a-z0-9]+)*$\": { \"$ref\": "
    "\"#/$defs/param\" } },\n"
    "      \"additionalProperties\": false\n"
    "    },\n"
    "    \"stages\": { \"type\": \"array\", \"items\": { \"$ref\": \"#/$defs/entry\" } },\n"
    "    \"formats\": { \"type\": \"array\", \"uniqueItems\": true, \"items\": { \"$ref\": "
    "\"#/$defs/name\" } },\n"
    "    \"for\": {\n"
    "      \"description\": \"The inputs for which it is made; run without -p chooses it for "
    "them.\",\n"
    "      \"type\": \"object\", \"minProperties\": 1, \"additionalProperties\": false,\n"
    "      \"patternProperties\": { \"^//\": true },\n"
    "      \"properties\": {\n"
    "        \"dialect\": { \"$ref\": \"#/$defs/value\" },\n"
    "        \"facts\": { \"$ref\": \"#/$defs/value\" },\n"
    "        \"labels\": { \"$ref\": \"#/$defs/value\" },\n"
    "        \"unless\": { \"$ref\": \"#/$defs/value\", \"description\": \"Not chosen for inputs "
    "that have one of these facts.\" },\n"
    "        \"only-named\": { \"type\": \"boolean\", \"description\": \"Never chosen without "
    "-p.\" }\n"
    "      }\n"
    "    },\n"
    "    \"modules\": {\n"
    "      \"description\": \"Versions that will do, by the name of a stage, source or sink: "
    "\\\">=1.2,<2\\\".\",\n"
    "      \"type\": \"object\",\n"
    "      \"patternProperties\": { \"^//\": true },\n"
    "      \"additionalProperties\": { \"type\": \"string\", \"pattern\": "
    "\"^ *[<>]?=?[0-9][0-9A-Za-z.-]*( *, *[<>]?=?[0-9][0-9A-Za-z.-]*)* *$\" }\n"
    "    },\n"
    "    \"figures\": { \"type\": \"array\", \"items\": { \"$ref\": \"#/$defs/figure\" } },\n"
    "    \"join-ranks\": { \"type\": \"boolean\", \"description\": \"Files of one rank are one "
    "lane, by time.\" },\n"
    "    \"needs-events\": { \"type\": \"boolean\", \"description\": \"It is an error if no input "
    "has events.\" },\n"
    "    \"inputs\": { \"type\": \"array\", \"items\": { \"type\": \"string\" }, \"description\": "
    "\"With no input on the command line, these are used.\" },\n"
    "    \"inputs-help\": { \"type\": \"string\", \"description\": \"How to make them; shown if "
    "there are none.\" },\n"
    "    \"rules\": { \"type\": \"array\", \"items\": { \"type\": \"string\", \"minLength\": 1 }, "
    "\"description\": \"Rules that judge the results: names, or paths with a slash.\" },\n"
    "    \"verdict\": { \"type\": \"string\", \"minLength\": 1, \"description\": \"A rule that "
    "says in one sentence how the run went.\" },\n"
    "    \"views\": { \"type\": \"array\", \"items\": { \"type\": \"string\", \"minLength\": 1 }, "
    "\"description\": \"Rules that make tables of others.\" },\n"
    "    \"sinks\": { \"$ref\": \"#/$defs/edges\" },\n"
    "    \"sources\": { \"$ref\": \"#/$defs/edges\" }\n"
    "  },\n"
    "  \"$defs\": {\n"
    "    \"name\": { \"type\": \"string\", \"pattern\": "
    "\"^([a-z][a-z0-9]*(-[a-z0-9]+)*\\\\.)?[a-z][a-z0-9]*(-[a-z0-9]+)*$\" },\n"
    "    \"reference\": { \"type\": \"string\", \"pattern\": "
    "\"^\\\\$[a-z][a-z0-9]*(-[a-z0-9]+)*$\",\n"
    "      \"description\": \"The value of a parameter.\" },\n"
    "    \"value\": { \"anyOf\": [{ \"type\": [\"string\", \"number\", \"boolean\"] },\n"
    "      { \"type\": \"array\", \"items\": { \"type\": [\"string\", \"number\", \"boolean\"] } "
    "}] },\n"
    "    \"edges\": {\n"
    "      \"description\": \"Options of sinks by format, or of sources by name.\",\n"
    "      \"type\": \"object\",\n"
    "      \"additionalProperties\": { \"type\": \"object\", \"additionalProperties\": { \"$ref\": "
    "\"#/$defs/value\" } }\n"
    "    },\n"
    "    \"param\": {\n"
    "      \"type\": \"object\",\n"
    "      \"additionalProperties\": false,\n"
    "      \"patternProperties\": { \"^//\": true },\n"
    "      \"properties\": {\n"
    "        \"default\": { \"$ref\": \"#/$defs/value\" },\n"
    "        \"unit\": { \"type\": \"string\" },\n"
    "        \"help\": { \"type\": \"string\" },\n"
    "        \"sets\": { \"$ref\": \"#/$defs/name\", \"description\": \"The stage whose options "
    "its value sets, as OPTION:VALUE,OPTION:VALUE.\" },\n"
    "        \"option\": { \"type\": \"string\", \"pattern\": \"^[A-Z-]+$\", \"description\": \"It "
    "is an option of the command line; this word names its value.\" }\n"
    "      }\n"
    "    },\n";

static const char entry_head[] = "    \"entry\": {\n"
                                 "      \"type\": \"object\",\n"
                                 "      \"required\": [\"use\"],\n"
                                 "      \"additionalProperties\": false,\n"
                                 "      \"patternProperties\": { \"^//\": true },\n"
                                 "      \"not\": { \"required\": [\"after\", \"before\"] },\n"
                                 "      \"properties\": {\n"
                                 "        \"as\": { \"$ref\": \"#/$defs/name\", \"description\": "
                                 "\"Its id, if it is not the stage's name.\" },\n"
                                 "        \"enabled\": { \"type\": \"boolean\" },\n"
                                 "        \"optional\": { \"type\": \"boolean\", \"description\": "
                                 "\"Left out if no input has what the stage needs.\" },\n"
                                 "        \"after\": { \"$ref\": \"#/$defs/name\" },\n"
                                 "        \"before\": { \"$ref\": \"#/$defs/name\" },\n"
                                 "        \"with\": { \"type\": \"object\", "
                                 "\"additionalProperties\": { \"$ref\": \"#/$defs/value\" } },\n"
                                 "        \"use\": { \"anyOf\": [{ \"$ref\": \"#/$defs/name\" }";

static void quote(GString *out, const char *text) { json_quote(out, text, strlen(text)); }

static void append_member(GString *out, const char *key, const char *text)
{
  if (!text || !*text) return;
  g_string_append_printf(out, ", \"%s\": ", key);
  quote(out, text);
}

/* A bound of a range as a JSON number; durations and sizes have units in their text: none. */
static void append_bound(GString *out, const char *key, const MillOption *row, const char *text,
                         size_t len)
{
  char buffer[NUM_BUF];
  int64_t integer;
  double real;
  if (row->type == MILL_OPT_REAL && num_real(text, len, &real))
    num_format_real(buffer, real);
  else if (row->type == MILL_OPT_INT && num_int(text, len, &integer))
    num_format_int(buffer, integer);
  else
    return;
  g_string_append_printf(out, ", \"%s\": %s", key, buffer);
}

static void append_range(GString *out, const MillOption *row)
{
  const char *colon = row->range ? strchr(row->range, ':') : NULL;
  if (!colon) return;
  append_bound(out, "minimum", row, row->range, (size_t)(colon - row->range));
  append_bound(out, "maximum", row, colon + 1, strlen(colon + 1));
}

static void append_choices(GString *out, const MillOption *row)
{
  g_auto(GStrv) words = g_strsplit(row->range, "|", -1);
  g_string_append(out, "{ \"enum\": [");
  for (guint i = 0; words[i]; i++) {
    if (i) g_string_append(out, ", ");
    quote(out, words[i]);
  }
  g_string_append(out, "] }");
}

static void append_type(GString *out, const MillOption *row)
{
  switch (row->type) {
  case MILL_OPT_BOOL:
    g_string_append(out, "{ \"enum\": [true, false, 1, 0, \"true\", \"false\", \"yes\", \"no\", "
                         "\"on\", \"off\", \"1\", \"0\"] }");
    break;
  case MILL_OPT_CHOICE: append_choices(out, row); break;
  case MILL_OPT_LIST: g_string_append(out, "{ \"$ref\": \"#/$defs/value\" }"); break;
  case MILL_OPT_INT:
  case MILL_OPT_REAL:
    g_string_append_printf(out, "{ \"type\": [\"%s\", \"string\"]",
                           row->type == MILL_OPT_INT ? "integer" : "number");
    append_range(out, row);
    g_string_append(out, " }");
    break;
  default: g_string_append(out, "{ \"type\": [\"string\", \"number\"] }"); break;
  }
}

static void append_option(GString *out, const MillOption *row)
{
  g_string_append(out, "        ");
  quote(out, row->name);
  g_string_append(out, ": { \"anyOf\": [");
  append_type(out, row);
  g_string_append(out, ", { \"$ref\": \"#/$defs/reference\" }]");
  append_member(out, "description", row->help);
  append_member(out, "default", row->flags & MILL_OPTION_REQUIRED ? NULL : row->default_text);
  if (row->flags & MILL_OPTION_DEPRECATED) g_string_append(out, ", \"deprecated\": true");
  g_string_append(out, " }");
}

static void append_options(GString *out, const Descriptor *stage)
{
  g_string_append_printf(out,
                         "    \"stage:%s\": {\n"
                         "      \"type\": \"object\",\n"
                         "      \"additionalProperties\": false,\n"
                         "      \"patternProperties\": { \"^//\": true },\n"
                         "      \"properties\": {\n",
                         stage->name);
  for (uint32_t i = 0; i < stage->n_options; i++) {
    append_option(out, &stage->options[i]);
    g_string_append(out, i + 1 < stage->n_options ? ",\n" : "\n");
  }
  g_string_append(out, "      }\n    },\n");
}

static void append_entry(GString *out, const GPtrArray *stages)
{
  g_string_append(out, entry_head);
  for (guint i = 0; i < stages->len; i++) {
    const Descriptor *stage = ((const Module *)stages->pdata[i])->stage;
    g_string_append_printf(out, ",\n          { \"const\": \"%s\"", stage->name);
    append_member(out, "description", stage->title);
    g_string_append(out, " }");
  }
  g_string_append(out, "] }\n      },\n      \"allOf\": [");
  for (guint i = 0; i < stages->len; i++) {
    const char *name = ((const Module *)stages->pdata[i])->stage->name;
    g_string_append_printf(
        out,
        "%s\n        { \"if\": { \"properties\": { \"use\": { \"const\": \"%s\" } }, \"required\": "
        "[\"use\"] },\n          \"then\": { \"properties\": { \"with\": { \"$ref\": "
        "\"#/$defs/stage:%s\" } } } }",
        i ? "," : "", name, name);
  }
  g_string_append(out, stages->len ? "\n      ]\n    }\n" : "true]\n    }\n");
}

/* Kinds have a first word that stands for none. */
static void append_figure_field(GString *out, const FigureField *f)
{
  g_string_append_printf(out, "        \"%s\": ", f->name);
  if (f->type == FIGURE_FIELD_FLAGS || !f->words) {
    g_string_append(out, f->type == FIGURE_FIELD_COUNT ? "{ \"type\": \"integer\", \"minimum\": 0 }"
                                                       : "{ \"$ref\": \"#/$defs/value\" }");
    return;
  }
  g_auto(GStrv) words = g_strsplit(f->words, "|", -1);
  g_string_append(out, "{ \"enum\": [");
  for (guint i = f->type == FIGURE_FIELD_KIND, first = i; words[i]; i++) {
    g_string_append(out, i > first ? ", " : "");
    quote(out, words[i]);
  }
  g_string_append(out, "] }");
}

static void append_figure(GString *out)
{
  uint32_t n;
  const FigureField *fields = figure_fields(&n);
  g_string_append(
      out, "    \"figure\": {\n"
           "      \"description\": \"A figure of a stage: a new one with table and kind, else a "
           "change of one that it declares.\",\n"
           "      \"type\": \"object\",\n"
           "      \"required\": [\"use\", \"name\"],\n"
           "      \"additionalProperties\": false,\n"
           "      \"patternProperties\": { \"^//\": true },\n"
           "      \"properties\": {\n"
           "        \"use\": { \"$ref\": \"#/$defs/name\", \"description\": \"The id of its "
           "stage.\" },\n"
           "        \"enabled\": { \"type\": \"boolean\", \"description\": \"false: it is not "
           "drawn.\" },\n");
  for (uint32_t i = 0; i < n; i++) {
    append_figure_field(out, &fields[i]);
    g_string_append(out, i + 1 < n ? ",\n" : "\n");
  }
  g_string_append(out, "      }\n    },\n");
}

char *profile_schema(Modules *modules)
{
  GString *out = g_string_new(head);
  g_autoptr(GPtrArray) stages = modules_all(modules, MILL_KIND_STAGE);
  for (guint i = 0; i < stages->len; i++)
    append_options(out, ((const Module *)stages->pdata[i])->stage);
  append_figure(out);
  append_entry(out, stages);
  g_string_append(out, "  }\n}\n");
  return g_string_free(out, FALSE);
}
