/* inflate FILE: decompresses a gzip file with isa-l and throws the bytes away, the best that a
   reader of gzip can do. Prints the number of bytes. */
/* SPDX-License-Identifier: MIT */
#include <fcntl.h>
#include <inttypes.h>
#include <isa-l/igzip_lib.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

enum { IN_BYTES = 256 << 10, OUT_BYTES = 1 << 20 };

static uint8_t in[IN_BYTES], out[OUT_BYTES];
static struct inflate_state state;

static int stop(const char *why)
{
  fprintf(stderr, "inflate: %s\n", why);
  return 1;
}

/* Returns false when the data is broken. */
static bool inflate_block(uint64_t *total)
{
  do {
    if (state.block_state == ISAL_BLOCK_FINISH) {
      if (!state.avail_in) return true;
      isal_inflate_reset(&state);
      state.crc_flag = IGZIP_GZIP;
    }
    state.next_out = out;
    state.avail_out = OUT_BYTES;
    if (isal_inflate(&state) != ISAL_DECOMP_OK) return false;
    *total += OUT_BYTES - state.avail_out;
  } while (state.avail_in || !state.avail_out);
  return true;
}

int main(int argc, char **argv)
{
  uint64_t total = 0;
  ssize_t n;
  int file = argc == 2 ? open(argv[1], O_RDONLY) : -1;
  if (file < 0) return stop("usage: inflate FILE");
  isal_inflate_init(&state);
  state.crc_flag = IGZIP_GZIP;
  while ((n = read(file, in, IN_BYTES)) > 0) {
    state.next_in = in;
    state.avail_in = (uint32_t)n;
    if (!inflate_block(&total)) return stop("broken data");
  }
  close(file);
  if (n < 0 || state.block_state != ISAL_BLOCK_FINISH) return stop("the file ends too early");
  printf("%" PRIu64 "\n", total);
  return 0;
}
