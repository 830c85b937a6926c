// What Benchmarks/floor.c and Benchmarks/brokers.c share: the end of a program that can't go on, the clock, and a
// connection with its buffers. Each of them is one file with this one; PROGRAM is its name in messages.
#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

enum { BUFFER = 1 << 20 };

// A connection with its buffers: `in` from `taken` to `filled` is not read yet, `out` from `sent` to `put` not sent.
struct link {
    int fd;
    char in[BUFFER], out[BUFFER];
    size_t taken, filled, sent, put;
    // How many records went out and came in; only the floor seals them.
    uint64_t sealed, opened;
};

static void die(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fputs(PROGRAM ": ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    exit(1);
}

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void put(struct link *link, const void *bytes, size_t count) {
    if (link->put + count > BUFFER && link->sent > 0) {
        memmove(link->out, link->out + link->sent, link->put - link->sent);
        link->put -= link->sent;
        link->sent = 0;
    }
    if (link->put + count > BUFFER) die("too much on its way");
    memcpy(link->out + link->put, bytes, count);
    link->put += count;
}

static void send_some(struct link *link) {
    while (link->sent < link->put) {
        ssize_t n = send(link->fd, link->out + link->sent, link->put - link->sent, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0 && errno == EAGAIN) return;
        if (n < 0) die("send: %s", strerror(errno));
        link->sent += (size_t)n;
    }
    link->sent = link->put = 0;
}

// Returns whether the other side is still there.
static int receive_some(struct link *link) {
    if (link->taken > 0) {
        memmove(link->in, link->in + link->taken, link->filled - link->taken);
        link->filled -= link->taken;
        link->taken = 0;
    }
    if (link->filled == BUFFER) die("a line is too long");
    ssize_t n = recv(link->fd, link->in + link->filled, BUFFER - link->filled, 0);
    if (n > 0) link->filled += (size_t)n;
    return n != 0 && (n > 0 || errno == EAGAIN || errno == EINTR);
}

// Sends and receives what is possible now on two connections; waits for so many milliseconds if nothing is. Returns how
// many were ready, or -1 when one has ended.
static int turn(struct link *links[2], int patience) {
    struct pollfd waits[2];
    for (int i = 0; i < 2; i++) {
        send_some(links[i]);
        waits[i].fd = links[i]->fd;
        waits[i].events = (short)(POLLIN | (links[i]->put > 0 ? POLLOUT : 0));
    }
    int ready = poll(waits, 2, patience);
    for (int i = 0; i < 2 && ready > 0; i++)
        if (waits[i].revents & ~POLLOUT && !receive_some(links[i])) return -1;
    return ready;
}
