#include "CCurl.h"

#include <curl/curl.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <openssl/ssl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

struct kibo_client {
    struct kibo_client_calls calls;
    void *context;
    CURLM *multi;
    CURL *easy;
    struct curl_slist *fields;
    int64_t position, length;
    size_t head;
    /// The newest socket, and what had come on it before the request.
    int descriptor;
    uint64_t before;
    bool is_encrypted, is_running, lacks_socket, is_other, is_refused, takes_any, has_shown;
    uint8_t fingerprint[32], shown[32];
    char url[8 << 10];
};

// Bytes that have come on a socket.
static uint64_t received(int descriptor) {
    struct tcp_info info = {0};
    socklen_t length = sizeof info;
    return getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, &info, &length) == 0 ? info.tcpi_bytes_received : 0;
}

static curl_socket_t open_socket(void *context, curlsocktype purpose, struct curl_sockaddr *address) {
    (void)purpose, (void)address;
    struct kibo_client *client = context;
    const int descriptor = client->calls.socket(client->context);
    if (descriptor < 0) client->lacks_socket = true;
    client->descriptor = descriptor;
    client->before = 0;
    return descriptor < 0 ? CURL_SOCKET_BAD : descriptor;
}

static int socket_is_open(void *context, curl_socket_t descriptor, curlsocktype purpose) {
    (void)context, (void)descriptor, (void)purpose;
    return CURL_SOCKOPT_ALREADY_CONNECTED;
}

static size_t read_body(char *buffer, size_t size, size_t count, void *context) {
    struct kibo_client *client = context;
    const ssize_t got = client->calls.body(client->context, client->position, buffer, size * count);
    if (got < 0) {
        client->is_refused = true;
        return CURL_READFUNC_ABORT;
    }
    client->position += got;
    return (size_t)got;
}

static int seek_body(void *context, curl_off_t position, int origin) {
    struct kibo_client *client = context;
    if (origin != SEEK_SET) return CURL_SEEKFUNC_FAIL;
    client->position = position;
    return CURL_SEEKFUNC_OK;
}

static size_t take_answer(char *bytes, size_t size, size_t count, void *context) {
    struct kibo_client *client = context;
    if (client->calls.answer(client->context, bytes, size * count)) return size * count;
    client->is_refused = true;
    return 0;
}

// Heads, those of interim answers, and trailers: the library has a limit for each, and none for all of them.
static size_t count_head(char *bytes, size_t size, size_t count, void *context) {
    (void)bytes;
    struct kibo_client *client = context;
    client->head += size * count;
    if (client->head <= KIBO_CLIENT_HEAD) return size * count;
    client->is_refused = true;
    return 0;
}

// The certificate itself is what is known of the other side: nobody vouches for it, and its names and dates count for nothing.
static int verify(X509_STORE_CTX *store, void *context) {
    struct kibo_client *client = context;
    X509 *certificate = X509_STORE_CTX_get0_cert(store);
    unsigned count = 0;
    client->has_shown =
        certificate && X509_digest(certificate, EVP_sha256(), client->shown, &count) == 1 && count == 32;
    const bool is_right =
        client->has_shown && (client->takes_any ||
                              CRYPTO_memcmp(client->shown, client->fingerprint, sizeof client->fingerprint) == 0);
    client->is_other = !is_right;
    if (!is_right) X509_STORE_CTX_set_error(store, X509_V_ERR_APPLICATION_VERIFICATION);
    return is_right;
}

static CURLcode prepare_tls(CURL *easy, void *tls, void *context) {
    (void)easy;
    SSL_CTX_set_verify(tls, SSL_VERIFY_PEER, NULL);
    SSL_CTX_set_cert_verify_callback(tls, verify, context);
    return CURLE_OK;
}

