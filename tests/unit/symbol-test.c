/* Symbols: the same text gives the same number, from any thread. */
/* SPDX-License-Identifier: MIT */
#include <pthread.h>

#include "check.h"
#include "model/symbol.h"

enum { TEXTS = 30000, THREADS = 4 };

static void test_texts(void)
{
  static const struct {
    const char *text;
    size_t len;
  } rows[] = { { "", 0 },
               { "a", 1 },
               { "b", 1 },
               { "a\0b", 3 },
               { "\0", 1 },
               { "12345678", 8 },
               { "0123456789abcdef", 16 },
               { "0123456789abcdefg", 17 },
               { "ab", 2 },
               { "ba", 2 } };
  Symbols *s = symbols_new();
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    size_t len;
    MillSym sym = symbols_intern(s, rows[i].text, rows[i].len);
    CHECK_INT(sym, i);
    CHECK_INT(symbols_intern(s, rows[i].text, rows[i].len), sym);
    const char *text = symbols_text(s, sym, &len);
    CHECK(len == rows[i].len && !memcmp(text, rows[i].text, len + 1));
  }
  CHECK_STR(symbols_text(s, 4000000000u, NULL), "");
  symbols_free(s);
}

typedef struct Job {
  Symbols *symbols;
  unsigned first;
  MillSym got[TEXTS];
} Job;

static void *intern_all(void *data)
{
  Job *job = data;
  for (unsigned i = 0; i < TEXTS; i++) {
    char text[32];
    unsigned which = (i + job->first) % TEXTS;
    int len = snprintf(text, sizeof text, "name %u", which);
    job->got[which] = symbols_intern(job->symbols, text, (size_t)len);
    size_t back;
    const char *found = symbols_text(job->symbols, job->got[which], &back);
    if (back != (size_t)len || memcmp(found, text, back)) job->got[which] = 0;
  }
  return NULL;
}

static void test_threads(void)
{
  static Job jobs[THREADS];
  pthread_t threads[THREADS];
  Symbols *s = symbols_new();
  for (unsigned i = 0; i < THREADS; i++) {
    jobs[i].symbols = s;
    jobs[i].first = i * 1000;
    CHECK_INT(pthread_create(&threads[i], NULL, intern_all, &jobs[i]), 0);
  }
  for (unsigned i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
  CHECK_INT(symbols_intern(s, "new", 3), TEXTS + 1);
  for (unsigned i = 1; i < THREADS; i++)
    CHECK(!memcmp(jobs[0].got, jobs[i].got, sizeof jobs[0].got));
  CHECK(jobs[0].got[17] != 0);
  CHECK(symbols_bytes(s) > TEXTS * 8);
  symbols_free(s);
}

TEST_MAIN({ "texts of every length", test_texts }, { "four threads at once", test_threads })
