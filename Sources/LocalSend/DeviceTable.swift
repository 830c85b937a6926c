public import Basics

/// The LocalSend devices that were heard lately. A value: what is heard and the time come in.
///
/// Anybody on the network can claim to be any number of devices, and a datagram's sender can be made up. So a device that
/// came over TCP, whose address is therefore its own, never makes room for one that only a datagram speaks of.
public struct DeviceTable: Sendable {
    /// One of them, and where it was heard last.
    public struct Device: Hashable, Sendable {
        public fileprivate(set) var info: DeviceInfo
        public fileprivate(set) var address: IPAddress
        /// Whether it has come over TCP from that address.
        public fileprivate(set) var isProved: Bool
        fileprivate var heard: Instant
    }

    /// What came of something that was heard.
    public enum Hearing: Hashable, Sendable {
        /// It counts for nothing: too much of it, no room, or it was this host itself.
        case ignored
        /// The device is shown already, as it is.
        case known
        /// The list has changed.
        case news
    }

    private let own: String
    private var devices: [String: Device] = [:]
    private var rates: [IPAddress: (limiter: RateLimiter, seen: Instant)] = [:]
    private var all = RateLimiter(
        RateLimit(burst: LocalSendLimits.announcements, perSecond: LocalSendLimits.announcements))

    /// - Parameter own: the fingerprint of this host.
    public init(own: String) { self.own = own }

    /// Whether a datagram of an address is looked at. Ask before it is read.
    public mutating func mayListen(to address: IPAddress, now: Instant) -> Bool {
        let source = address
        var rate =
            rates[source]?.limiter
            ?? RateLimiter(
                RateLimit(
                    burst: LocalSendLimits.announcementsOfAddress, perSecond: LocalSendLimits.announcementsOfAddress))
        guard rate.mayTake(now: now), all.acquire(now: now) else { return false }
        rate.charge(1, now: now)
        if rates[source] == nil, rates.count >= LocalSendLimits.addresses,
            let oldest = rates.min(by: { $0.value.seen < $1.value.seen })
        {
            rates[oldest.key] = nil
        }
        rates[source] = (rate, now)
        return true
    }

    /// Notes what a device says.
    /// - Parameter isProved: whether it has said so over TCP.
    public mutating func hear(
        _ info: DeviceInfo, at address: IPAddress, isProved: Bool, now: Instant
    ) -> Hearing {
        guard info.fingerprint != own else { return .ignored }
        forget(now: now)
        if let known = devices[info.fingerprint] {
            // A datagram takes no device away from the address that it has proved to have.
            guard isProved || !known.isProved || known.address == address else { return .ignored }
            let isSame = known.info == info && known.address == address
            devices[info.fingerprint] = Device(
                info: info, address: address, isProved: isProved || known.isProved && known.address == address,
                heard: now)
            return isSame ? .known : .news
        }
        if devices.count >= LocalSendLimits.devices {
            guard let oldest = oldest(where: { !$0.isProved }) ?? (isProved ? oldest(where: { _ in true }) : nil) else {
                return .ignored
            }
            devices[oldest] = nil
        }
        devices[info.fingerprint] = Device(info: info, address: address, isProved: isProved, heard: now)
        return .news
    }

    /// The devices by name.
    public func shown(now: Instant) -> [Device] {
        devices.values.filter { now - $0.heard < LocalSendLimits.deviceLife }.sorted {
            ($0.info.alias, $0.info.fingerprint) < ($1.info.alias, $1.info.fingerprint)
        }
    }

    /// The device with that fingerprint, if it was heard lately.
    public func device(_ fingerprint: String, now: Instant) -> Device? {
        devices[fingerprint].flatMap { now - $0.heard < LocalSendLimits.deviceLife ? $0 : nil }
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

    private func oldest(where isOne: (Device) -> Bool) -> String? {
        devices.values.filter(isOne).min { $0.heard < $1.heard }?.info.fingerprint
    }
}
