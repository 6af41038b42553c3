/* What a source counted, forgotten by lanes of one input that end at the same time. */
/* SPDX-License-Identifier: MIT */
#include <pthread.h>

#include "check.h"
#include "input/found.h"

enum { ROUNDS = 20000 };

static const MillNotice rows[] = { MILL_WARNING(3, "{count} of {lane}: {what}", NULL, NULL, NULL) };
static const Descriptor source = { .tag = "TST", .code = "TST", .notices = rows, .n_notices = 1 };

typedef struct Ending {
  Input *inputs;
  pthread_barrier_t *together;
} Ending;

static void *end_lanes(void *data)
{
  const Ending *e = data;
  for (int i = 0; i < ROUNDS; i++) {
    pthread_barrier_wait(e->together);
    found_forget(&e->inputs[i]);
  }
  return NULL;
}

static void count_one(Input *in)
{
  MillNamed named = { "what", mill_int(1) };
  notices_init(&in->found, &source);
  notices_add(&in->found, 0, 0, NULL, &named, 1, NULL, NULL);
}

static void test_together(void)
{
  g_autofree Input *inputs = g_new0(Input, ROUNDS);
  pthread_barrier_t together;
  pthread_t other;
  Ending e = { inputs, &together };
  for (int i = 0; i < ROUNDS; i++) count_one(&inputs[i]);
  pthread_barrier_init(&together, NULL, 2);
  CHECK_INT(pthread_create(&other, NULL, end_lanes, &e), 0);
  end_lanes(&e);
  pthread_join(other, NULL);
  pthread_barrier_destroy(&together);
  int n_left = 0;
  for (int i = 0; i < ROUNDS; i++) n_left += inputs[i].found.counts != NULL;
  CHECK_INT(n_left, 0);
}

TEST_MAIN({ "lanes that end together", test_together })
