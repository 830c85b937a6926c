// Socket calls that are GNU extensions or need the CMSG macros.
#ifndef KIBO_CLINUX_SOCKETS_H
#define KIBO_CLINUX_SOCKETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>

/// accept4 with SOCK_NONBLOCK and SOCK_CLOEXEC. -1 and errno on failure.
int kibo_accept(int listener, struct sockaddr_storage *peer, socklen_t *peer_length);

/// SO_PEERCRED of a Unix stream socket: the process that connected or listened. -1 and errno on failure.
int kibo_peer_credentials(int fd, pid_t *pid, uid_t *uid, gid_t *gid);

/// Asks for IP_PKTINFO (and IPV6_RECVPKTINFO on an IPv6 socket). -1 and errno on failure.
int kibo_want_packet_info(int fd, int family);

/// Where a datagram came from and what it was sent to.
struct kibo_packet_info {
    struct sockaddr_storage source;
    /// Interface on which it arrived; 0 if the kernel did not say.
    uint32_t interface_index;
    /// AF_INET, AF_INET6, or AF_UNSPEC if the kernel did not say.
    int destination_family;
    /// 4 or 16 bytes in network order.
    uint8_t destination[16];
    /// The datagram was longer than the buffer.
    bool truncated;
};

/// Receives one datagram without waiting. Returns its length, or -1 and errno.
ssize_t kibo_receive_datagram(int fd, void *buffer, size_t capacity, struct kibo_packet_info *info);

/// Sends one datagram without waiting, through the given interface unless that is 0, and from that IPv4 address (in network
/// order) unless it is 0 or the socket one of IPv6. Returns its length, or -1 and errno.
ssize_t kibo_send_datagram(int fd, const void *bytes, size_t count, const struct sockaddr *to, socklen_t to_length,
                           uint32_t interface_index, uint32_t source);

/// Writes to a Unix stream socket without waiting and without SIGPIPE, and passes a descriptor with the first byte
/// (SCM_RIGHTS); the caller keeps its own. Returns the number of bytes, or -1 and errno; none was passed then.
ssize_t kibo_send_pieces(int fd, const struct iovec *pieces, size_t count, int descriptor);

/// Limits the time after which TCP sends unacknowledged data again to so many milliseconds (TCP_RTO_MAX_MS, Linux 6.15;
/// 1,000 to 120,000, which is the default). -1 and errno where the kernel can't do that.
int kibo_limit_retransmission_pause(int fd, int milliseconds);

/// Milliseconds since the other side of a TCP socket was last heard, even by an acknowledgement only (TCP_INFO). -1 and
/// errno on failure.
int64_t kibo_tcp_silence(int fd);

/// A socket that becomes readable whenever an interface or an address of this host comes, goes or changes (rtnetlink(7)),
/// close-on-exec and non-blocking. -1 and errno on failure.
int kibo_link_changes(void);

/// Reads all messages that wait there, without looking at them. Returns their number; a loss of messages counts as one.
int kibo_drain_link_changes(int fd);

/// Joins an IPv6 multicast group on an interface, or leaves it. -1 and errno on failure.
int kibo_group_membership(int fd, const uint8_t group[16], uint32_t interface_index, bool joins);

/// The same for an IPv4 group, in network order.
int kibo_group_membership_four(int fd, uint32_t group, uint32_t interface_index, bool joins);

/// Sends bytes over a Unix stream socket, and a descriptor with the first of them (SCM_RIGHTS; -1: none), without waiting
/// and without SIGPIPE. Returns how many bytes went, or -1 and errno.
ssize_t kibo_send_descriptor(int fd, const void *bytes, size_t count, int descriptor);

/// Receives bytes without waiting. A read ends with the bytes that a descriptor came with, so there is one at most; it is
/// close-on-exec. `descriptor` becomes -1 if none came. Returns how many bytes came, 0 at the end, or -1 and errno: EMFILE if
/// this process has no room for the descriptor, which is lost then with the bytes.
ssize_t kibo_receive_descriptor(int fd, void *buffer, size_t capacity, int *descriptor);

/// A socket that answers kibo_tcp_owner (sock_diag(7)). -1 and errno on failure.
int kibo_tcp_diagnosis(void);

/// The user whose socket is the other end of `fd`, a TCP connection within this host. -1 and errno if that can't be told:
/// ESTALE if the other end is closed already, ENOENT if it isn't on this host.
int kibo_tcp_owner(int diagnosis, int fd, uid_t *uid);

#endif
