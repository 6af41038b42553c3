/* Completion scripts for bash, zsh and fish, made from the command and option tables. */
#include <string.h>

#include "cmd/cli.h"

/* What completes a class of words: fixed words, or a command whose output's first column is
 * taken. */
typedef struct Words {
  const char *name, *fixed, *list;
} Words;

static const Words classes[] = {
  { "commands", NULL, NULL },
  { "kinds", "stages sources sinks profiles metrics", NULL },
  { "shells", "bash zsh fish", NULL },
  { "schemas", NULL, "schema" },
  { "profiles", NULL, "list profiles" },
  { "stages", NULL, "list stages" },
  { "metrics", NULL, "list metrics" },
};

/* How a shell is told what a word may be; %s: the words, or the command that lists them. */
typedef struct Forms {
  const char *list, *fixed, *folders, *files, *none;
} Forms;

static char *all_commands(void)
{
  GString *out = g_string_new(NULL);
  for (const CliCommand *const *c = cli_commands; *c; c++)
    g_string_append_printf(out, "%s%s", out->len ? " " : "", (*c)->name);
  return g_string_free(out, FALSE);
}

static void put_form(GString *out, const char *form, const char *words)
{
  g_autoptr(GString) text = g_string_new(form);
  g_string_replace(text, "%s", words, 0);
  g_string_append(out, text->str);
}

/* What completes an argument of this class. */
static void put_class(GString *out, const Forms *forms, const char *class)
{
  if (!class) {
    g_string_append(out, forms->none);
    return;
  }
  size_t i = 0;
  while (i < G_N_ELEMENTS(classes) && strcmp(classes[i].name, class)) i++;
  if (i == G_N_ELEMENTS(classes)) {
    g_string_append(out, strcmp(class, "folders") ? forms->files : forms->folders);
    return;
  }
  const Words *w = &classes[i];
  g_autofree char *commands = all_commands();
  put_form(out, w->list ? forms->list : forms->fixed,
           w->list    ? w->list
           : w->fixed ? w->fixed
                      : commands);
}

/* What completes the value of an option: its choices, or words of its class. */
static void put_value(GString *out, const Forms *forms, const CliOption *o)
{
  if (o->type != MILL_OPT_CHOICE) {
    put_class(out, forms, o->words);
    return;
  }
  g_autofree char *choices = g_strdelimit(g_strdup(o->range), "|", ' ');
  put_form(out, forms->fixed, choices);
}

static char *all_options(const CliCommand *c)
{
  GString *out = g_string_new(NULL);
  for (const CliGroup *const *g = c->groups; *g; g++)
    for (size_t i = 0; i < (*g)->n_options; i++) {
      const CliOption *o = &(*g)->options[i];
      g_string_append_printf(out, "%s--%s", out->len ? " " : "", o->name);
      if (o->letter) g_string_append_printf(out, " -%c", o->letter);
    }
  return g_string_free(out, FALSE);
}

/* --------------------------------------------------------------------- bash */

/* Lines of shell that fill COMPREPLY. */
static const Forms bash_forms = {
  .list = "_stagemill_words \"$(_stagemill_list %s)\"",
  .fixed = "_stagemill_words '%s'",
  .folders = "_stagemill_folders",
  .files = "_stagemill_files",
  .none = ":",
};

static void put_bash_command(GString *out, const CliCommand *c)
{
  g_autofree char *options = all_options(c);
  g_string_append_printf(out, "  %s)\n    case $prev in\n", c->name);
  for (const CliGroup *const *g = c->groups; *g; g++)
    for (size_t i = 0; i < (*g)->n_options; i++) {
      const CliOption *o = &(*g)->options[i];
      if (!o->value) continue;
      if (o->letter) g_string_append_printf(out, "    -%c | ", o->letter);
      g_string_append_printf(out, "%s--%s) ", o->letter ? "" : "    ", o->name);
      put_value(out, &bash_forms, o);
      g_string_append(out, "; return ;;\n");
    }
  g_string_append_printf(
      out, "    esac\n    case $cur in\n    -*) _stagemill_words '%s' ;;\n    *) ", options);
  put_class(out, &bash_forms, c->words);
  g_string_append(out, " ;;\n    esac ;;\n");
}

static void put_bash(GString *out)
{
  g_autofree char *commands = all_commands();
  g_string_append(
      out, "# bash completion for stagemill\n"
           "_stagemill_words() { COMPREPLY=($(compgen -W \"$1\" -- \"$cur\")); }\n"
           "_stagemill_files() { compopt -o filenames; COMPREPLY=($(compgen -f -- \"$cur\")); }\n"
           "_stagemill_folders() { compopt -o filenames; COMPREPLY=($(compgen -d -- \"$cur\")); }\n"
           "_stagemill_list() { stagemill \"$@\" 2>/dev/null | awk '$1 != \"name\" { sub(/\\..*/, "
           "\"\", $1); print $1 }'; }\n"
           "_stagemill() {\n"
           "  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n"
           "  COMPREPLY=()\n"
           "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n");
  g_string_append_printf(out, "    _stagemill_words '%s --help --version'\n    return\n  fi\n",
                         commands);
  g_string_append(out, "  case ${COMP_WORDS[1]} in\n");
  for (const CliCommand *const *c = cli_commands; *c; c++) put_bash_command(out, *c);
  g_string_append(out, "  esac\n}\ncomplete -F _stagemill stagemill\n");
}

/* ---------------------------------------------------------------------- zsh */

