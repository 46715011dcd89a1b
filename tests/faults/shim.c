/* File operations that fail, die or are written down, for the tests in this folder.
 *
 * Preload this library (LD_PRELOAD). It looks only at files below one folder, and only at the operations
 * that change something on a disk. Everything else goes straight to the C library.
 *
 * In the process:  faults_watch(folder), faults_fail(…), faults_kill(…), faults_log(path), faults_mark(text),
 *                  faults_calm(), faults_seen(), faults_hit(): see shim.py, which calls them through ctypes.
 * For a child:     TABLETAPE_FAULTS="below=/folder;ops=255;nth=12;kill=1" and the like, read once at start:
 *                  below, ops, nth, error (a number), count, torn, kill, log.
 *
 * The log is a line "op inode offset length path\n" for each operation, followed by `length` bytes. A rename
 * has the new path as its bytes; a mark has its text.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

/* The same numbers stand in shim.py. */
enum {
    OP_WRITE = 1,
    OP_FSYNC = 2,
    OP_TRUNCATE = 4,
    OP_RENAME = 8,
    OP_UNLINK = 16,
    OP_CREATE = 32,
    OP_ALLOCATE = 64,
    OP_LINK = 128,
};

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
#define REAL(name)                                                                                             \
    static __typeof__(&name) real;                                                                             \
    if (!real)                                                                                                 \
    real = NEXT(name)

static char below[PATH_MAX];
static size_t below_length;
static atomic_uint wanted;     /* operations that count */
static atomic_long nth;        /* the first one to fail or to die at, from 1 on; 0: none */
static atomic_long how_often;  /* so many fail from there on; negative: all */
static atomic_int with_error;
static atomic_int torn;        /* half of a write is done before it fails or the process dies */
static atomic_int deadly;      /* 1: die before the operation, 2: die after it */
static atomic_long seen;
static atomic_long hit;
static int log_handle = -1;

static int inside(const char *path) {
    return below_length && strncmp(path, below, below_length) == 0 &&
           (path[below_length] == '/' || path[below_length] == '\0');
}

static int path_of(int handle, char *path) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", handle);
    ssize_t length = readlink(link, path, PATH_MAX - 1);
    if (length < 0)
        return 0;
    path[length] = '\0';
    return inside(path);
}

static int full_path(int folder, const char *name, char *path) {
    char place[PATH_MAX];
    if (name[0] == '/') {
        snprintf(path, PATH_MAX, "%s", name);
    } else {
        char link[64];
        ssize_t length;
        if (folder == AT_FDCWD) {
            if (!getcwd(place, sizeof place))
                return 0;
        } else {
            snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
            if ((length = readlink(link, place, sizeof place - 1)) < 0)
                return 0;
            place[length] = '\0';
        }
        if (snprintf(path, PATH_MAX, "%s/%s", place, name) >= PATH_MAX)
            return 0;
    }
    return inside(path);
}

static void note(const char *op, unsigned long inode, long offset, const char *path, const void *bytes,
                 size_t length) {
    if (log_handle < 0)
        return;
    char line[PATH_MAX + 128];
    int size = snprintf(line, sizeof line, "%s %lu %ld %zu %s\n", op, inode, offset, length, path);
    struct iovec parts[2] = {{line, (size_t)size}, {(void *)bytes, length}};
    static __typeof__(&writev) really;
    if (!really)
        really = NEXT(writev);
    int before = errno;
    if (really(log_handle, parts, length ? 2 : 1) != (ssize_t)(size + length))
        abort();
    errno = before;
}

static unsigned long inode_of(int handle) {
    struct stat found;
    return fstat(handle, &found) == 0 ? (unsigned long)found.st_ino : 0;
}

static unsigned long inode_at(const char *path) {
    struct stat found;
    return lstat(path, &found) == 0 ? (unsigned long)found.st_ino : 0;
}

enum verdict { GO, FAIL, DIE_AFTER };

/* Count one operation below the folder and say what becomes of it. */
static enum verdict verdict(unsigned op) {
    if (!(op & atomic_load(&wanted)))
        return GO;
    long place = atomic_fetch_add(&seen, 1) + 1;
    long first = atomic_load(&nth), often = atomic_load(&how_often);
    if (!first || place < first || (often >= 0 && place >= first + often))
        return GO;
    atomic_fetch_add(&hit, 1);
    if (atomic_load(&deadly) == 1 && !atomic_load(&torn))
        kill(getpid(), SIGKILL);
    if (atomic_load(&deadly))
        return DIE_AFTER;
    return FAIL;
}

