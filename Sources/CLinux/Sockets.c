#define _GNU_SOURCE 1
#include "Sockets.h"

#include <errno.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <unistd.h>

int kibo_accept(int listener, struct sockaddr_storage *peer, socklen_t *peer_length) {
    return accept4(listener, (struct sockaddr *)peer, peer_length, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

int kibo_peer_credentials(int fd, pid_t *pid, uid_t *uid, gid_t *gid) {
    struct ucred credentials;
    socklen_t length = sizeof credentials;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &credentials, &length) != 0) return -1;
    *pid = credentials.pid;
    *uid = credentials.uid;
    *gid = credentials.gid;
    return 0;
}

ssize_t kibo_send_pieces(int fd, const struct iovec *pieces, size_t count, int descriptor) {
    _Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof descriptor)];
    memset(control, 0, sizeof control);
    struct msghdr message = {
        .msg_iov = (struct iovec *)pieces,
        .msg_iovlen = count,
        .msg_control = control,
        .msg_controllen = sizeof control,
    };
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof descriptor);
    memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
    return sendmsg(fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
}

int kibo_limit_retransmission_pause(int fd, int milliseconds) {
    const int longest_pause = 44;  // TCP_RTO_MAX_MS, which Debian 12's headers don't know
    return setsockopt(fd, IPPROTO_TCP, longest_pause, &milliseconds, sizeof milliseconds);
}

int64_t kibo_tcp_silence(int fd) {
    struct tcp_info info;
    socklen_t length = sizeof info;
    if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &length) != 0) return -1;
    return info.tcpi_last_ack_recv < info.tcpi_last_data_recv ? info.tcpi_last_ack_recv : info.tcpi_last_data_recv;
}

int kibo_want_packet_info(int fd, int family) {
    int on = 1;
    if (family == AF_INET6) return setsockopt(fd, IPPROTO_IPV6, IPV6_RECVPKTINFO, &on, sizeof on);
    return setsockopt(fd, IPPROTO_IP, IP_PKTINFO, &on, sizeof on);
}

ssize_t kibo_receive_datagram(int fd, void *buffer, size_t capacity, struct kibo_packet_info *info) {
    _Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(struct in_pktinfo)) + CMSG_SPACE(sizeof(struct in6_pktinfo))];
    struct iovec piece = {.iov_base = buffer, .iov_len = capacity};
    struct msghdr message = {
        .msg_name = &info->source,
        .msg_namelen = sizeof info->source,
        .msg_iov = &piece,
        .msg_iovlen = 1,
        .msg_control = control,
        .msg_controllen = sizeof control,
    };
    info->interface_index = 0;
    info->destination_family = AF_UNSPEC;
    info->truncated = false;
    ssize_t count = recvmsg(fd, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (count < 0) return count;
    info->truncated = (message.msg_flags & MSG_TRUNC) != 0;
    for (struct cmsghdr *header = CMSG_FIRSTHDR(&message); header; header = CMSG_NXTHDR(&message, header)) {
        if (header->cmsg_level == IPPROTO_IP && header->cmsg_type == IP_PKTINFO) {
            struct in_pktinfo packet;
            memcpy(&packet, CMSG_DATA(header), sizeof packet);
            info->interface_index = (uint32_t)packet.ipi_ifindex;
            info->destination_family = AF_INET;
            memcpy(info->destination, &packet.ipi_addr, 4);
        } else if (header->cmsg_level == IPPROTO_IPV6 && header->cmsg_type == IPV6_PKTINFO) {
            struct in6_pktinfo packet;
            memcpy(&packet, CMSG_DATA(header), sizeof packet);
            info->interface_index = packet.ipi6_ifindex;
            info->destination_family = AF_INET6;
            memcpy(info->destination, &packet.ipi6_addr, 16);
        }
    }
    return count;
}

