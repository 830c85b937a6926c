import Basics

/// Names one entry of a log: where it stands and its hash.
public struct LogReference: Hashable, Comparable, Sendable {
    public let place: LogPlace
    public let hash: EntryHash

    public init(place: LogPlace, hash: EntryHash) {
        self.place = place
        self.hash = hash
    }

    public var device: DeviceID { place.device }
    public var sequence: UInt64 { place.sequence }

    public static func < (left: LogReference, right: LogReference) -> Bool {
        (left.place, left.hash) < (right.place, right.hash)
    }
}

/// Places of one chain that lie side by side, both ends included.
public struct LogRange: Hashable, Comparable, Sendable {
    public let device: DeviceID
    public let from: UInt64
    /// Not less than `from`.
    public let to: UInt64

    /// Nil where `from` is zero or above `to`.
    public init?(device: DeviceID, from: UInt64, to: UInt64) {
        guard from >= 1, from <= to else { return nil }
        self.device = device
        self.from = from
        self.to = to
    }

    /// One place alone; nil for the place 0, which no entry has.
    public init?(_ place: LogPlace) { self.init(device: place.device, from: place.sequence, to: place.sequence) }

    public func contains(_ place: LogPlace) -> Bool {
        place.device == device && from <= place.sequence && place.sequence <= to
    }

    public static func < (left: LogRange, right: LogRange) -> Bool {
        (left.device, left.from, left.to) < (right.device, right.from, right.to)
    }
}
