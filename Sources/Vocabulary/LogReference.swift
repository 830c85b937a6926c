import Basics

/// A place in a device's chain of log entries.
public struct LogPlace: Hashable, Comparable, Sendable {
    public let device: DeviceID
    /// Counted from 1.
    public let sequence: UInt64

    public init(device: DeviceID, sequence: UInt64) {
        self.device = device
        self.sequence = sequence
    }

    public static func < (left: LogPlace, right: LogPlace) -> Bool {
        (left.device, left.sequence) < (right.device, right.sequence)
    }
}

/// Refers to one log entry by its place and its hash.
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

/// What a held entry waits for.
public enum LogWait: Hashable, Sendable {
    /// An entry of the log, to be delivered.
    case entry(LogReference)
    /// A membership entry, to be in the graph.
    case membership(EntryHash)

    public var hash: EntryHash {
        switch self {
        case .entry(let reference): reference.hash
        case .membership(let hash): hash
        }
    }
}

/// A delivered entry, and its number in the order in which entries were delivered here.
public struct LogSlot: Hashable, Sendable {
    public let number: Int64
    public let reference: LogReference

    public init(number: Int64, reference: LogReference) {
        self.number = number
        self.reference = reference
    }
}

/// Two entries of one device that claim the same place: both signed by it, a proof that anybody can check.
public struct LogFork: Hashable, Sendable {
    public let place: LogPlace
    /// The one that was here before.
    public let first: EntryHash
    public let second: EntryHash

    public init(place: LogPlace, first: EntryHash, second: EntryHash) {
        self.place = place
        self.first = first
        self.second = second
    }
}
