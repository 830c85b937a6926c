import Basics
import PeerProtocol
import Store

/// Takes over what a contact's card says.
enum ContactCards {
    /// The row, if it is another one now. A card of somebody who is no contact is not kept; an older one than is known
    /// changes nothing.
    static func apply(_ card: Card, in transaction: WriteTransaction) throws -> ContactRow? {
        guard var row = try transaction.contact(card.account) else { return nil }
        let version = Int64(clamping: card.version)
        guard row.card == nil || version >= row.cardVersion, row.card != card.encoded else { return nil }
        row.card = card.encoded
        row.cardVersion = version
        row.displayName = card.profile.displayName
        row.statusText = card.profile.statusText
        row.email = card.profile.email
        row.phone = card.profile.phone
        // Another picture stays until the new one has come.
        if card.profile.avatarDigest == nil { row.avatar = nil }
        try transaction.save(row)
        return row
    }
}
