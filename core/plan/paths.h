/* Where the program, its modules and its data are installed, and the folders of the user. */
/* SPDX-License-Identifier: MIT */
#ifndef PLAN_PATHS_H
#define PLAN_PATHS_H

#include <glib.h>
#include <stdbool.h>

/* <prefix>/<libdir>/stagemill and <prefix>/<datadir>/stagemill; the prefix is that of the running
 * program when it is in <prefix>/bin beside such a folder, else the one it was built for.
 * All results here are to be freed, except that of paths_env. */
char *paths_lib(void);
char *paths_data(void);
/* $XDG_DATA_HOME/stagemill, $XDG_CONFIG_HOME/stagemill or their defaults; NULL when privileged. */
char *paths_user_data(void);
char *paths_user_config(void);
char *paths_user_cache(void); /* $XDG_CACHE_HOME/stagemill */
/* The environment, unless the process has more rights than its user. */
const char *paths_env(const char *name);

/* Origins: what belongs to the program, what is the user's, what the command line names. */
#define SEARCH_INSTALLED "installed"
#define SEARCH_USER "user"
#define SEARCH_GIVEN "--stage-path"
typedef struct SearchFolder {
  char *path;
  const char *origin; /* the option, "environment", "user" or "installed" */
} SearchFolder;
SearchFolder *search_folder_new(char *path, const char *origin); /* takes the path */
void search_folder_free(SearchFolder *folder);
/* The folders to look in, in order: those given by an option, those of a variable, those of the user's
 * configuration and data, and the installed one.  Each may be NULL or empty; takes the last three. */
GPtrArray *paths_search(const GPtrArray *given, const char *option, const char *variable,
                        char *config, char *data, char *installed);

typedef struct ModuleSearch { /* where modules may come from */
  GPtrArray *paths;           /* of --stage-path, char * */
  bool no_user;               /* --no-user-stages */
  bool no_env;                /* --no-env-stages */
  bool no_installed;          /* tests, which an installed program must not change */
  bool allow_unsafe;          /* --allow-unsafe-stages */
  bool try_first;             /* those from outside in a child; not for a process with threads */
} ModuleSearch;

/* A path in a file is meant from where the file is; a name without a slash, or an absolute path, stays. */
char *path_beside(const char *file, const char *text);

#endif
