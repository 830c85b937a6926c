import Basics
import CLinux
import Glibc

/// Types for datagrams.
public enum Datagram {
    /// Where a datagram came from, and how.
    public struct Source: Hashable, Sendable {
        /// The sender, as the datagram claims.
        public let address: SocketAddress
        /// The interface on which it arrived; 0 if the kernel did not say.
        public let interfaceIndex: UInt32
        /// What it was addressed to: our address, or a broadcast or multicast one; nil if the kernel did not say.
        public let destination: IPAddress?
    }
}

/// A UDP socket. It lives until `close()`, even if no reference to it is left.
@ReactorActor public final class DatagramSocket {
    private let fd: CInt
    private let family: CInt
    private let loop = EventLoop.shared
    private var isOpen = false
    private var receive: (@ReactorActor (ArraySlice<UInt8>, Datagram.Source) -> Void)?

    /// The address it is bound to, with the port that the system chose if 0 was asked for.
    public let localAddress: SocketAddress

    /// Binds a socket.
    /// - Parameters:
    ///   - reuseAddress: whether other sockets that set this too may share address and port; each gets every broadcast.
    ///   - broadcast: whether it may send to broadcast addresses.
    ///   - isDual: whether an IPv6 socket serves IPv4 too; one that doesn't leaves the port free for an IPv4 socket.
    ///   - interfaceIndex: the only interface to receive and send on (SO_BINDTOIFINDEX); nil for all.
    ///   - receive: gets each datagram, which may be empty. The slice may be kept, but then keeps 64 KiB.
    /// - Throws: `.addressInUse`, or the call that failed.
    public init(
        bind address: SocketAddress, reuseAddress: Bool = false, broadcast: Bool = false, isDual: Bool = true,
        interfaceIndex: UInt32? = nil,
        receive: @escaping @ReactorActor (ArraySlice<UInt8>, Datagram.Source) -> Void
    ) throws(SocketError) {
        let family = AddressCoding.family(address)
        let fd = try SystemCalls.socket(family, SOCK_DGRAM)
        self.fd = fd
        self.family = family
        self.receive = receive
        do {
            localAddress = try Self.prepare(
                fd, family, address, reuse: reuseAddress, broadcast: broadcast, isDual: isDual,
                interface: interfaceIndex)
            // The watch is level-triggered: what the budget leaves over is reported again.
            try loop.watch(fd, self, .input)
        } catch {
            Glibc.close(fd)
            throw error
        }
        isOpen = true
    }

    /// Takes over a socket that another process has bound.
    /// - Throws: the call that failed; the descriptor is closed then.
    public init(
        adopting fd: CInt, receive: @escaping @ReactorActor (ArraySlice<UInt8>, Datagram.Source) -> Void
    ) throws(SocketError) {
        self.fd = fd
        self.receive = receive
        SystemCalls.setBlocking(fd, false)
        do throws(SocketError) {
            guard let bound = AddressCoding.ask(fd, getsockname) else { throw .system("getsockname", errno) }
            localAddress = bound
            family = AddressCoding.family(bound)
            try loop.watch(fd, self, .input)
        } catch {
            Glibc.close(fd)
            throw error
        }
        isOpen = true
    }

    private static func prepare(
        _ fd: CInt, _ family: CInt, _ address: SocketAddress, reuse: Bool, broadcast: Bool, isDual: Bool,
        interface: UInt32?
    ) throws(SocketError) -> SocketAddress {
        if reuse { try SystemCalls.setOption(fd, SOL_SOCKET, SO_REUSEADDR, 1) }
        if broadcast { try SystemCalls.setOption(fd, SOL_SOCKET, SO_BROADCAST, 1) }
        if family == AF_INET6 { try SystemCalls.setOption(fd, CInt(IPPROTO_IPV6), IPV6_V6ONLY, isDual ? 0 : 1) }
        if let interface {
            // The kernel would accept a number that no interface has, and then receive nothing.
            var name = [CChar](repeating: 0, count: Int(IF_NAMESIZE))
            guard let index = CInt(exactly: interface), if_indextoname(interface, &name) != nil else {
                throw .system("setsockopt", ENODEV)
            }
            try SystemCalls.setOption(fd, SOL_SOCKET, SO_BINDTOIFINDEX, index)
        }
        guard kibo_want_packet_info(fd, family) == 0 else { throw .system("setsockopt", errno) }
        let code = AddressCoding.with(address, family: family) { Glibc.bind(fd, $0, $1) }
        guard code == 0 else { throw errno == EADDRINUSE ? .addressInUse : .system("bind", errno) }
        guard let bound = AddressCoding.ask(fd, getsockname) else { throw .system("getsockname", errno) }
        return bound
    }

