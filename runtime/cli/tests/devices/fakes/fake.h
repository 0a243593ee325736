// What the fakes share: settings from the environment, and a log in which each says that it was opened.

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int setting(const char* name, int otherwise) {
  const char* text = getenv(name);
  return text && *text ? atoi(text) : otherwise;
}

static void note(const char* line) {
  const char* path = getenv("FAKE_LOG");
  if (!path) return;
  int file = open(path, O_WRONLY | O_APPEND | O_CREAT, 0644);
  if (file < 0) abort();
  dprintf(file, "%s\n", line);
  close(file);
}

static int devices(void) { return setting("FAKE_DEVICES", 1); }

static const size_t MEMORY = (size_t)24 << 30;