ssize_t kibo_send_datagram(int fd, const void *bytes, size_t count, const struct sockaddr *to, socklen_t to_length,
                           uint32_t interface_index, uint32_t source) {
    _Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(struct in6_pktinfo))];
    struct iovec piece = {.iov_base = (void *)bytes, .iov_len = count};
    struct msghdr message = {.msg_name = (void *)to, .msg_namelen = to_length, .msg_iov = &piece, .msg_iovlen = 1};
    if (interface_index != 0) {
        memset(control, 0, sizeof control);
        message.msg_control = control;
        message.msg_controllen = sizeof control;
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        if (to->sa_family == AF_INET6) {
            struct in6_pktinfo packet = {.ipi6_ifindex = interface_index};
            header->cmsg_level = IPPROTO_IPV6;
            header->cmsg_type = IPV6_PKTINFO;
            header->cmsg_len = CMSG_LEN(sizeof packet);
            memcpy(CMSG_DATA(header), &packet, sizeof packet);
            message.msg_controllen = CMSG_SPACE(sizeof packet);
        } else {
            struct in_pktinfo packet = {.ipi_ifindex = (int)interface_index, .ipi_spec_dst = {.s_addr = source}};
            header->cmsg_level = IPPROTO_IP;
            header->cmsg_type = IP_PKTINFO;
            header->cmsg_len = CMSG_LEN(sizeof packet);
            memcpy(CMSG_DATA(header), &packet, sizeof packet);
            message.msg_controllen = CMSG_SPACE(sizeof packet);
        }
    }
    return sendmsg(fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
}

int kibo_link_changes(void) {
    int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE);
    if (fd < 0) return -1;
    struct sockaddr_nl address = {
        .nl_family = AF_NETLINK,
        .nl_groups = RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR,
    };
    if (bind(fd, (const struct sockaddr *)&address, sizeof address) != 0) {
        int code = errno;
        close(fd);
        errno = code;
        return -1;
    }
    return fd;
}

int kibo_drain_link_changes(int fd) {
    char buffer[8192];
    int messages = 0;
    // The number of rounds is bounded: the next turn reads what a storm leaves over.
    for (int round = 0; round < 256; round++) {
        ssize_t count = recv(fd, buffer, sizeof buffer, MSG_DONTWAIT | MSG_TRUNC);
        if (count > 0) {
            messages++;
        } else if (count < 0 && errno == EINTR) {
            continue;
        } else if (count < 0 && errno == ENOBUFS) {
            messages++;
        } else {
            break;
        }
    }
    return messages;
}

int kibo_group_membership(int fd, const uint8_t group[16], uint32_t interface_index, bool joins) {
    struct ipv6_mreq request = {.ipv6mr_interface = interface_index};
    memcpy(&request.ipv6mr_multiaddr, group, 16);
    return setsockopt(fd, IPPROTO_IPV6, joins ? IPV6_JOIN_GROUP : IPV6_LEAVE_GROUP, &request, sizeof request);
}

int kibo_group_membership_four(int fd, uint32_t group, uint32_t interface_index, bool joins) {
    const struct ip_mreqn request = {.imr_multiaddr = {.s_addr = group}, .imr_ifindex = (int)interface_index};
    return setsockopt(fd, IPPROTO_IP, joins ? IP_ADD_MEMBERSHIP : IP_DROP_MEMBERSHIP, &request, sizeof request);
}

ssize_t kibo_send_descriptor(int fd, const void *bytes, size_t count, int descriptor) {
    const struct iovec piece = {.iov_base = (void *)bytes, .iov_len = count};
    ssize_t sent;
    do
        sent = descriptor < 0 ? send(fd, bytes, count, MSG_DONTWAIT | MSG_NOSIGNAL)
                              : kibo_send_pieces(fd, &piece, 1, descriptor);
    while (sent < 0 && errno == EINTR);
    return sent;
}

ssize_t kibo_receive_descriptor(int fd, void *buffer, size_t capacity, int *descriptor) {
    // The kernel closes what finds no room here.
    _Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(int))];
    struct iovec piece = {.iov_base = buffer, .iov_len = capacity};
    struct msghdr message = {
        .msg_iov = &piece, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
    *descriptor = -1;
    ssize_t count;
    do count = recvmsg(fd, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    while (count < 0 && errno == EINTR);
    if (count < 0) return count;
    for (struct cmsghdr *header = CMSG_FIRSTHDR(&message); header; header = CMSG_NXTHDR(&message, header)) {
        if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
        for (size_t at = 0; header->cmsg_len >= CMSG_LEN(at + sizeof(int)); at += sizeof(int)) {
            if (*descriptor >= 0) close(*descriptor);
            memcpy(descriptor, CMSG_DATA(header) + at, sizeof(int));
        }
    }
    if ((message.msg_flags & MSG_CTRUNC) == 0) return count;
    // The next descriptor would be taken in the place of one that is lost.
    if (*descriptor >= 0) close(*descriptor);
    *descriptor = -1;
    errno = EMFILE;
    return -1;
}

int kibo_tcp_diagnosis(void) { return socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_SOCK_DIAG); }

