/* Values that are wrong only while they are the last of their key: reported at the end of the object. */
/* SPDX-License-Identifier: MIT */
#include "kit/read/json-window.h"

#define MAX_FAULTS 1000u /* that are remembered; one more ends the reading */

typedef struct Fault {
  char *name, *what, *why;
  WindowPlace place;
} Fault;

static void free_fault(gpointer p)
{
  Fault *f = p;
  g_free(f->name);
  g_free(f->what);
  g_free(f->why);
  g_free(f);
}

static bool is_known(const Window *w, const char *name)
{
  for (guint i = w->faults->len; i > 0; i--)
    if (strcmp(((const Fault *)w->faults->pdata[i - 1])->name, name) == 0) return true;
  return false;
}

bool window_fault(Window *w, const char *name, const char *at, const char *what, const char *why)
{
  if (!w->faults) w->faults = g_ptr_array_new_with_free_func(free_fault);
  if (is_known(w, name)) return true;
  if (w->faults->len == MAX_FAULTS) return window_faultless(w);
  Fault *f = g_new(Fault, 1);
  *f = (Fault){ g_strdup(name), g_strdup(what), g_strdup(why), window_place(w, at) };
  g_ptr_array_add(w->faults, f);
  return true;
}

static void forget(Window *w, const char *key, bool members)
{
  size_t len = strlen(key);
  for (guint i = w->faults ? w->faults->len : 0; i > 0; i--) {
    const char *name = ((const Fault *)w->faults->pdata[i - 1])->name;
    if (strncmp(name, key, len) != 0) continue;
    if (name[len] == '\0' || (members && name[len] == '.'))
      g_ptr_array_remove_index(w->faults, i - 1);
  }
}

void window_forget(Window *w, const char *key) { forget(w, key, true); }

void window_forget_member(Window *w, const char *name) { forget(w, name, false); }

void window_forget_all(Window *w)
{
  if (w->faults) g_ptr_array_set_size(w->faults, 0);
}

bool window_faultless(Window *w)
{
  if (w->status) return false;
  if (!w->faults || w->faults->len == 0) return true;
  const Fault *f = w->faults->pdata[0];
  return window_fail_at(w, w->notices->bad_value, f->place, f->what, f->why);
}

void window_faults_clear(Window *w) { g_clear_pointer(&w->faults, g_ptr_array_unref); }
