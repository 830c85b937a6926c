// What Swift can't call of libmicrohttpd: functions with variable arguments, and a look at how a head was written.
#ifndef KIBO_CMICROHTTPD_H
#define KIBO_CMICROHTTPD_H

#include <microhttpd.h>
#include <stdbool.h>
#include <stddef.h>

// The calls that the library makes, all of them from within MHD_run; `context` goes to each.
struct kibo_http_calls {
    MHD_AccessHandlerCallback access;
    MHD_RequestCompletedCallback completed;
    MHD_NotifyConnectionCallback connection;
    // A request line came: its target as it was written. What it returns is the request's own context.
    void *(*begun)(void *context, const char *target, struct MHD_Connection *connection);
};

// A server that neither listens nor waits: connections are added, and MHD_run is called when its epoll descriptor is
// readable. NULL if it can't be started.
// - connections: at most so many; memory: bytes for each; timeout: seconds without a byte in either direction.
// - certificate, key: in PEM, for TLS 1.2 and 1.3; NULL: it speaks in the clear. They are read here and not later.
struct MHD_Daemon *kibo_http_start(const struct kibo_http_calls *calls, void *context, unsigned connections,
                                   size_t memory, unsigned timeout, const char *certificate, const char *key);

// The epoll descriptor of a server; -1 if it has none.
int kibo_http_epoll(struct MHD_Daemon *server);

// The socket of a connection; -1 if it has none.
int kibo_http_socket(struct MHD_Connection *connection);

// Has the server woken for a connection once so many bytes are there, or its end.
void kibo_http_wake_for(struct MHD_Connection *connection, int bytes);

// Changes the time of inactivity after which a connection ends; 0: never.
void kibo_http_set_timeout(struct MHD_Connection *connection, unsigned seconds);

// One field of a head, as it stands in the connection's memory until the request ends.
struct kibo_http_field {
    const char *name;
    size_t name_size;
    const char *value;
    size_t value_size;
};

// Copies the first fields of a head, in their order, at most `capacity`. Returns their number.
int kibo_http_fields(struct MHD_Connection *connection, struct kibo_http_field *fields, int capacity);

// Bytes of a head, its last empty line counted.
size_t kibo_http_head_size(struct MHD_Connection *connection);

// Whether a head was written as browsers write it, to the byte: single spaces, CR LF, no byte that the library skipped.
// The library takes bare LF, NUL, tabs, folded lines and more; most of them change where a field lies. A NUL in place of a CR
// leaves no trace, and means the same.
bool kibo_http_is_plain(struct MHD_Connection *connection, const char *method, size_t target_size, const char *version,
                        const struct kibo_http_field *fields, int count);

#endif