static ssize_t writing(int handle, const void *bytes, size_t length, off_t offset, int at) {
    static __typeof__(&write) plain;
    static __typeof__(&pwrite) placed;
    if (!plain) {
        plain = NEXT(write);
        placed = NEXT(pwrite);
    }
    char path[PATH_MAX];
    if (!below_length || handle == log_handle || !path_of(handle, path))
        return at ? placed(handle, bytes, length, offset) : plain(handle, bytes, length);
    enum verdict said = verdict(OP_WRITE);
    size_t some = length;
    if (said != GO && atomic_load(&torn))
        some = length / 2;
    else if (said == FAIL)
        some = 0;
    long where = at ? (long)offset : (fcntl(handle, F_GETFL) & O_APPEND) ? -1 : (long)lseek(handle, 0, SEEK_CUR);
    if (where < 0) {
        struct stat found;
        where = fstat(handle, &found) == 0 ? (long)found.st_size : 0;
    }
    ssize_t done = 0;
    if (some) {
        done = at ? placed(handle, bytes, some, offset) : plain(handle, bytes, some);
        if (done > 0)
            note("write", inode_of(handle), where, path, bytes, (size_t)done);
    }
    if (said == DIE_AFTER)
        kill(getpid(), SIGKILL);
    if (said == FAIL && !done) {
        errno = atomic_load(&with_error);
        return -1;
    }
    return done;
}

ssize_t write(int handle, const void *bytes, size_t length) { return writing(handle, bytes, length, 0, 0); }
ssize_t pwrite(int handle, const void *bytes, size_t length, off_t offset) {
    return writing(handle, bytes, length, offset, 1);
}
ssize_t pwrite64(int handle, const void *bytes, size_t length, off_t offset) {
    return writing(handle, bytes, length, offset, 1);
}

ssize_t writev(int handle, const struct iovec *parts, int count) {
    REAL(writev);
    char path[PATH_MAX];
    if (!below_length || handle == log_handle || !path_of(handle, path))
        return real(handle, parts, count);
    size_t length = 0;
    for (int i = 0; i < count; i++)
        length += parts[i].iov_len;
    char *all = malloc(length ? length : 1), *end = all;
    if (!all)
        return -1;
    for (int i = 0; i < count; i++)
        end = mempcpy(end, parts[i].iov_base, parts[i].iov_len);
    ssize_t done = writing(handle, all, length, 0, 0);
    free(all);
    return done;
}

/* An operation on an open file. `done` is what the C library is asked to do. */
#define ON_HANDLE(op, name, offset, ask)                                                                       \
    do {                                                                                                       \
        char path[PATH_MAX];                                                                                   \
        if (!below_length || !path_of(handle, path))                                                           \
            return ask;                                                                                        \
        enum verdict said = verdict(op);                                                                       \
        if (said == FAIL) {                                                                                    \
            errno = atomic_load(&with_error);                                                                  \
            return -1;                                                                                         \
        }                                                                                                      \
        int done = ask;                                                                                        \
        if (done == 0)                                                                                         \
            note(name, inode_of(handle), (long)(offset), path, "", 0);                                         \
        if (said == DIE_AFTER)                                                                                 \
            kill(getpid(), SIGKILL);                                                                           \
        return done;                                                                                           \
    } while (0)

int fsync(int handle) {
    REAL(fsync);
    ON_HANDLE(OP_FSYNC, "fsync", 0, real(handle));
}
int fdatasync(int handle) {
    REAL(fdatasync);
    ON_HANDLE(OP_FSYNC, "fsync", 0, real(handle));
}
int ftruncate(int handle, off_t length) {
    REAL(ftruncate);
    ON_HANDLE(OP_TRUNCATE, "truncate", length, real(handle, length));
}
int ftruncate64(int handle, off_t length) {
    REAL(ftruncate64);
    ON_HANDLE(OP_TRUNCATE, "truncate", length, real(handle, length));
}
int fallocate(int handle, int mode, off_t offset, off_t length) {
    REAL(fallocate);
    ON_HANDLE(OP_ALLOCATE, "allocate", offset + length, real(handle, mode, offset, length));
}
/* It returns the error instead of setting errno. */
int posix_fallocate(int handle, off_t offset, off_t length) {
    REAL(posix_fallocate);
    char path[PATH_MAX];
    if (!below_length || !path_of(handle, path))
        return real(handle, offset, length);
    enum verdict said = verdict(OP_ALLOCATE);
    if (said == FAIL)
        return atomic_load(&with_error);
    int done = real(handle, offset, length);
    if (done == 0)
        note("allocate", inode_of(handle), (long)(offset + length), path, "", 0);
    if (said == DIE_AFTER)
        kill(getpid(), SIGKILL);
    return done;
}
int posix_fallocate64(int handle, off_t offset, off_t length) { return posix_fallocate(handle, offset, length); }