// Fills in both ends of a connection as the other end sees them; false for anything but TCP.
static bool ends_of(int fd, struct inet_diag_req_v2 *request) {
    struct sockaddr_storage ours, theirs;
    socklen_t ours_length = sizeof ours, theirs_length = sizeof theirs;
    if (getsockname(fd, (struct sockaddr *)&ours, &ours_length) != 0) return false;
    if (getpeername(fd, (struct sockaddr *)&theirs, &theirs_length) != 0) return false;
    if (ours.ss_family != theirs.ss_family) return false;
    request->sdiag_family = (uint8_t)ours.ss_family;
    if (ours.ss_family == AF_INET) {
        const struct sockaddr_in *near = (const struct sockaddr_in *)&theirs, *far = (const struct sockaddr_in *)&ours;
        request->id.idiag_sport = near->sin_port;
        request->id.idiag_dport = far->sin_port;
        memcpy(request->id.idiag_src, &near->sin_addr, 4);
        memcpy(request->id.idiag_dst, &far->sin_addr, 4);
        return true;
    }
    if (ours.ss_family != AF_INET6) return false;
    const struct sockaddr_in6 *near = (const struct sockaddr_in6 *)&theirs, *far = (const struct sockaddr_in6 *)&ours;
    request->id.idiag_sport = near->sin6_port;
    request->id.idiag_dport = far->sin6_port;
    memcpy(request->id.idiag_src, &near->sin6_addr, 16);
    memcpy(request->id.idiag_dst, &far->sin6_addr, 16);
    return true;
}

int kibo_tcp_owner(int diagnosis, int fd, uid_t *uid) {
    static uint32_t sequence = 0;
    struct {
        struct nlmsghdr head;
        struct inet_diag_req_v2 body;
    } request = {
        .head = {.nlmsg_len = sizeof request, .nlmsg_type = SOCK_DIAG_BY_FAMILY, .nlmsg_flags = NLM_F_REQUEST},
        .body = {.sdiag_protocol = IPPROTO_TCP, .idiag_states = 1u << TCP_ESTABLISHED},
    };
    request.head.nlmsg_seq = ++sequence;
    request.body.id.idiag_cookie[0] = request.body.id.idiag_cookie[1] = INET_DIAG_NOCOOKIE;
    if (!ends_of(fd, &request.body)) {
        if (errno == 0) errno = ENOENT;
        return -1;
    }
    const struct sockaddr_nl kernel = {.nl_family = AF_NETLINK};
    if (sendto(diagnosis, &request, sizeof request, MSG_DONTWAIT, (const struct sockaddr *)&kernel, sizeof kernel) < 0)
        return -1;
    // The kernel has answered when sendto returns. An answer to an earlier question is passed over.
    _Alignas(struct nlmsghdr) char buffer[8192];
    for (int round = 0; round < 16; round++) {
        ssize_t count = recv(diagnosis, buffer, sizeof buffer, MSG_DONTWAIT);
        if (count < 0) {
            if (errno == EINTR) continue;
            return -1;
        }
        const struct nlmsghdr *head = (const struct nlmsghdr *)buffer;
        if (!NLMSG_OK(head, (size_t)count) || head->nlmsg_seq != request.head.nlmsg_seq) continue;
        if (head->nlmsg_type != SOCK_DIAG_BY_FAMILY || head->nlmsg_len < NLMSG_LENGTH(sizeof(struct inet_diag_msg))) {
            errno = ENOENT;
            return -1;
        }
        const struct inet_diag_msg *found = NLMSG_DATA(head);
        const bool is_it = found->id.idiag_sport == request.body.id.idiag_sport
                           && found->id.idiag_dport == request.body.id.idiag_dport;
        // A client that is gone is shown as user 0 without an inode; a listener would be found for it, too.
        if (!is_it || found->idiag_state != TCP_ESTABLISHED || found->idiag_inode == 0) {
            errno = ESTALE;
            return -1;
        }
        *uid = found->idiag_uid;
        return 0;
    }
    errno = ETIME;
    return -1;
}