    /// Sends one datagram at once.
    /// - Parameters:
    ///   - interfaceIndex: the interface to leave by; nil lets the routing table decide.
    ///   - source: the IPv4 address of ours, on that interface, that it comes from; nil lets the kernel choose.
    /// - Throws: the kernel's error. EAGAIN means that its buffer is full: the datagram is lost, as datagrams may be.
    public func send(
        _ bytes: [UInt8], to address: SocketAddress, interfaceIndex: UInt32? = nil, from source: IPAddress? = nil
    ) throws(SocketError) {
        guard isOpen else { throw .system("sendmsg", EBADF) }
        var own: UInt32 = 0
        if case .v4(let value) = source { own = value.bigEndian }
        let code = bytes.withUnsafeBytes { bytes in
            AddressCoding.with(address, family: family) { target, length in
                while true {
                    let count = kibo_send_datagram(
                        fd, bytes.baseAddress, bytes.count, target, length, interfaceIndex ?? 0, own)
                    if count >= 0 { return CInt(0) }
                    if errno != EINTR { return errno }
                }
            }
        }
        guard code == 0 else { throw .system("sendmsg", code) }
    }

    /// Receives a multicast group of the socket's family on an interface from now on. The socket also receives datagrams of other
    /// sockets on this host that send to the group, because the sender's copies are looped back.
    /// - Throws: `.system`; EADDRINUSE for a group that is joined there already, ENODEV for an interface that has gone.
    public func join(_ group: IPAddress, interfaceIndex: UInt32) throws(SocketError) {
        try setMembership(group, interfaceIndex, joins: true)
    }

    /// Stops receiving the group there.
    /// - Throws: `.system`; EADDRNOTAVAIL for a group that was not joined there, or went with its interface.
    public func leave(_ group: IPAddress, interfaceIndex: UInt32) throws(SocketError) {
        try setMembership(group, interfaceIndex, joins: false)
    }

    private func setMembership(_ group: IPAddress, _ interface: UInt32, joins: Bool) throws(SocketError) {
        guard isOpen else { throw .system("setsockopt", EBADF) }
        let code: CInt
        switch (group, family) {
        case (.v4(let value), AF_INET): code = kibo_group_membership_four(fd, value.bigEndian, interface, joins)
        case (.v6, AF_INET6): code = kibo_group_membership(fd, group.bytes, interface, joins)
        default: throw .system("setsockopt", EAFNOSUPPORT)
        }
        guard code == 0 else { throw .system("setsockopt", errno) }
    }

    /// Closes it; nothing is received afterwards.
    public func close() {
        guard isOpen else { return }
        isOpen = false
        receive = nil
        loop.forget(fd)
        Glibc.close(fd)
    }
}

extension DatagramSocket: EventSource {
    func ready(_ events: Readiness) {
        for _ in 0..<ReactorLimits.datagramsPerTurn {
            guard isOpen else { return }
            var info = kibo_packet_info()
            let count = loop.withReadBuffer { kibo_receive_datagram(fd, $0.baseAddress, $0.count, &info) }
            if count < 0 {
                if errno == EAGAIN { return }
                // An earlier datagram of ours caused this error: it says nothing about the next one.
                continue
            }
            guard !info.truncated, let address = AddressCoding.decode(info.source) else { continue }
            let source = Datagram.Source(
                address: address, interfaceIndex: info.interface_index, destination: Self.destination(info))
            receive?(loop.readBuffer[0..<count], source)
        }
    }

    private static func destination(_ info: kibo_packet_info) -> IPAddress? {
        withUnsafeBytes(of: info.destination) { bytes in
            switch info.destination_family {
            case AF_INET: .v4(UInt32(bigEndian: bytes.loadUnaligned(as: UInt32.self)))
            case AF_INET6: .from(bytes.loadUnaligned(as: in6_addr.self), scope: info.interface_index)
            default: nil
            }
        }
    }
}
