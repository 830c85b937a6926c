import Basics
import PeerProtocol
import Store

/// Takes over what a contact's card says.
package enum ContactCards {
    /// Stores what a card says. A card of an account that is no contact is not kept. A card that is older than the known one changes nothing, unless it is of the
    /// same device: that device has just sent it itself, and its data are an older copy.
    /// - Parameter card: the card as it came from its device, over the session with it.
    package static func apply(_ card: Card, in transaction: WriteTransaction) throws {
        guard var row = try transaction.contact(card.account) else { return }
        let version = Int64(clamping: card.version)
        guard version >= row.cardVersion || isOfSameDevice(card, row), row.card != card.encoded else { return }
        row.card = card.encoded
        row.cardVersion = version
        row.displayName = card.profile.displayName
        row.statusText = card.profile.statusText
        row.email = card.profile.email
        row.phone = card.profile.phone
        // Another avatar stays until the new one has come.
        if card.profile.avatarDigest == nil { row.avatar = nil }
        try transaction.save(row)
    }

    private static func isOfSameDevice(_ card: Card, _ row: ContactRow) -> Bool {
        guard let older = row.card.flatMap({ try? Card(decoding: $0) }) else { return true }
        return older.device == card.device
    }
}
