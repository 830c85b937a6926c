import Basics
import CLinux
import Glibc

/// Sockets that are bound here and served by another process, to which their descriptors are handed.
public enum BoundSocket {
    /// A TCP socket that listens.
    /// - Throws: `.addressInUse`, or the call that failed.
    public static func listener(at address: SocketAddress) throws(SocketError) -> Descriptor {
        let family = AddressCoding.family(address)
        let socket = Descriptor(adopting: try SystemCalls.socket(family, SOCK_STREAM))
        try SystemCalls.setOption(socket.number, SOL_SOCKET, SO_REUSEADDR, 1)
        let code = AddressCoding.with(address, family: family) { bind(socket.number, $0, $1) }
        guard code == 0 else { throw errno == EADDRINUSE ? .addressInUse : .system("bind", errno) }
        guard listen(socket.number, 128) == 0 else {
            throw errno == EADDRINUSE ? .addressInUse : .system("listen", errno)
        }
        return socket
    }

    /// A UDP socket that shares its port with others, and receives the datagrams to an IPv4 multicast group that arrive on the
    /// named interfaces. An interface that can't join the group is left out.
    /// - Throws: `.addressInUse`, or the call that failed.
    /// - Returns: the socket, and the interfaces on which it receives.
    public static func multicast(
        _ group: SocketAddress, on interfaces: [UInt32]
    ) throws(SocketError) -> (socket: Descriptor, joined: [UInt32]) {
        guard case .v4(let host) = group.host else { throw .system("socket", EAFNOSUPPORT) }
        let socket = Descriptor(adopting: try SystemCalls.socket(AF_INET, SOCK_DGRAM))
        try SystemCalls.setOption(socket.number, SOL_SOCKET, SO_REUSEADDR, 1)
        // IP_MULTICAST_ALL, off: only what arrives on interfaces that this socket has joined on.
        try SystemCalls.setOption(socket.number, CInt(IPPROTO_IP), 49, 0)
        guard kibo_want_packet_info(socket.number, AF_INET) == 0 else { throw .system("setsockopt", errno) }
        let code = AddressCoding.with(group, family: AF_INET) { bind(socket.number, $0, $1) }
        guard code == 0 else { throw errno == EADDRINUSE ? .addressInUse : .system("bind", errno) }
        let joined = interfaces.filter {
            kibo_group_membership_four(socket.number, host.bigEndian, $0, true) == 0
        }
        return (socket, joined)
    }
}
