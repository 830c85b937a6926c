import Basics

/// Remembers, by their bytes, the datagrams that were just believed. An announcement goes out with the same bytes on
/// each network and in each family. Later copies need no second check of the signature, and tell us further addresses
/// of the device.
struct RecentDatagrams {
    private struct Told {
        let device: DeviceID
        let port: UInt16
        var hosts: [IPAddress]
    }

    /// There are two generations: a datagram in neither is forgotten.
    private var young: [[UInt8]: Told] = [:]
    private var old: [[UInt8]: Told] = [:]
    private var turnedAt = Instant(nanoseconds: 0)

    /// A generation's length: copies of one announcement come within milliseconds.
    private static let generation: Duration = .seconds(1)
    /// Datagrams of one generation: more than budgets let be believed in a second.
    private static let count = 1024

    /// Remembers a datagram that was just believed.
    mutating func believed(_ bytes: ArraySlice<UInt8>, of device: DeviceID, at address: SocketAddress, now: Instant) {
        turn(now)
        guard young.count < Self.count else { return }
        young[Array(bytes)] = Told(device: device, port: address.port, hosts: [address.host])
    }

    enum Answer: Equatable {
        /// The bytes were not seen lately: the machine decides.
        case unknown
        /// This is another copy, from a known address of the device, or from one more than a device may have.
        case repeated
        /// This is another copy, from another address of the device.
        case also(DeviceID, SocketAddress)
    }

    mutating func answer(_ bytes: ArraySlice<UInt8>, from host: IPAddress, now: Instant) -> Answer {
        turn(now)
        let key = Array(bytes)
        guard var told = young[key] ?? old[key] else { return .unknown }
        guard !told.hosts.contains(host), told.hosts.count < NetworkLimits.addressesOfDevice else { return .repeated }
        told.hosts.append(host)
        young[key] = told
        return .also(told.device, SocketAddress(host, port: told.port))
    }

    private mutating func turn(_ now: Instant) {
        guard now - turnedAt >= Self.generation else { return }
        old = now - turnedAt >= Self.generation * 2 ? [:] : young
        young = [:]
        turnedAt = now
    }
}
