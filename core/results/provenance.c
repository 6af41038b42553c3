/* How results came to be, as a JSON object; see provenance.h. */
#include "results/provenance.h"

#include <string.h>

#include "base/json-write.h"

void provenance_init(Provenance *p)
{
  *p = (Provenance){ .arguments = g_ptr_array_new(),
                     .modules = g_array_new(FALSE, FALSE, sizeof(ProvenanceModule)),
                     .inputs = g_array_new(FALSE, FALSE, sizeof(ProvenanceInput)) };
}

void provenance_clear(Provenance *p)
{
  g_ptr_array_unref(p->arguments);
  g_array_unref(p->modules);
  g_array_unref(p->inputs);
}

void provenance_add_module(Provenance *p, const char *kind, const char *name, const char *version)
{
  for (guint i = 0; i < p->modules->len; i++) {
    const ProvenanceModule *m = &g_array_index(p->modules, ProvenanceModule, i);
    if (!strcmp(m->kind, kind) && !strcmp(m->name, name) && !strcmp(m->version, version)) return;
  }
  ProvenanceModule module = { kind, name, version };
  g_array_append_val(p->modules, module);
}

static void put_modules(JsonWriter *out, const Provenance *p)
{
  json_put_open(out, "modules", '[');
  for (guint i = 0; i < p->modules->len; i++) {
    const ProvenanceModule *m = &g_array_index(p->modules, ProvenanceModule, i);
    json_put_open(out, NULL, '{');
    json_put_text(out, "kind", m->kind);
    json_put_text(out, "name", m->name);
    json_put_text(out, "version", m->version);
    json_put_close(out);
  }
  json_put_close(out);
}

static void put_inputs(JsonWriter *out, const Provenance *p)
{
  json_put_open(out, "inputs", '[');
  for (guint i = 0; i < p->inputs->len; i++) {
    const ProvenanceInput *input = &g_array_index(p->inputs, ProvenanceInput, i);
    g_autofree char *name = g_path_get_basename(input->name);
    json_put_open(out, NULL, '{');
    json_put_text(out, "name", name);
    if (input->size_bytes >= 0)
      json_put_int(out, "size_bytes", input->size_bytes);
    else
      json_put_text(out, "size_bytes", NULL);
    json_put_text(out, "hash", input->hash);
    json_put_close(out);
  }
  json_put_close(out);
}

char *provenance_text(const Provenance *p)
{
  JsonWriter out = { .text = g_string_new(NULL), .layout = JSON_SPACED };
  json_put_open(&out, NULL, '{');
  json_put_open(&out, "program", '{');
  json_put_text(&out, "name", p->program);
  json_put_text(&out, "version", p->version);
  json_put_close(&out);
  json_put_text(&out, "profile", p->profile);
  if (p->plan) json_put_text(&out, "plan", p->plan);
  json_put_array(&out, "arguments", p->arguments);
  put_modules(&out, p);
  put_inputs(&out, p);
  json_put_close(&out);
  return g_string_free(out.text, FALSE);
}