static void put_zsh_quoted(GString *out, const char *text)
{
  for (; *text; text++) {
    if (*text == '\'')
      g_string_append(out, "'\\''");
    else {
      if (strchr("[]:", *text)) g_string_append_c(out, '\\');
      g_string_append_c(out, *text);
    }
  }
}

static const Forms zsh_forms = {
  .list = "{compadd -- $(_stagemill_list %s)}",
  .fixed = "(%s)",
  .folders = "_files -/",
  .files = "_files",
  .none = " ",
};

static void put_zsh_option(GString *out, const CliOption *o)
{
  for (int form = o->letter ? 0 : 1; form < 2; form++) {
    g_string_append_printf(out, "      '%s", o->repeat ? "*" : "");
    if (form)
      g_string_append_printf(out, "--%s%s[", o->name, o->value ? "=" : "");
    else
      g_string_append_printf(out, "-%c%s[", o->letter, o->value ? "+" : "");
    put_zsh_quoted(out, o->help);
    g_string_append_c(out, ']');
    if (o->value) {
      g_string_append_printf(out, ":%s:", o->value);
      put_value(out, &zsh_forms, o);
    }
    g_string_append(out, "' \\\n");
  }
}

static void put_zsh(GString *out)
{
  g_string_append(out, "#compdef stagemill\n"
                       "_stagemill_list() { stagemill \"$@\" 2>/dev/null | awk '$1 != \"name\" { "
                       "sub(/\\..*/, \"\", $1); print $1 }' }\n"
                       "_stagemill() {\n  local -a commands\n  commands=(\n");
  for (const CliCommand *const *c = cli_commands; *c; c++) {
    g_string_append_printf(out, "    '%s:", (*c)->name);
    put_zsh_quoted(out, (*c)->title);
    g_string_append(out, "'\n");
  }
  g_string_append(
      out, "  )\n  if (( CURRENT == 2 )); then\n    _describe command commands\n    return\n  fi\n"
           "  local command=$words[2]\n  shift words\n  (( CURRENT-- ))\n  case $command in\n");
  for (const CliCommand *const *c = cli_commands; *c; c++) {
    g_string_append_printf(out, "  %s)\n    _arguments -s \\\n", (*c)->name);
    for (const CliGroup *const *g = (*c)->groups; *g; g++)
      for (size_t i = 0; i < (*g)->n_options; i++) put_zsh_option(out, &(*g)->options[i]);
    g_string_append(out, "      '*: :");
    put_class(out, &zsh_forms, (*c)->words);
    g_string_append(out, "' ;;\n");
  }
  g_string_append(out, "  esac\n}\nif [ \"$funcstack[1]\" = _stagemill ]; then _stagemill \"$@\"; "
                       "else compdef _stagemill stagemill; fi\n");
}

/* --------------------------------------------------------------------- fish */

static void put_fish_quoted(GString *out, const char *text)
{
  g_string_append_c(out, '\'');
  for (; *text; text++) {
    if (*text == '\'' || *text == '\\') g_string_append_c(out, '\\');
    g_string_append_c(out, *text);
  }
  g_string_append_c(out, '\'');
}

static const Forms fish_forms = {
  .list = " -f -a '(__stagemill_list %s)'",
  .fixed = " -f -a '%s'",
  .folders = " -f -a '(__fish_complete_directories)'",
  .files = " -F",
  .none = " -f",
};

static void put_fish_option(GString *out, const CliCommand *c, const CliOption *o)
{
  g_string_append_printf(out, "complete -c stagemill -n '__stagemill_is %s' -l %s", c->name,
                         o->name);
  if (o->letter) g_string_append_printf(out, " -s %c", o->letter);
  if (o->value) {
    g_string_append(out, " -r");
    put_value(out, &fish_forms, o);
  }
  g_string_append(out, " -d ");
  put_fish_quoted(out, o->help);
  g_string_append_c(out, '\n');
}

static void put_fish(GString *out)
{
  g_string_append(
      out,
      "# fish completion for stagemill\n"
      "function __stagemill_list\n"
      "  stagemill $argv 2>/dev/null | awk '$1 != \"name\" { sub(/\\..*/, \"\", $1); print $1 }'\n"
      "end\n"
      "function __stagemill_is\n"
      "  set -l words (commandline -opc)\n"
      "  test (count $words) -ge 2; and test \"$words[2]\" = $argv[1]\n"
      "end\n"
      "function __stagemill_none\n"
      "  test (count (commandline -opc)) -eq 1\n"
      "end\n");
  for (const CliCommand *const *c = cli_commands; *c; c++) {
    g_string_append_printf(out, "complete -c stagemill -n __stagemill_none -f -a %s -d ",
                           (*c)->name);
    put_fish_quoted(out, (*c)->title);
    g_string_append_printf(out, "\ncomplete -c stagemill -n '__stagemill_is %s'", (*c)->name);
    put_class(out, &fish_forms, (*c)->words);
    g_string_append_c(out, '\n');
    for (const CliGroup *const *g = (*c)->groups; *g; g++)
      for (size_t i = 0; i < (*g)->n_options; i++) put_fish_option(out, *c, &(*g)->options[i]);
  }
}

bool complete_script(const char *shell, GString *out)
{
  if (!strcmp(shell, "bash"))
    put_bash(out);
  else if (!strcmp(shell, "zsh"))
    put_zsh(out);
  else if (!strcmp(shell, "fish"))
    put_fish(out);
  else
    return false;
  return true;
}
