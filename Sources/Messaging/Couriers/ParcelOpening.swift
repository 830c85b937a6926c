import Basics
import Crypto
import PeerProtocol
import Store

/// A parcel for this account after it was looked at.
package enum OpenedParcel: Sendable {
    case content(ParcelContent)
    /// It isn't taken, for this reason.
    case refused(Refusal)
}

/// The secret halves of a device's mail keys, as the database has them.
package enum MailKeySeal {
    private static let label = "kibo-mail-key-v1"

    /// Seals a mail key for the disk: only the device's key opens it, so a disk with a passphrase opens no parcel.
    package static func seal(_ key: AgreementKey, made: WallTime, by device: SigningKey) -> [UInt8] {
        key.sealed(under: device.sharedKey(label, []), authenticating: context(made))
    }

    /// Nil for a key that another device has sealed, or that is damaged.
    package static func open(_ sealed: [UInt8], made: WallTime, by device: SigningKey) -> AgreementKey? {
        try? AgreementKey(sealed: sealed, under: device.sharedKey(label, []), authenticating: context(made))
    }

    private static func context(_ made: WallTime) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.appendBigEndian(UInt64(clamping: made.milliseconds))
        return bytes
    }
}

/// Opens parcels for this account. Some half a millisecond of one core each, so it belongs on a thread for which nobody
/// waits.
package struct ParcelOpening: Sendable {
    private let account: LocalAccount

    package init(_ account: LocalAccount) { self.account = account }

    /// Whether a parcel is for this account; else it is for a friend.
    package func isOurs(_ body: ParcelBody) -> Bool { body.to == account.id }

    /// Opens a parcel that a friend has brought.
    /// - Returns: nil for one that needn't be opened: it was before, or its maker is no friend.
    package func open(
        _ body: ParcelBody, id: UUIDv7, in transaction: ReadTransaction
    ) throws -> OpenedParcel? {
        guard try !Parcels.isSeen(id, from: body.from, transaction),
            try transaction.contact(body.from)?.relation == .friend
        else {
            return nil
        }
        let envelope = ParcelEnvelope(id: id, from: body.from, to: body.to)
        do {
            let content = try ParcelSeal.open(body.sealed, in: envelope, as: account.device) { made in
                guard let sealed = try? MailNotes.secret(of: made, transaction) else { return nil }
                return MailKeySeal.open(sealed, made: made, by: account.deviceKey)
            }
            return .content(content)
        } catch ParcelError.noKey {
            return .refused(Refusal(.notFound, detail: "no such mail key"))
        } catch ParcelError.invalid(let error) {
            return .refused(Refusal(.invalid, detail: error.refusal.detail))
        }
    }
}
