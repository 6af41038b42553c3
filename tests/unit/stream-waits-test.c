/* Tests of base/stream over what is no file: connections that break, and waits that a signal interrupts. */
/* SPDX-License-Identifier: MIT */
#include "base/stream.h"

#include "check.h"

#include <glib.h>
#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* A reader of what the descriptor gives, which it closes. */
static Reader *open_as_input(int fd)
{
  int saved = dup(STDIN_FILENO);
  g_autofree char *why = NULL;
  dup2(fd, STDIN_FILENO);
  close(fd);
  Reader *r = reader_open("-", &why);
  CHECK(r != NULL);
  dup2(saved, STDIN_FILENO);
  close(saved);
  return r;
}

/* The peer goes while a byte for it waits: that is a failure of the connection, not an early end of the data. */
static void test_broken_connection(void)
{
  static const char *const begins[] = { "\x1f\x8b\x08\0\0\0\0\0\0\3", "\x28\xb5\x2f\xfd\0\x58" };
  static const size_t lens[] = { 10, 6 };
  for (int k = 0; k < 2; k++) {
    int ends[2];
    char buffer[100];
    CHECK_INT(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    CHECK_INT(write(ends[1], begins[k], lens[k]), lens[k]);
    CHECK_INT(write(ends[0], "x", 1), 1);
    close(ends[1]);
    Reader *r = open_as_input(ends[0]);
    CHECK_INT(reader_read(r, buffer, sizeof buffer), -1);
    CHECK(reader_why(r) && g_str_has_prefix(reader_why(r), "cannot read: "));
    CHECK(!reader_truncated(r));
    reader_close(r);
  }
}

static void on_signal(int sig) { (void)sig; }

static void *interrupt_then_cancel(void *reading)
{
  g_usleep(50000);
  pthread_kill(*(pthread_t *)reading, SIGUSR1);
  g_usleep(150000);
  stream_cancel_all();
  return NULL;
}

/* All readers are cancelled for good, so this is a process of its own; its status says how it went. */
static int wait_in_silence(void)
{
  int ends[2];
  char buffer[16];
  pthread_t thread, self = pthread_self();
  struct sigaction action = { .sa_handler = on_signal };
  alarm(20);
  sigaction(SIGUSR1, &action, NULL);
  if (pipe(ends) || write(ends[1], "text", 4) != 4) return 1;
  Reader *r = open_as_input(ends[0]);
  if (!r || reader_read(r, buffer, 4) != 4) return 2;
  if (pthread_create(&thread, NULL, interrupt_then_cancel, &self)) return 3;
  if (reader_read(r, buffer, 4) != -1 || !reader_why(r)) return 4;
  pthread_join(thread, NULL);
  reader_close(r);
  return 0;
}

/* A wait that a signal interrupted goes on, and can still be cancelled. */
static void test_interrupted_wait(void)
{
  int status = -1;
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) _exit(wait_in_silence());
  CHECK_INT(waitpid(child, &status, 0), child);
  CHECK_INT(status, 0);
}

TEST_MAIN({ "a connection breaks", test_broken_connection },
          { "a signal during a wait", test_interrupted_wait })
