/* Options that profiles declare: each is a parameter with an "option", and sets it. */
/* SPDX-License-Identifier: MIT */
#include "cmd/of-profiles.h"

#include <string.h>

#include "cmd/groups.h"
#include "cmd/setup.h"

bool takes_options_of_profiles(const CliCommand *command)
{
  for (const CliGroup *const *g = command->groups; *g; g++)
    if (*g == &group_of_profiles) return true;
  return false;
}

static void option_free(gpointer data)
{
  CliOption *o = data;
  g_free((char *)o->name);
  g_free((char *)o->value);
  g_free((char *)o->help);
  g_free(o);
}

static void add_option(const CliCommand *command, const Profile *profile, const ProfileParam *p,
                       GPtrArray *options)
{
  if (!p->option || cli_find_option(command, p->name, 0)) return;
  CliOption *o = named_find(options, p->name);
  if (o) {
    char *help = g_strdup_printf("%s, %s", o->help, profile->name);
    g_free((char *)o->help);
    o->help = help;
    return;
  }
  o = g_new0(CliOption, 1);
  o->name = g_strdup(p->name);
  o->value = g_strdup(p->option);
  o->help =
      g_strdup_printf("%s; of the profile %s", p->help ? p->help : "a parameter", profile->name);
  o->repeat = p->sets ? CLI_LIST : CLI_ONCE;
  g_ptr_array_add(options, o);
}

/* A profile that cannot be loaded has none: whoever uses it is told why. */
static void add_profile(const Cli *cli, const CliCommand *command, const char *name,
                        GPtrArray *options)
{
  g_autoptr(Profile) profile = NULL;
  ProfileSearch search = setup_search(cli);
  g_autoptr(Error) e = profile_load(name, &search, &profile);
  for (guint i = 0; !e && i < profile->params->len; i++)
    add_option(command, profile, profile->params->pdata[i], options);
}

static int by_name(gconstpointer a, gconstpointer b)
{
  return strcmp((*(const CliOption *const *)a)->name, (*(const CliOption *const *)b)->name);
}

GPtrArray *options_of_profiles(const Cli *cli, const CliCommand *command)
{
  GPtrArray *options = g_ptr_array_new_with_free_func(option_free);
  const char *named = cli_text(cli, "profile");
  g_autoptr(Error) unseen = NULL;
  g_autoptr(GPtrArray) all = setup_profiles(cli, &unseen);
  for (guint i = 0; i < all->len; i++) {
    const ProfileFound *found = all->pdata[i];
    if (!found->shadowed && g_file_test(found->path, G_FILE_TEST_IS_REGULAR))
      add_profile(cli, command, found->name, options);
  }
  /* A pipe can be read only once. */
  if (named && strchr(named, '/') && g_file_test(named, G_FILE_TEST_IS_REGULAR))
    add_profile(cli, command, named, options);
  g_ptr_array_sort(options, by_name);
  return options;
}
