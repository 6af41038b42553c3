/* Closed standard streams; see standard.h. */
#include "base/standard.h"

#include <fcntl.h>
#include <unistd.h>

/* A folder that is opened in this way gives EBADF to everybody who reads or writes. */
void standard_fill(void)
{
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
    if (fcntl(fd, F_GETFD) < 0 && open("/", O_PATH) != fd) return;
}

bool standard_is_closed(int fd)
{
  int flags = fcntl(fd, F_GETFL);
  return flags < 0 || flags & O_PATH;
}
