import Basics
import Vocabulary

/// A mail key of this device, as it is stored.
public struct MailKeyRow: Hashable, Sendable {
    /// The time in the note that tells of it.
    public let made: WallTime
    /// Its secret half, sealed under the device's key.
    public let secret: [UInt8]

    /// - Parameter secret: sealed.
    public init(made: WallTime, sealed secret: [UInt8]) {
        self.made = made
        self.secret = secret
    }
}

/// A parcel of a friend for a friend that is kept here.
public struct ParcelRow: Hashable, Sendable {
    public let id: UUIDv7
    public let depositor: AccountID
    public let recipient: AccountID
    public let cameAt: WallTime
    /// How long it is kept, counted from its coming.
    public let days: Int
    /// The length of the frame's body.
    public let bytes: Int64

    public init(id: UUIDv7, depositor: AccountID, recipient: AccountID, cameAt: WallTime, days: Int, bytes: Int64) {
        self.id = id
        self.depositor = depositor
        self.recipient = recipient
        self.cameAt = cameAt
        self.days = days
        self.bytes = bytes
    }
}

/// How much is kept of some parcels, and of files that go with parcels.
public struct ParcelSum: Hashable, Sendable {
    public var parcels: Int64 = 0
    public var files: Int64 = 0
    /// Those of both.
    public var bytes: Int64 = 0
}

/// A parcel of ours that was given to a courier.
public struct SentParcelRow: Hashable, Sendable {
    /// How far it is.
    public enum State: Int64, Hashable, Sendable {
        /// It waits in the outbox for the courier.
        case onItsWay = 0
        /// The courier keeps it.
        case kept = 1
        /// The courier says that the recipient has it.
        case handedOver = 2
    }

    public let id: UUIDv7
    public let courier: AccountID
    public let recipient: AccountID
    /// The places in the outbox of what is in it; only items of its group count, or of no group.
    public let places: ClosedRange<Int64>
    public var state: State
    /// When the courier may drop it.
    public var until: WallTime
    public let days: Int
    /// The number of the group to whose items the places belong; nil: they are those of no group.
    var chat: Int64?

    public init(
        id: UUIDv7, courier: AccountID, recipient: AccountID, places: ClosedRange<Int64>, state: State = .onItsWay,
        until: WallTime, days: Int
    ) {
        self.id = id
        self.courier = courier
        self.recipient = recipient
        self.places = places
        self.state = state
        self.until = until
        self.days = days
    }
}

/// Who keeps a message of ours for a recipient who is away.
public struct Holder: Hashable, Sendable {
    public let courier: AccountID
    /// When the courier may drop it.
    public let until: WallTime

    public init(courier: AccountID, until: WallTime) {
        self.courier = courier
        self.until = until
    }
}
