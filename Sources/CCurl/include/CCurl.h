#ifndef CCURL_H
#define CCURL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// HTTP requests by libcurl over sockets that the caller has connected: one request at a time, one connection after the other.
// Nothing here opens a file, looks up a name or makes a socket once kibo_client_new has returned.

struct kibo_client;

/// Bytes of all heads and trailers of an answer; more end the request.
enum { KIBO_CLIENT_HEAD = 64 << 10 };
/// Bytes of an answer with all that is around it, also TLS and the lengths of chunks; more end the request.
enum { KIBO_CLIENT_ANSWER = 4 << 20 };

struct kibo_client_calls {
    /// A connected socket, which the client owns from then on; -1 if there is none.
    int (*socket)(void *context);
    /// Bytes of the body from that position on; fewer than wanted only at its end, and -1 ends the request.
    ssize_t (*body)(void *context, int64_t position, void *buffer, size_t count);
    /// Takes bytes of the answer's body; false ends the request.
    bool (*answer)(void *context, const void *bytes, size_t count);
};

/// How a request has ended.
enum kibo_client_end {
    kibo_client_runs,
    /// There is an answer with a status.
    kibo_client_answered,
    /// There was no socket for it.
    kibo_client_no_socket,
    /// The other side has not the certificate that was wanted. It has got no byte of the request.
    kibo_client_other_certificate,
    /// TLS could not begin, or took too long.
    kibo_client_no_tls,
    /// Nothing went on for long, or no answer came in time.
    kibo_client_silent,
    /// The body, or the answer's taker, has ended it.
    kibo_client_refused,
    /// The connection broke, or the answer makes no sense.
    kibo_client_broke,
};

/// Blocking; not for two threads at once. The calls and their context must live as long as the client.
/// - Parameters:
///   - is_encrypted: TLS; otherwise plain HTTP.
///   - fingerprint: the 32 bytes of the SHA-256 of the certificate that the other side has to have; NULL for any.
///   - certificate, key: in PEM, shown to a server that asks for one; both may be NULL.
/// - Returns: NULL where the library refuses.
struct kibo_client *kibo_client_new(const struct kibo_client_calls *calls, void *context, bool is_encrypted,
                                    const uint8_t *fingerprint, const char *certificate, const char *key);

/// Begins a POST.
/// - Parameters:
///   - url: with a numeric address as its host.
///   - length: bytes of the body.
///   - patience: seconds for all of it; 0 for any time.
///   - idle: seconds without a byte after which it is over; 0 for any time.
bool kibo_client_post(struct kibo_client *client, const char *url, const char *type, int64_t length, long patience,
                      long idle);

/// Goes on until the request has ended, descriptor can be read, or the time is over.
/// - Parameter status: set with kibo_client_answered.
enum kibo_client_end kibo_client_go_on(struct kibo_client *client, int descriptor, int milliseconds, long *status);

/// The 32 bytes of the SHA-256 of the certificate that the other side has shown last; NULL if it has shown none.
const uint8_t *kibo_client_shown(const struct kibo_client *client);

/// Ends the request that runs, with its connection.
void kibo_client_drop(struct kibo_client *client);

#endif
