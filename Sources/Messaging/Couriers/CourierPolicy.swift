import Basics
import PeerProtocol

// The Couriers folder has what becomes of parcels in the database: made, kept for others, handed over, opened, and tidied
// up (docs/PROTOCOL-COURIERS.md, docs/decisions/0093).

/// What the user lets friends leave here for others.
package struct CourierPolicy: Hashable, Sendable {
    /// Whether friends may be given parcels by this daemon, and may leave some for friends who have named this account.
    package var carries = true
    /// How long a parcel is kept.
    package var days = 14
    /// Bytes of all parcels.
    package var quota: Int64 = 256 << 20
    /// Bytes of the longest file that is kept.
    package var file: Int64 = 32 << 20

    package init() {}

    package init(carries: Bool, days: Int, quota: Int64, file: Int64) {
        self.carries = carries
        self.days = days
        self.quota = quota
        self.file = file
    }
}

/// What a commit has found that the service of couriers keeps in memory.
package enum CourierNews: Hashable, Sendable {
    /// A parcel of ours for that account is lost.
    case lost(AccountID)
    /// A courier has brought a parcel of that maker, so an answer may go the same way.
    case brought(maker: AccountID, courier: AccountID)
    /// A friend's note came in a parcel.
    case note(MailNote)
}
