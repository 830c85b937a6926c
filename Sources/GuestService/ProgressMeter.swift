import Basics

/// How fast bytes come or go, and when clients are told of it.
struct ProgressMeter: Sendable {
    private var last: (at: Instant, bytes: Int64, rate: Int64)?

    init() {}

    /// - Parameter done: the bytes until now. A process says any number.
    /// - Returns: bytes a second, lately; nil while it was told a moment ago.
    mutating func note(_ done: Int64, now: Instant) -> Int64? {
        guard let last else {
            self.last = (now, done, 0)
            return 0
        }
        guard now - last.at >= GuestLimits.changePause else { return nil }
        guard last.bytes <= done else {
            self.last = (now, done, 0)
            return 0
        }
        let seconds = Double((now - last.at).milliseconds) / 1000
        let fresh = Int64(min(Double(done - last.bytes) / seconds, 1e15))
        let rate = last.rate == 0 ? fresh : (last.rate * 3 + fresh) / 4
        self.last = (now, done, rate)
        return rate
    }
}
