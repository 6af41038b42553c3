/* stagemill explain: what a code means, at length. */
/* SPDX-License-Identifier: MIT */

#include <string.h>

#include "cmd/commands.h"
#include "cmd/describe.h"
#include "cmd/groups.h"
#include "cmd/lists.h"
#include "cmd/setup.h"
#include "host/verify-ids.h"
#include "model/codes.h"
#include "model/notice.h"
#include "model/printable.h"
#include "model/engine.h"

typedef struct Explained {
  char *code, *made; /* made: the text, or NULL */
  const char *level, *title, *effect, *help, *text;
} Explained;

static bool find_in_stage(const Descriptor *s, const char *code, Explained *out)
{
  for (uint32_t i = 0; i < s->n_notices; i++) {
    const MillNotice *n = &s->notices[i];
    g_autofree char *own = notice_code(s, i);
    if (g_ascii_strcasecmp(own, code)) continue;
    *out = (Explained){ .code = g_steal_pointer(&own),
                        .level = notice_level(n->level),
                        .title = n->what,
                        .effect = n->effect,
                        .help = n->help,
                        .text = n->explain };
    return true;
  }
  g_autofree char *bare = g_strdup_printf("%s-00", s->code);
  if (g_ascii_strcasecmp(bare, code)) return false;
  *out = (Explained){
    .code = g_steal_pointer(&bare),
    .level = "error",
    .title = s->title,
    .text = "The message explains this error of a stage, source or sink in full; for example, it "
            "cannot use an option, or memory ran out."
  };
  return true;
}

/* Messages have it in brackets. */
static bool find_verify_id(const char *word, Explained *out)
{
  size_t n, len = strlen(word);
  bool bracketed = len > 2 && word[0] == '[' && word[len - 1] == ']';
  g_autofree char *id = bracketed ? g_strndup(word + 1, len - 2) : g_strdup(word);
  const VerifyId *all = verify_ids(&n);
  for (size_t i = 0; i < n; i++) {
    if (strcmp(all[i].id, id)) continue;
    *out = (Explained){
      .code = g_steal_pointer(&id),
      .level = "error",
      .title = "a stage, source or sink broke its contract",
      .made = g_strconcat("It ", all[i].what, ".", NULL),
      .help = "It is a bug in the module: report it to its author, with the message. Where a run "
              "without --verify goes on, what it gives may be wrong."
    };
    out->text = out->made;
    return true;
  }
  return false;
}

static bool find_code(Modules *modules, const char *code, Explained *out)
{
  const Code *c = codes_find(code);
  if (c) {
    *out = (Explained){
      .code = g_strdup(c->code), .level = "error", .title = c->title, .text = c->explain
    };
    return true;
  }
  if (find_in_stage(engine_stage(), code, out) || find_verify_id(code, out)) return true;
  g_autoptr(GPtrArray) all = modules_all(modules, 0);
  for (guint i = 0; i < all->len; i++)
    if (find_in_stage(((const Module *)all->pdata[i])->stage, code, out)) return true;
  return false;
}

static Error *unknown_code(const Cli *cli, Modules *modules, const char *code)
{
  g_autoptr(GPtrArray) known = list_codes(modules);
  g_autofree char *upper = g_ascii_strup(code, -1), *safe = printable(code);
  g_ptr_array_add(known, NULL);
  Error *e = cli_usage(cli->command, "unknown code \"%s\"", safe);
  const char *word = strpbrk(code, "0123456789") ? upper : code; /* facts and ids have no numbers */
  error_suggest(e, word, (const char *const *)known->pdata);
  error_help(e, "codes look like PRF-03 and are in brackets after \"error\" or \"warning\"");
  return error_help(e, "stagemill list facts    lists the facts");
}

static void put_labelled(GString *out, const char *label, const char *text)
{
  if (!text) return;
  g_string_append(out, label);
  cli_wrap(out, text, (int)strlen(label));
}

static int print(const Cli *cli, const Explained *x)
{
  GString *out = g_string_new(NULL);
  g_autofree char *title = notice_example(x->title), *effect = notice_example(x->effect),
                  *help = notice_example(x->help);
  if (cli_flag(cli, "json")) {
    JsonWriter json = { .text = out, .layout = JSON_COMPACT };
    json_put_open(&json, NULL, '{');
    json_put_text(&json, "code", x->code);
    json_put_text(&json, "level", x->level);
    json_put_text(&json, "title", title);
    json_put_text(&json, "effect", effect);
    json_put_text(&json, "help", help);
    json_put_text(&json, "explain", x->text);
    json_put_end(&json);
    return cli_print_string(cli, out);
  }
  g_autofree char *head = g_strdup_printf("%s[%s]: %s", x->level, x->code, title);
  cli_wrap(out, head, 0);
  if (x->text) g_string_append_c(out, '\n');
  if (x->text) cli_wrap(out, x->text, 0);
  if (effect || help) g_string_append_c(out, '\n');
  put_labelled(out, "effect: ", effect);
  put_labelled(out, "help: ", help);
  return cli_print_string(cli, out);
}

static int run(Cli *cli)
{
  const char *code = cli->words->pdata[0];
  Explained found;
  Modules *modules = setup_modules(cli);
  GString *fact = g_string_new(NULL);
  int status;
  if (find_code(modules, code, &found)) {
    status = print(cli, &found);
    g_free(found.code);
    g_free(found.made);
  } else if (explain_fact(modules, code, cli_flag(cli, "json"), fact)) {
    status = cli_print_string(cli, g_steal_pointer(&fact));
  } else {
    Error *unseen = modules_unseen(modules);
    status = cli_fail(cli, unseen ? unseen : unknown_code(cli, modules, code));
  }
  if (fact) g_string_free(fact, TRUE);
  return setup_modules_end(cli, modules, status);
}

static const CliGroup *const groups[] = { &group_json, &group_modules, &group_common, NULL };
static const char *const examples[] = {
  "an error|stagemill explain PRF-03", "a warning of a stage|stagemill explain OVC-01",
  "a rule that --verify looks after|stagemill explain false-order",
  "a fact|stagemill explain order.lane", NULL
};

const CliCommand command_explain = {
  .name = "explain",
  .section = "Help",
  .arguments = "CODE",
  .title = "what an error or warning code means",
  .about = "Shows causes, consequences and remedies of an error of the program, or of a notice of "
           "any stage that was found. Of an id of --verify it shows the rule that was broken, of a "
           "fact what it promises and which modules provide, need, use and spoil it.",
  .examples = examples,
  .groups = groups,
  .statuses = statuses_of_modules,
  .words = "codes",
  .min_words = 1,
  .max_words = 1,
  .run = run,
};
