import Basics

/// The LocalSend devices that were heard lately. A value: what is heard and the time come in.
///
/// A device can claim any fingerprint; we check it only when we send something, by the certificate. What comes over TCP proves
/// the sender's address, and a datagram proves nothing. So the table knows a device by its fingerprint and its address together.
/// If a second device claims the fingerprint of the first, the table shows both.
public struct DeviceTable: Sendable {
    /// One of them, and where it was heard last.
    public struct Device: Hashable, Sendable {
        public fileprivate(set) var info: DeviceInfo
        public let address: IPAddress
        /// Whether it has come over TCP from that address.
        public fileprivate(set) var isProved: Bool
        fileprivate let source: IPAddress
        fileprivate var heard: Instant
    }

    /// What came of something that was heard.
    public enum Hearing: Hashable, Sendable {
        /// It counts for nothing: there is no room, it was this host itself, or a datagram contradicts what has come over TCP.
        case ignored
        /// The device is shown already, as it is.
        case known
        /// The list has changed.
        case news
    }

    private struct Key: Hashable, Sendable {
        let fingerprint: String
        let address: IPAddress
    }

    /// How much of what devices say of themselves is looked at.
    private struct Meter: Sendable {
        private var sources: SourceBudgets
        private var all = RateLimiter(LocalSendLimits.announcements)

        init(salt: UInt64) {
            sources = SourceBudgets(
                LocalSendLimits.announcementsOfSource, six: LocalSendLimits.announcementsOfSix, countsLoopback: true,
                salt: salt)
        }

        mutating func acquire(_ source: IPAddress, now: Instant) -> Bool {
            guard all.mayTake(now: now), sources.acquire(source, now: now) else { return false }
            all.charge(1, now: now)
            return true
        }
    }

    private let own: String
    private var devices: [Key: Device] = [:]
    private var datagrams: Meter
    private var requests: Meter

    /// - Parameters:
    ///   - own: the fingerprint of this host.
    ///   - salt: a random number.
    public init(own: String, salt: UInt64) {
        self.own = own
        datagrams = Meter(salt: salt)
        requests = Meter(salt: ~salt)
    }

    /// Whether what a source says of itself is looked at. Ask before it is read.
    /// - Parameters:
    ///   - source: what counts as one host (``IPAddress/source(link:joinsNeighbours:)``).
    ///   - isProved: whether it has come over TCP.
    public mutating func mayListen(to source: IPAddress, isProved: Bool, now: Instant) -> Bool {
        isProved ? requests.acquire(source, now: now) : datagrams.acquire(source, now: now)
    }

    /// Notes what a device says.
    /// - Parameter isProved: whether it has said so over TCP.
    public mutating func hear(
        _ info: DeviceInfo, at address: IPAddress, of source: IPAddress, isProved: Bool, now: Instant
    ) -> Hearing {
        guard info.fingerprint != own else { return .ignored }
        forget(now: now)
        let key = Key(fingerprint: info.fingerprint, address: address)
        if var known = devices[key] {
            if known.isProved, known.info != info {
                // Anybody can forge a datagram's sender, and a device that has used TLS must not be moved to plain HTTP.
                guard isProved, info.isEncrypted || !known.info.isEncrypted else { return .ignored }
            }
            let isSame = known.info == info
            (known.info, known.heard) = (info, now)
            known.isProved = known.isProved || isProved
            devices[key] = known
            return isSame ? .known : .news
        }
        let ofSource = devices.filter { $0.value.source == source }
        if ofSource.count >= LocalSendLimits.devicesOfSource {
            guard let oldest = Self.oldest(ofSource, isProved: isProved) else { return .ignored }
            devices[oldest] = nil
        } else if devices.count >= LocalSendLimits.devices {
            guard let oldest = Self.oldest(devices, isProved: isProved) else { return .ignored }
            devices[oldest] = nil
        }
        devices[key] = Device(info: info, address: address, isProved: isProved, source: source, heard: now)
        return .news
    }

    /// The devices by name.
    public func shown(now: Instant) -> [Device] {
        devices.values.filter { now - $0.heard < LocalSendLimits.deviceLife }.sorted {
            ($0.info.alias, $0.info.fingerprint, $0.address.description)
                < ($1.info.alias, $1.info.fingerprint, $1.address.description)
        }
    }

    /// When the next device is not heard any more; nil without devices.
    public var nextDeadline: Instant? { devices.values.map { $0.heard + LocalSendLimits.deviceLife }.min() }

    /// Forgets devices that were not heard for long.
    /// - Returns: whether there were any.
    @discardableResult
    public mutating func forget(now: Instant) -> Bool {
        let count = devices.count
        devices = devices.filter { now - $0.value.heard < LocalSendLimits.deviceLife }
        return devices.count < count
    }

    /// The one that makes room: of those that only datagrams speak of, if there are any; of the others only for one that has come
    /// over TCP itself.
    private static func oldest(_ devices: [Key: Device], isProved: Bool) -> Key? {
        let unproved = devices.filter { !$0.value.isProved }
        let some = unproved.isEmpty && isProved ? devices : unproved
        return some.min { $0.value.heard < $1.value.heard }?.key
    }
}
