import Basics

/// The peers that were asked for cards and gave none, and how long each is left alone. The pause doubles each time, and
/// is longer than a session with a stranger lasts without traffic.
struct SilentPeers: Sendable {
    private struct Silence: Sendable {
        var times = 0
        var until: Instant
    }

    private var silences: [DeviceID: Silence] = [:]

    /// The time until which the device is left alone; nil for one that has answered, or was never asked.
    func pause(of device: DeviceID) -> Instant? { silences[device]?.until }

    func mayAsk(_ device: DeviceID, now: Instant) -> Bool { pause(of: device).map { $0 <= now } ?? true }

    /// The device has not answered a question, or could not be asked it.
    mutating func failed(_ device: DeviceID, now: Instant, using random: inout some RandomNumberGenerator) {
        let pause = DiscoveryLimits.silentPeerPause
        var silence = silences[device] ?? Silence(until: now)
        let wait = min(pause.first * (1 << min(silence.times, 10)), pause.longest)
        silence.times += 1
        silence.until = now + wait * 3 / 4 + .random(in: wait / 2, using: &random)
        if silences[device] == nil, silences.count >= DiscoveryLimits.silentPeers,
            let first = silences.min(by: { ($0.value.until, $0.key) < ($1.value.until, $1.key) })?.key
        {
            silences[first] = nil
        }
        silences[device] = silence
    }

    mutating func answered(_ device: DeviceID) { silences[device] = nil }

    /// Forgets all of them, as on a new network.
    mutating func clear() { silences = [:] }
}
