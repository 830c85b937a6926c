import Basics
import Store
import Vocabulary

/// A group of the account 1 with others, with which tests of groups begin.
struct GroupSample {
    static let id = Sample.id(2_000_000)
    static let root = hash(200)
    static let conversation = Sample.id(2_000_001)

    static func hash(_ number: UInt8) -> [UInt8] { [UInt8](repeating: number, count: 32) }

    static func entryHash(_ number: UInt8) -> EntryHash {
        guard let hash = EntryHash(hash(number)) else { preconditionFailure("32 bytes are a hash") }
        return hash
    }

    static func row(name: String = "Hikers", state: GroupStanding = .member) -> GroupRow {
        GroupRow(
            id: id, root: root, name: name, history: 50, heads: [root], entries: 1, ownRole: .owner, state: state,
            createdAt: WallTime(milliseconds: 1_700_000_000_000))
    }

    static func member(_ number: UInt8, _ role: GroupRole = .member) -> GroupMemberRow {
        GroupMemberRow(
            account: Sample.account(number), role: role, name: "person \(number)", addedBy: Sample.me,
            joinedAt: WallTime(milliseconds: 1_700_000_000_000 + Int64(number)))
    }

    static func device(_ number: UInt8) -> GroupDeviceRow {
        GroupDeviceRow(device: Sample.device(number), account: Sample.account(number))
    }

    /// A store with this account, the group and its conversation.
    static func fixture(members: [UInt8] = [1, 2, 3]) async throws -> Fixture {
        let fixture = try await Fixture()
        try await fixture.store.commit { transaction in
            try transaction.saveOwnAccount(
                AccountRow(
                    account: Sample.me, device: Sample.device(1), deviceName: "here", displayName: "Me",
                    createdAt: transaction.wallTime))
            try transaction.insert(row())
            try transaction.setMembers(
                of: id, to: members.map { member($0, $0 == 1 ? .owner : .member) }, devices: members.map(device))
            _ = try transaction.openConversation(of: id, newID: conversation)
        }
        return fixture
    }

    /// An entry of the log of a device, with a hash of its own.
    static func entry(
        _ device: UInt8, _ sequence: UInt64, hash number: UInt8, state: LogState = .delivered, kind: Int64 = 1,
        about: UUIDv7? = nil, content: [UInt8]? = [1, 2, 3]
    ) -> LogEntryRow {
        LogEntryRow(
            device: Sample.device(device), sequence: sequence, hash: entryHash(number), id: Sample.id(UInt64(number)),
            kind: kind, about: about, state: state,
            time: HybridTime(rawValue: UInt64(number)), header: [number, 7],
            signature: [UInt8](repeating: 9, count: 64),
            content: content)
    }

    static func reference(_ device: UInt8, _ sequence: UInt64, hash number: UInt8) -> LogReference {
        LogReference(place: LogPlace(device: Sample.device(device), sequence: sequence), hash: entryHash(number))
    }
}
