import Basics
import PeerProtocol
import Store
import Vocabulary

/// Membership entries of a frame or page whose signatures were checked. Checking needs no graph and takes time, so it
/// is not done on the writing thread, for which everything waits.
package struct CheckedEntries: Sendable {
    /// The entries that are not here, in their order.
    package let entries: Result<[MembershipEntry], WireError>
    /// Whether there are more than one turn may check. The rest is taken when the same entries come again.
    package let hasMore: Bool
    /// How many signatures were checked.
    package let signatures: Int

    /// Whether there is nothing new in them.
    package var isEmpty: Bool { if case .success(let entries) = entries { entries.isEmpty } else { false } }

    /// - Parameter transaction: shows which entries are here already; nil to check all.
    package init(_ bytes: [[UInt8]], of root: EntryHash, in transaction: ReadTransaction?) throws {
        let row = try transaction?.group(root: root.bytes)
        var certificates = CertificateReader()
        var (entries, hasMore, failure): ([MembershipEntry], Bool, WireError?) = ([], false, nil)
        for bytes in bytes {
            if let row, let hash = MembershipEntry.hash(of: bytes),
                try transaction?.hasMembershipEntry(hash.bytes, of: row.id) == true
            {
                continue
            }
            guard entries.count + certificates.checked < MessagingLimits.signaturesAtOnce else {
                hasMore = true
                break
            }
            do throws(WireError) {
                entries.append(try MembershipEntry(decoding: bytes, certificates: &certificates))
            } catch {
                failure = error
                break
            }
        }
        self.entries = failure.map { .failure($0) } ?? .success(entries)
        self.hasMore = hasMore
        signatures = entries.count + certificates.checked
    }

    /// Checks what a peer says about a group's membership.
    /// - Returns: nil if it would be refused whatever it is.
    package static func check(
        _ body: GroupChangeBody, from peer: AccountID, in transaction: ReadTransaction
    ) throws -> CheckedEntries? {
        guard try GroupBounds(transaction).refusal(of: body.root, from: peer) == nil else { return nil }
        return try CheckedEntries(body.entries, of: body.root, in: transaction)
    }
}
