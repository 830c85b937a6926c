import Basics
import Crypto

/// Notices that one device is in use twice: its data directory was copied to another host, and both daemons run.
///
/// Each run of a daemon has a static key of its own, which its handshakes prove. A run that another one has followed is over, unless
/// the directory was copied: then its key comes back. So a restart is never taken for a copy.
public struct CopyWatch: Sendable {
    /// The verdict on a handshake.
    public enum Verdict: Hashable, Sendable {
        /// No other daemon seems to use this device's keys.
        case only
        /// Two runs of the device are there. `isNews`: that was not known, or not for a while. `stays`: the open session is with
        /// the other one and stays, so that the two don't push each other out for ever.
        case copy(isNews: Bool, stays: Bool)
    }

    private struct Run: Sendable {
        let key: Key32
        var place: SocketAddress?
    }

    /// The runs of each device, the latest last.
    private var runs: [DeviceID: [Run]] = [:]
    private var seenAt: [DeviceID: Instant] = [:]

    public init() {}

    /// A handshake has proved this run of the device. Call it for friends and members of groups only.
    /// - Parameters:
    ///   - isFriend: whether the device is a friend's. Other devices push no run out: their accounts may have any
    ///     number of them.
    ///   - place: the address where the run can be dialled.
    ///   - open: the key of the run with which a session is open.
    public mutating func met(
        _ device: DeviceID, run key: Key32, at place: SocketAddress?, open: Key32?, isFriend: Bool = true, now: Instant
    ) -> Verdict {
        if runs[device] == nil, runs.count >= DiscoveryLimits.copyDevices, !isFriend { return .only }
        var ofDevice = runs[device] ?? []
        defer { runs[device] = ofDevice }
        guard let index = ofDevice.firstIndex(where: { $0.key == key }) else {
            if ofDevice.isEmpty, runs.count >= DiscoveryLimits.copyDevices, let any = runs.keys.first { forget(any) }
            ofDevice = (ofDevice + [Run(key: key, place: place)]).suffix(DiscoveryLimits.copyRuns)
            return .only
        }
        ofDevice[index].place = place ?? ofDevice[index].place
        guard index < ofDevice.count - 1 else { return .only }
        let isNews = seenAt[device].map { now - $0 >= DiscoveryLimits.copyMemory } ?? true
        seenAt[device] = now
        let stays = open.map { $0 != key } ?? false
        let run = ofDevice.remove(at: index)
        // The one with the session stays the latest, and this one the one before.
        ofDevice.insert(run, at: stays ? ofDevice.count - 1 : ofDevice.count)
        return .copy(isNews: isNews, stays: stays)
    }

    private mutating func forget(_ device: DeviceID) {
        runs[device] = nil
        seenAt[device] = nil
    }

    /// Where the device's last two runs were.
    public func places(of device: DeviceID) -> [SocketAddress] { (runs[device] ?? []).suffix(2).compactMap(\.place) }

    /// Devices that were seen in use twice lately, and where.
    public func copies(now: Instant) -> [DeviceID: [SocketAddress]] {
        seenAt.filter { now - $0.value < DiscoveryLimits.copyMemory }.keys.reduce(into: [:]) { $0[$1] = places(of: $1) }
    }
}
