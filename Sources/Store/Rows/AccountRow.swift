import Basics
import Vocabulary

/// This daemon's own account. There is at most one.
public struct AccountRow: Hashable, Sendable {
    public var account: AccountID
    /// The device of this data directory.
    public var device: DeviceID
    public var deviceName: String
    public var displayName: String
    public var statusText: String
    public var email: String?
    public var phone: String?
    /// The BLAKE2b-256 digest of the avatar, which is in the data directory.
    public var avatar: [UInt8]?
    /// Whether the user has said that they are away.
    public var isAway: Bool
    /// A number that grows with every change of the card that friends see.
    public var cardVersion: Int64
    public var createdAt: WallTime

    public init(
        account: AccountID, device: DeviceID, deviceName: String, displayName: String, statusText: String = "",
        email: String? = nil, phone: String? = nil, avatar: [UInt8]? = nil, isAway: Bool = false,
        cardVersion: Int64 = 1, createdAt: WallTime
    ) {
        self.account = account
        self.device = device
        self.deviceName = deviceName
        self.displayName = displayName
        self.statusText = statusText
        self.email = email
        self.phone = phone
        self.avatar = avatar
        self.isAway = isAway
        self.cardVersion = cardVersion
        self.createdAt = createdAt
    }
}
