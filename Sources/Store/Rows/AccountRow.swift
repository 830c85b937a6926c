import Basics

/// This daemon's own account. There is at most one.
public struct AccountRow: Hashable, Sendable {
    public var account: AccountID
    /// This data directory's device.
    public var device: DeviceID
    public var deviceName: String
    public var displayName: String
    public var statusText: String
    public var email: String?
    public var phone: String?
    /// Grows with every change of the card that friends see.
    public var cardVersion: Int64
    public var createdAt: WallTime

    public init(
        account: AccountID, device: DeviceID, deviceName: String, displayName: String, statusText: String = "",
        email: String? = nil, phone: String? = nil, cardVersion: Int64 = 1, createdAt: WallTime
    ) {
        self.account = account
        self.device = device
        self.deviceName = deviceName
        self.displayName = displayName
        self.statusText = statusText
        self.email = email
        self.phone = phone
        self.cardVersion = cardVersion
        self.createdAt = createdAt
    }
}