static bool set_up(struct kibo_client *client, const char *certificate, const char *key) {
    CURL *easy = client->easy;
    struct curl_blob shown = {(void *)certificate, certificate ? strlen(certificate) : 0, CURL_BLOB_COPY};
    struct curl_blob secret = {(void *)key, key ? strlen(key) : 0, CURL_BLOB_COPY};
    bool is_set = true;
#define SET(option, value) is_set = is_set && curl_easy_setopt(easy, option, value) == CURLE_OK
    SET(CURLOPT_NOSIGNAL, 1L);
    SET(CURLOPT_PROTOCOLS_STR, client->is_encrypted ? "https" : "http");
    SET(CURLOPT_PROXY, "");
    SET(CURLOPT_IPRESOLVE, (long)CURL_IPRESOLVE_V4);
    SET(CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    SET(CURLOPT_SSL_ENABLE_ALPN, 0L);
    SET(CURLOPT_FOLLOWLOCATION, 0L);
    SET(CURLOPT_OPENSOCKETFUNCTION, open_socket);
    SET(CURLOPT_OPENSOCKETDATA, client);
    SET(CURLOPT_SOCKOPTFUNCTION, socket_is_open);
    SET(CURLOPT_READFUNCTION, read_body);
    SET(CURLOPT_READDATA, client);
    SET(CURLOPT_SEEKFUNCTION, seek_body);
    SET(CURLOPT_SEEKDATA, client);
    SET(CURLOPT_WRITEFUNCTION, take_answer);
    SET(CURLOPT_WRITEDATA, client);
    SET(CURLOPT_HEADERFUNCTION, count_head);
    SET(CURLOPT_HEADERDATA, client);
    SET(CURLOPT_UPLOAD_BUFFERSIZE, 512L << 10);
    SET(CURLOPT_CONNECTTIMEOUT, 10L);
    SET(CURLOPT_TCP_KEEPALIVE, 1L);
    SET(CURLOPT_TCP_KEEPIDLE, 10L);
    SET(CURLOPT_TCP_KEEPINTVL, 5L);
    if (client->is_encrypted) {
        SET(CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
        // What the library would check is not what is known; prepare_tls has it checked by the fingerprint.
        SET(CURLOPT_SSL_VERIFYPEER, 0L);
        SET(CURLOPT_SSL_VERIFYHOST, 0L);
        SET(CURLOPT_SSL_SESSIONID_CACHE, 0L);
        SET(CURLOPT_SSL_CTX_FUNCTION, prepare_tls);
        SET(CURLOPT_SSL_CTX_DATA, client);
        if (certificate && key) {
            SET(CURLOPT_SSLCERT_BLOB, &shown);
            SET(CURLOPT_SSLKEY_BLOB, &secret);
        }
    }
#undef SET
    return is_set;
}

struct kibo_client *kibo_client_new(const struct kibo_client_calls *calls, void *context, bool is_encrypted,
                                    const uint8_t *fingerprint, const char *certificate, const char *key) {
    if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) return NULL;
    struct kibo_client *client = calloc(1, sizeof *client);
    if (!client) return NULL;
    client->calls = *calls;
    client->context = context;
    client->descriptor = -1;
    client->is_encrypted = is_encrypted;
    client->takes_any = fingerprint == NULL;
    if (fingerprint) memcpy(client->fingerprint, fingerprint, sizeof client->fingerprint);
    // The multi handle makes its own pair of sockets now, for waking it, and the first context of TLS reads what configures it.
    client->multi = curl_multi_init();
    client->easy = curl_easy_init();
    SSL_CTX *first = SSL_CTX_new(TLS_client_method());
    const bool is_ready = client->multi && client->easy && first && set_up(client, certificate, key);
    SSL_CTX_free(first);
    if (is_ready) return client;
    if (client->easy) curl_easy_cleanup(client->easy);
    if (client->multi) curl_multi_cleanup(client->multi);
    free(client);
    return NULL;
}

bool kibo_client_post(struct kibo_client *client, const char *url, const char *type, int64_t length, long patience,
                      long idle) {
    char field[256];
    if (client->is_running || strlen(url) >= sizeof client->url || strlen(type) > 200) return false;
    strcpy(client->url, url);
    strcpy(field, "Content-Type: ");
    strcat(field, type);
    curl_slist_free_all(client->fields);
    // Without this line a large body would wait for a word that few servers say.
    client->fields = curl_slist_append(NULL, "Expect:");
    if (client->fields) curl_slist_append(client->fields, field);
    client->position = 0;
    client->length = length;
    client->head = 0;
    client->before = received(client->descriptor);
    client->lacks_socket = client->is_other = client->is_refused = false;
    CURL *easy = client->easy;
    if (curl_easy_setopt(easy, CURLOPT_URL, client->url) != CURLE_OK ||
        curl_easy_setopt(easy, CURLOPT_POST, 1L) != CURLE_OK ||
        curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)length) != CURLE_OK ||
        curl_easy_setopt(easy, CURLOPT_HTTPHEADER, client->fields) != CURLE_OK ||
        curl_easy_setopt(easy, CURLOPT_TIMEOUT, patience) != CURLE_OK ||
        curl_easy_setopt(easy, CURLOPT_LOW_SPEED_LIMIT, idle > 0 ? 1L : 0L) != CURLE_OK ||
        curl_easy_setopt(easy, CURLOPT_LOW_SPEED_TIME, idle) != CURLE_OK)
        return false;
    client->is_running = curl_multi_add_handle(client->multi, easy) == CURLM_OK;
    return client->is_running;
}

