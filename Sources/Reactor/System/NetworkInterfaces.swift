import Basics
import Glibc

/// One address of one interface of this host.
public struct NetworkInterface: Hashable, Sendable {
    /// The kernel's name, such as `eth0`; at most 15 bytes.
    public let name: String
    /// The kernel's number for it, never 0.
    public let index: UInt32
    /// Our address there.
    public let address: IPAddress
    /// Bits of the network part: 0…32 or 0…128.
    public let prefixLength: Int
    /// The subnet's broadcast address, by its mask: for IPv4 on broadcast interfaces and loopback (127.255.255.255); nil
    /// elsewhere, and in subnets of one or two addresses (/31, /32), which have none.
    public let broadcast: IPAddress?
    /// The only neighbour of an address that has no subnet (`ip address add 10.0.0.1 peer 10.0.0.2`); nil elsewhere.
    public var peer: IPAddress?
    /// Whether datagrams to all hosts of the link can be sent and received there (IFF_BROADCAST, IFF_MULTICAST).
    public var hasBroadcast = false
    public var hasMulticast = false
    /// Whether the interface is the host's loopback.
    public let isLoopback: Bool
    /// Whether it is switched on; it may still lack a carrier.
    public let isUp: Bool
    /// Whether it is plugged in, as far as the kernel can tell (IFF_RUNNING).
    public var hasCarrier = true
    /// Whether it is a tunnel or a modem, with one neighbour and no segment.
    public let isPointToPoint: Bool

    /// Whether the address has no neighbours: the mask is as long as the address, and no peer is named.
    public var isAlone: Bool {
        guard case .v4 = address else { return prefixLength >= 128 }
        return prefixLength >= 32 && peer == nil
    }

    /// Whether `other` is in this interface's subnet, or is its peer.
    public func contains(_ other: IPAddress) -> Bool {
        if let peer, peer == other { return true }
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
    /// One entry per address, in the kernel's order. IPv6 addresses that can't be used yet are left out: the host still
    /// asks whether another host has them, or another host has. This is a netlink dump, which takes some tens of
    /// microseconds and does not block.
    /// - Throws: `.system` when the kernel gives no answer.
    public static func list() throws(SocketError) -> [NetworkInterface] {
        var first: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&first) == 0 else { throw .system("getifaddrs", errno) }
        defer { freeifaddrs(first) }
        let unusable = unusableAddresses()
        var interfaces: [NetworkInterface] = []
        var next = first
        while let entry = next?.pointee {
            next = entry.ifa_next
            if let interface = interface(entry), !unusable.contains(interface.address.withoutScope) {
                interfaces.append(interface)
            }
        }
        return interfaces
    }

    private static func interface(_ entry: ifaddrs) -> NetworkInterface? {
        guard let address = host(entry.ifa_addr), let mask = host(entry.ifa_netmask) else { return nil }
        let flags = entry.ifa_flags
        let has = { (flag: Int) in flags & UInt32(flag) != 0 }
        let isLoopback = has(Int(IFF_LOOPBACK))
        let length = prefixLength(mask)
        var broadcast: IPAddress?
        var peer: IPAddress?
        if case .v4(let value) = address {
            // The kernel may not have been given a broadcast address (`ip address add 10.9.2.1/24` gives none), and
            // then names our own or the peer's here. It still routes the subnet's last address as one, on lo too.
            let last = IPAddress.v4(value | (length >= 32 ? 0 : UInt32.max >> UInt32(length)))
            if isLoopback || (has(Int(IFF_BROADCAST)) && length < 31) { broadcast = last }
            let other = host(entry.ifa_ifu.ifu_broadaddr)
            if !isLoopback, length == 32, other != address { peer = other }
        }
        return NetworkInterface(
            name: String(cString: entry.ifa_name), index: if_nametoindex(entry.ifa_name), address: address,
            prefixLength: length, broadcast: broadcast, peer: peer, hasBroadcast: has(Int(IFF_BROADCAST)),
            hasMulticast: has(Int(IFF_MULTICAST)), isLoopback: isLoopback, isUp: has(Int(IFF_UP)),
            hasCarrier: has(Int(IFF_RUNNING)), isPointToPoint: has(Int(IFF_POINTOPOINT)))
    }

    /// Addresses that duplicate address detection has not passed (RFC 4862). getifaddrs lists them like others, but
    /// nothing can be sent from them. They come from the kernel's table; if it can't be read, the set is empty.
    private static func unusableAddresses() -> Set<IPAddress> {
        let file = open("/proc/self/net/if_inet6", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return [] }
        defer { close(file) }
        var text: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 4096)
        while text.count < ReactorLimits.addressTableBytes {
            let count = read(file, &piece, piece.count)
            guard count > 0 else { break }
            text += piece[..<count]
        }
        return unusableAddresses(table: String(decoding: text, as: UTF8.self))
    }

    /// Parses lines of address, interface index, prefix length, scope, flags (all hexadecimal) and name.
    static func unusableAddresses(table: String) -> Set<IPAddress> {
        var addresses: Set<IPAddress> = []
        for line in table.split(separator: "\n") {
            let words = line.split(separator: " ")
            guard words.count >= 6, words[0].utf8.count == 32, let flags = UInt32(words[4], radix: 16),
                flags & (tentative | duplicate) != 0,
                let high = UInt64(words[0].prefix(16), radix: 16), let low = UInt64(words[0].suffix(16), radix: 16)
            else { continue }
            addresses.insert(.v6(high: high, low: low, scope: 0))
        }
        return addresses
    }

    /// IFA_F_TENTATIVE and IFA_F_DADFAILED.
    private static let tentative: UInt32 = 0x40
    private static let duplicate: UInt32 = 0x08

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