static int renaming(int from_folder, const char *from, int to_folder, const char *to, unsigned flags) {
    REAL(renameat2);
    char old[PATH_MAX], new[PATH_MAX];
    int ours = full_path(from_folder, from, old) | full_path(to_folder, to, new);
    if (!below_length || !ours)
        return real(from_folder, from, to_folder, to, flags);
    enum verdict said = verdict(OP_RENAME);
    if (said == FAIL) {
        errno = atomic_load(&with_error);
        return -1;
    }
    unsigned long inode = inode_at(old);
    int done = real(from_folder, from, to_folder, to, flags);
    if (done == 0)
        note("rename", inode, 0, old, new, strlen(new));
    if (said == DIE_AFTER)
        kill(getpid(), SIGKILL);
    return done;
}
int rename(const char *from, const char *to) { return renaming(AT_FDCWD, from, AT_FDCWD, to, 0); }
int renameat(int from_folder, const char *from, int to_folder, const char *to) {
    return renaming(from_folder, from, to_folder, to, 0);
}
int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned flags) {
    return renaming(from_folder, from, to_folder, to, flags);
}

int linkat(int from_folder, const char *from, int to_folder, const char *to, int flags) {
    REAL(linkat);
    char old[PATH_MAX], new[PATH_MAX];
    int ours = full_path(from_folder, from, old) | full_path(to_folder, to, new);
    if (!below_length || !ours)
        return real(from_folder, from, to_folder, to, flags);
    enum verdict said = verdict(OP_LINK);
    if (said == FAIL) {
        errno = atomic_load(&with_error);
        return -1;
    }
    unsigned long inode = inode_at(old);
    int done = real(from_folder, from, to_folder, to, flags);
    if (done == 0)
        note("link", inode, 0, old, new, strlen(new));
    if (said == DIE_AFTER)
        kill(getpid(), SIGKILL);
    return done;
}
int link(const char *from, const char *to) { return linkat(AT_FDCWD, from, AT_FDCWD, to, 0); }

int unlinkat(int folder, const char *name, int flags) {
    REAL(unlinkat);
    char path[PATH_MAX];
    if (!below_length || !full_path(folder, name, path))
        return real(folder, name, flags);
    enum verdict said = verdict(OP_UNLINK);
    if (said == FAIL) {
        errno = atomic_load(&with_error);
        return -1;
    }
    unsigned long inode = inode_at(path);
    int done = real(folder, name, flags);
    if (done == 0)
        note("unlink", inode, 0, path, "", 0);
    if (said == DIE_AFTER)
        kill(getpid(), SIGKILL);
    return done;
}
int unlink(const char *name) { return unlinkat(AT_FDCWD, name, 0); }

static int opening(int folder, const char *name, int flags, mode_t mode) {
    REAL(openat);
    char path[PATH_MAX];
    if (!below_length || !(flags & (O_CREAT | O_TRUNC)) || !full_path(folder, name, path))
        return real(folder, name, flags, mode);
    struct stat found;
    int there = stat(path, &found) == 0;
    int makes = !there && (flags & O_CREAT), empties = there && (flags & O_TRUNC) && found.st_size;
    if (!makes && !empties)
        return real(folder, name, flags, mode);
    enum verdict said = verdict(makes ? OP_CREATE : OP_TRUNCATE);
    if (said == FAIL) {
        errno = atomic_load(&with_error);
        return -1;
    }
    int handle = real(folder, name, flags, mode);
    if (handle >= 0)
        note(makes ? "create" : "truncate", inode_of(handle), 0, path, "", 0);
    if (said == DIE_AFTER)
        kill(getpid(), SIGKILL);
    return handle;
}

#define MODE(flags)                                                                                            \
    mode_t mode = 0;                                                                                           \
    if ((flags) & (O_CREAT | __O_TMPFILE)) {                                                                   \
        va_list rest;                                                                                          \
        va_start(rest, flags);                                                                                 \
        mode = va_arg(rest, mode_t);                                                                           \
        va_end(rest);                                                                                          \
    }