const uint8_t *kibo_client_shown(const struct kibo_client *client) { return client->has_shown ? client->shown : NULL; }

void kibo_client_drop(struct kibo_client *client) {
    if (client->is_running) curl_multi_remove_handle(client->multi, client->easy);
    client->is_running = false;
}

// Whether the request could begin: TLS was there, or isn't needed.
static bool has_begun(CURL *easy) {
    curl_off_t after = 0;
    return curl_easy_getinfo(easy, CURLINFO_PRETRANSFER_TIME_T, &after) == CURLE_OK && after > 0;
}

static enum kibo_client_end end_of(struct kibo_client *client, CURLcode code, long *status) {
    switch (code) {
    case CURLE_OK:
        if (curl_easy_getinfo(client->easy, CURLINFO_RESPONSE_CODE, status) != CURLE_OK) return kibo_client_broke;
        // Nobody has what did not go, whatever they say.
        return client->position < client->length && *status < 300 ? kibo_client_broke : kibo_client_answered;
    case CURLE_OPERATION_TIMEDOUT: return has_begun(client->easy) ? kibo_client_silent : kibo_client_no_tls;
    default: break;
    }
    if (client->is_other) return kibo_client_other_certificate;
    if (client->is_refused) return kibo_client_refused;
    if (client->lacks_socket) return kibo_client_no_socket;
    return code == CURLE_SSL_CONNECT_ERROR || code == CURLE_PEER_FAILED_VERIFICATION ? kibo_client_no_tls
                                                                                    : kibo_client_broke;
}

enum kibo_client_end kibo_client_go_on(struct kibo_client *client, int descriptor, int milliseconds, long *status) {
    struct curl_waitfd extra = {.fd = descriptor, .events = CURL_WAIT_POLLIN};
    int running = 0;
    if (client->is_running && curl_multi_perform(client->multi, &running) != CURLM_OK) {
        kibo_client_drop(client);
        return kibo_client_broke;
    }
    int left = 0;
    const CURLMsg *message = client->is_running ? curl_multi_info_read(client->multi, &left) : NULL;
    if (message && message->msg == CURLMSG_DONE) {
        const CURLcode code = message->data.result;
        kibo_client_drop(client);
        return end_of(client, code, status);
    }
    // What stands around chunks is told to nobody, and the library reads it without end.
    const uint64_t now = client->is_running ? received(client->descriptor) : 0;
    if (now > client->before && now - client->before > KIBO_CLIENT_ANSWER) {
        kibo_client_drop(client);
        return kibo_client_refused;
    }
    curl_multi_poll(client->multi, &extra, 1, milliseconds, NULL);
    return kibo_client_runs;
}
