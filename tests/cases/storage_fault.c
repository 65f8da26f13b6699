/* SPDX-License-Identifier: Apache-2.0
 * A disk that fails, for LD_PRELOAD: files whose path contains FAULT_PATH take FAULT_AFTER bytes in all, then every write to them
 * fails with FAULT_ERRNO; with FAULT_CALL=fsync only flushing fails, with FAULT_CALL=open creating them. With FAULT_CALL=statvfs the
 * disk says that it has FAULT_AFTER bytes left. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/types.h>
#include <unistd.h>

static long long written;

static int matches(const char* path) {
  const char* part = getenv("FAULT_PATH");
  return part && path && strstr(path, part) != NULL;
}

static int is_ours(int fd) {
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  const ssize_t n = readlink(link, path, sizeof path - 1);
  if (n < 0) return 0;
  path[n] = 0;
  return matches(path);
}

static int call_is(const char* name) {
  const char* call = getenv("FAULT_CALL");
  return strcmp(call ? call : "write", name) == 0;
}

static int fault(void) {
  errno = atoi(getenv("FAULT_ERRNO"));
  return -1;
}

static int fails(int fd, size_t count) {
  if (!call_is("write") || !is_ours(fd)) return 0;
  written += (long long)count;
  return written > atoll(getenv("FAULT_AFTER"));
}

ssize_t write(int fd, const void* bytes, size_t count) {
  static ssize_t (*real)(int, const void*, size_t);
  if (!real) *(void**)&real = dlsym(RTLD_NEXT, "write");
  return fails(fd, count) ? fault() : real(fd, bytes, count);
}

ssize_t pwrite(int fd, const void* bytes, size_t count, off_t at) {
  static ssize_t (*real)(int, const void*, size_t, off_t);
  if (!real) *(void**)&real = dlsym(RTLD_NEXT, "pwrite");
  return fails(fd, count) ? fault() : real(fd, bytes, count, at);
}

ssize_t pwrite64(int fd, const void* bytes, size_t count, off64_t at) {
  static ssize_t (*real)(int, const void*, size_t, off64_t);
  if (!real) *(void**)&real = dlsym(RTLD_NEXT, "pwrite64");
  return fails(fd, count) ? fault() : real(fd, bytes, count, at);
}

int fsync(int fd) {
  static int (*real)(int);
  if (!real) *(void**)&real = dlsym(RTLD_NEXT, "fsync");
  return call_is("fsync") && is_ours(fd) ? fault() : real(fd);
}

FILE* fopen(const char* path, const char* mode) {
  static FILE* (*real)(const char*, const char*);
  if (!real) *(void**)&real = dlsym(RTLD_NEXT, "fopen");
  if (call_is("open") && mode[0] == 'w' && matches(path)) {
    fault();
    return NULL;
  }
  return real(path, mode);
}

int statvfs(const char* path, struct statvfs* disk) {
  static int (*real)(const char*, struct statvfs*);
  if (!real) *(void**)&real = dlsym(RTLD_NEXT, "statvfs");
  const int result = real(path, disk);
  if (result == 0 && call_is("statvfs")) {
    disk->f_frsize = 1;
    disk->f_bavail = disk->f_bfree = (fsblkcnt_t)atoll(getenv("FAULT_AFTER"));
  }
  return result;
}