int open(const char *name, int flags, ...) {
    MODE(flags);
    return opening(AT_FDCWD, name, flags, mode);
}
int open64(const char *name, int flags, ...) {
    MODE(flags);
    return opening(AT_FDCWD, name, flags, mode);
}
int openat(int folder, const char *name, int flags, ...) {
    MODE(flags);
    return opening(folder, name, flags, mode);
}
int openat64(int folder, const char *name, int flags, ...) {
    MODE(flags);
    return opening(folder, name, flags, mode);
}

/* Copies inside the kernel are refused, so that every copy is made of writes that are seen here. */
ssize_t sendfile(int to, int from, off_t *offset, size_t length) {
    REAL(sendfile);
    char path[PATH_MAX];
    if (!below_length || !path_of(to, path))
        return real(to, from, offset, length);
    errno = ENOTSOCK;
    return -1;
}
ssize_t sendfile64(int to, int from, off_t *offset, size_t length) { return sendfile(to, from, offset, length); }
ssize_t copy_file_range(int from, off_t *from_at, int to, off_t *to_at, size_t length, unsigned flags) {
    REAL(copy_file_range);
    char path[PATH_MAX];
    if (!below_length || !path_of(to, path))
        return real(from, from_at, to, to_at, length, flags);
    errno = EXDEV;
    return -1;
}

/* --- what tests call ------------------------------------------------------------------------------- */

void faults_calm(void) {
    atomic_store(&nth, 0);
    atomic_store(&wanted, 0);
}

void faults_watch(const char *folder) {
    faults_calm();
    below_length = 0;
    snprintf(below, sizeof below, "%s", folder);
    below_length = strlen(below);
}

static void from_now(unsigned ops, long first, long often) {
    faults_calm();
    atomic_store(&seen, 0);
    atomic_store(&hit, 0);
    atomic_store(&how_often, often);
    atomic_store(&nth, first);
    atomic_store(&wanted, ops);
}

/* From the `first` operation among `ops` on, `often` of them fail with `error` (negative: all until calm). */
void faults_fail(unsigned ops, long first, long often, int error, int half) {
    atomic_store(&deadly, 0);
    atomic_store(&with_error, error);
    atomic_store(&torn, half);
    from_now(ops, first, often);
}

/* The process is killed at the `first` operation among `ops`: before it (1), after it (2), or in its middle. */
void faults_kill(unsigned ops, long first, int when, int half) {
    atomic_store(&deadly, when);
    atomic_store(&torn, half);
    from_now(ops, first, 1);
}

/* Only count what happens. */
void faults_count(unsigned ops) { from_now(ops, 0, 0); }
long faults_seen(void) { return atomic_load(&seen); }
long faults_hit(void) { return atomic_load(&hit); }

int faults_log(const char *path) {
    REAL(openat);
    int handle = real(AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    /* High, out of the way of programs that close what they do not know. */
    log_handle = handle < 0 ? -1 : fcntl(handle, F_DUPFD_CLOEXEC, 500);
    if (handle >= 0)
        close(handle);
    return log_handle >= 0;
}

/* Write a line of the test's own between the operations: "acknowledged 17". */
void faults_mark(const char *text) { note("mark", 0, 0, "-", text, strlen(text)); }

static const char *field(const char *all, const char *name, char *value) {
    char wanted_name[32];
    size_t length = (size_t)snprintf(wanted_name, sizeof wanted_name, "%s=", name);
    for (const char *at = all; at; at = strchr(at, ';') ? strchr(at, ';') + 1 : NULL) {
        if (strncmp(at, wanted_name, length) == 0) {
            size_t size = strcspn(at + length, ";");
            memcpy(value, at + length, size);
            value[size] = '\0';
            return value;
        }
    }
    return NULL;
}

__attribute__((constructor)) static void from_environment(void) {
    const char *all = getenv("TABLETAPE_FAULTS");
    char value[PATH_MAX];
    if (!all || strlen(all) >= sizeof value || !field(all, "below", value))
        return;
    faults_watch(value);
    if (field(all, "log", value) && !faults_log(value))
        abort();
    unsigned ops = field(all, "ops", value) ? (unsigned)strtoul(value, NULL, 10) : 255;
    long first = field(all, "nth", value) ? strtol(value, NULL, 10) : 0;
    int half = field(all, "torn", value) ? atoi(value) : 0;
    if (field(all, "kill", value))
        faults_kill(ops, first, atoi(value), half);
    else if (field(all, "error", value)) {
        int error = atoi(value);
        long often = field(all, "count", value) ? strtol(value, NULL, 10) : 1;
        faults_fail(ops, first, often, error, half);
    } else
        faults_count(ops);
}
