import Basics
import PeerProtocol
import Store

extension GroupReceiver {
    /// Checks entries. That needs neither graph nor disk, and costs time.
    /// - Returns: the entries, and how many certificates were checked.
    package static func read(_ bytes: [[UInt8]]) -> (entries: Result<[MembershipEntry], WireError>, certificates: Int) {
        var certificates = CertificateReader()
        var entries: [MembershipEntry] = []
        do throws(WireError) {
            for bytes in bytes { entries.append(try MembershipEntry(decoding: bytes, certificates: &certificates)) }
            return (.success(entries), certificates.checked)
        } catch {
            return (.failure(error), certificates.checked)
        }
    }

    /// Bytes that the membership of a group may have beside all others that the same friend told of.
    package func room(for group: UUIDv7, _ row: GroupRow?) throws -> Int {
        let least = MessagingLimits.groupBytesAtLeast
        guard let giver = try row.map({ try transaction.giver(of: $0.id) }) ?? peer else { return .max }
        let load = try transaction.groupLoad(of: giver, but: group, countingAtLeast: least)
        guard load + least <= MessagingLimits.groupBytesOfFriend else { return 0 }
        let room = MessagingLimits.groupBytesOfFriend - load
        guard row?.state ?? .arriving == .arriving else { return room }
        let arriving = try transaction.groupLoad(of: nil, but: group, countingAtLeast: 0)
        return min(room, max(0, MessagingLimits.arrivingBytes - arriving))
    }
}
