#include "CMicrohttpd.h"

#include <stdint.h>
#include <string.h>
#include <sys/socket.h>

struct MHD_Daemon *kibo_http_start(const struct kibo_http_calls *calls, void *context, unsigned connections,
                                   size_t memory, unsigned timeout, const char *certificate, const char *key) {
    const unsigned flags =
        MHD_USE_EPOLL | MHD_USE_NO_LISTEN_SOCKET | MHD_ALLOW_SUSPEND_RESUME | (certificate ? MHD_USE_TLS : 0);
    struct MHD_OptionItem identity[] = {
        {MHD_OPTION_HTTPS_PRIORITIES, 0, "SECURE128:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2"},
        {MHD_OPTION_HTTPS_MEM_CERT, 0, (void *)certificate},
        {MHD_OPTION_HTTPS_MEM_KEY, 0, (void *)key},
        {MHD_OPTION_END, 0, NULL},
    };
    // SIGPIPE is ignored by each program that has a server: without the option files would go in small pieces, without sendfile.
    return MHD_start_daemon(flags, 0, NULL, NULL, calls->access, context, MHD_OPTION_CONNECTION_LIMIT, connections,
                            MHD_OPTION_CONNECTION_MEMORY_LIMIT, memory, MHD_OPTION_CONNECTION_TIMEOUT, timeout,
                            MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_SIGPIPE_HANDLED_BY_APP, 1,
                            MHD_OPTION_NOTIFY_COMPLETED, calls->completed, context, MHD_OPTION_NOTIFY_CONNECTION,
                            calls->connection, context, MHD_OPTION_URI_LOG_CALLBACK, calls->begun, context,
                            MHD_OPTION_ARRAY, certificate ? identity : identity + 3, MHD_OPTION_END);
}

int kibo_http_epoll(struct MHD_Daemon *server) {
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(server, MHD_DAEMON_INFO_EPOLL_FD);
    return info ? info->epoll_fd : -1;
}

int kibo_http_socket(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info ? info->connect_fd : -1;
}

void kibo_http_wake_for(struct MHD_Connection *connection, int bytes) {
    setsockopt(kibo_http_socket(connection), SOL_SOCKET, SO_RCVLOWAT, &bytes, sizeof bytes);
}

void kibo_http_set_timeout(struct MHD_Connection *connection, unsigned seconds) {
    MHD_set_connection_option(connection, MHD_CONNECTION_OPTION_TIMEOUT, seconds);
}

struct gathering {
    struct kibo_http_field *fields;
    int count, capacity;
};

static enum MHD_Result gather(void *context, enum MHD_ValueKind kind, const char *name, size_t name_size,
                              const char *value, size_t value_size) {
    (void)kind;
    struct gathering *gathering = context;
    if (gathering->count == gathering->capacity) return MHD_NO;
    gathering->fields[gathering->count++] = (struct kibo_http_field){name, name_size, value, value_size};
    return MHD_YES;
}

int kibo_http_fields(struct MHD_Connection *connection, struct kibo_http_field *fields, int capacity) {
    struct gathering gathering = {fields, 0, capacity};
    MHD_get_connection_values_n(connection, MHD_HEADER_KIND, gather, &gathering);
    return gathering.count;
}

size_t kibo_http_head_size(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    return info ? info->header_size : 0;
}

bool kibo_http_is_plain(struct MHD_Connection *connection, const char *method, size_t target_size, const char *version,
                        const struct kibo_http_field *fields, int count) {
    // The library cuts the head up where it lies and writes zeros over separators, but not over the byte before a value.
    const uintptr_t start = (uintptr_t)method;
    uintptr_t next = start + strlen(method) + 1 + target_size + 1;
    if ((uintptr_t)version != next) return false;
    next += strlen(version) + 2;
    for (int index = 0; index < count; index++) {
        if ((uintptr_t)fields[index].name != next) return false;
        next += fields[index].name_size + 2;
        if (!fields[index].value || (uintptr_t)fields[index].value != next || fields[index].value[-1] != ' ') return false;
        next += fields[index].value_size + 2;
    }
    return next + 2 == start + kibo_http_head_size(connection);
}
