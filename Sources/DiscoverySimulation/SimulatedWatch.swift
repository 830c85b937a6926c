import Basics

/// What the hosts notice of one of them, each with the first time.
package struct SimulatedWatch {
    let device: DeviceID?
    /// The hosts that have seen it come.
    package private(set) var saw: [Int: Instant] = [:]
    /// The hosts that have seen it go.
    package private(set) var lost: [Int: Instant] = [:]
    /// The hosts that have got its card.
    package private(set) var named: [Int: Instant] = [:]

    init(_ device: DeviceID? = nil) { self.device = device }

    mutating func saw(_ device: DeviceID, by index: Int, _ now: Instant) {
        if device == self.device, saw[index] == nil { saw[index] = now }
    }

    mutating func lost(_ device: DeviceID, by index: Int, _ now: Instant) {
        if device == self.device, lost[index] == nil { lost[index] = now }
    }

    mutating func named(_ device: DeviceID, by index: Int, _ now: Instant) {
        if device == self.device, named[index] == nil { named[index] = now }
    }
}
