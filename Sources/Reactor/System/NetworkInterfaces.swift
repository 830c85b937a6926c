import Basics
import Glibc

/// One address of one interface of this host.
public struct NetworkInterface: Hashable, Sendable {
    /// `eth0`; the kernel's name, at most 15 bytes.
    public let name: String
    /// The kernel's number for it, never 0.
    public let index: UInt32
    /// Our address there.
    public let address: IPAddress
    /// Bits of the network part: 0…32 or 0…128.
    public let prefixLength: Int
    /// Where the segment hears us: IPv4 on broadcast interfaces and loopback (127.255.255.255); nil elsewhere.
    public let broadcast: IPAddress?
    /// The host talks to itself here.
    public let isLoopback: Bool
    /// Switched on; it may still lack a carrier.
    public let isUp: Bool
    /// A tunnel or a modem: one neighbour, no segment.
    public let isPointToPoint: Bool

    /// An interface as given; `NetworkInterfaces.list()` makes the real ones.
    public init(
        name: String, index: UInt32, address: IPAddress, prefixLength: Int, broadcast: IPAddress?, isLoopback: Bool,
        isUp: Bool, isPointToPoint: Bool
    ) {
        self.name = name
        self.index = index
        self.address = address
        self.prefixLength = prefixLength
        self.broadcast = broadcast
        self.isLoopback = isLoopback
        self.isUp = isUp
        self.isPointToPoint = isPointToPoint
    }

    /// Whether `other` lies in this interface's subnet.
    public func contains(_ other: IPAddress) -> Bool {
        switch (address, other) {
        case (.v4(let ours), .v4(let theirs)):
            let mask = prefixLength <= 0 ? 0 : UInt32.max << UInt32(32 - min(prefixLength, 32))
            return ours & mask == theirs & mask
        case (.v6(let high, let low, _), .v6(let otherHigh, let otherLow, let scope)):
            if scope != 0 && scope != index { return false }
            let highMask = prefixLength <= 0 ? 0 : UInt64.max << UInt64(64 - min(prefixLength, 64))
            let lowMask = prefixLength <= 64 ? 0 : UInt64.max << UInt64(128 - min(prefixLength, 128))
            return high & highMask == otherHigh & highMask && low & lowMask == otherLow & lowMask
        default: return false
        }
    }
}

/// The interfaces of this host, as they are now (getifaddrs).
public enum NetworkInterfaces {
    /// One entry per address, in the kernel's order. A netlink dump: some tens of microseconds, no blocking.
    /// - Throws: `.system` when the kernel gives no answer.
    public static func list() throws(SocketError) -> [NetworkInterface] {
        var first: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&first) == 0 else { throw .system("getifaddrs", errno) }
        defer { freeifaddrs(first) }
        var found: [NetworkInterface] = []
        var next = first
        while let entry = next?.pointee {
            next = entry.ifa_next
            if let interface = interface(entry) { found.append(interface) }
        }
        return found
    }

    private static func interface(_ entry: ifaddrs) -> NetworkInterface? {
        guard let address = host(entry.ifa_addr), let mask = host(entry.ifa_netmask) else { return nil }
        let flags = entry.ifa_flags
        let has = { (flag: Int) in flags & UInt32(flag) != 0 }
        let isLoopback = has(Int(IFF_LOOPBACK))
        let length = prefixLength(mask)
        var broadcast: IPAddress?
        if case .v4(let value) = address {
            if isLoopback {
                // The kernel names none for lo, yet routes the subnet's last address as a broadcast.
                broadcast = .v4(value | (length >= 32 ? 0 : UInt32.max >> UInt32(length)))
            } else if has(Int(IFF_BROADCAST)) {
                broadcast = host(entry.ifa_ifu.ifu_broadaddr)
            }
        }
        return NetworkInterface(
            name: String(cString: entry.ifa_name), index: if_nametoindex(entry.ifa_name), address: address,
            prefixLength: length, broadcast: broadcast, isLoopback: isLoopback, isUp: has(Int(IFF_UP)),
            isPointToPoint: has(Int(IFF_POINTOPOINT)))
    }

    private static func host(_ address: UnsafeMutablePointer<sockaddr>?) -> IPAddress? {
        guard let address else { return nil }
        var storage = sockaddr_storage()
        let size =
            switch CInt(address.pointee.sa_family) {
            case AF_INET: MemoryLayout<sockaddr_in>.size
            case AF_INET6: MemoryLayout<sockaddr_in6>.size
            default: 0
            }
        withUnsafeMutableBytes(of: &storage) {
            $0.copyMemory(from: UnsafeRawBufferPointer(start: address, count: size))
        }
        return AddressCoding.decode(storage)?.host
    }

    private static func prefixLength(_ mask: IPAddress) -> Int {
        switch mask {
        case .v4(let value): (~value).leadingZeroBitCount
        case .v6(let high, let low, _):
            high == .max ? 64 + (~low).leadingZeroBitCount : (~high).leadingZeroBitCount
        }
    }
}
