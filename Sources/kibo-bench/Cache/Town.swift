import Basics
import Store

/// A history for measuring the cache: equally many messages in each conversation, half of them ours, some with
/// reactions.
struct Town: Sendable {
    private static let commit = 5_000
    private static let me = AccountID(bytes: [UInt8](repeating: 1, count: 32))

    let messages: Int
    let conversations: Int

    private static func id(_ space: UInt64, _ number: Int) -> UUIDv7 {
        UUIDv7(high: 0x018B_CFE5_6800_7000 | space, low: 0x8000_0000_0000_0000 | UInt64(number))
    }

    private static func friend(_ number: Int) -> (account: AccountID, device: DeviceID)? {
        var bytes = [UInt8](repeating: 2, count: 32)
        for place in 0..<4 { bytes[place] = UInt8(truncatingIfNeeded: number >> (8 * place)) }
        guard let account = AccountID(bytes: bytes), let device = DeviceID(bytes: bytes) else { return nil }
        return (account, device)
    }

    func conversation(_ random: inout SeededGenerator) -> UUIDv7 {
        Self.id(1, Int.random(in: 0..<conversations, using: &random))
    }

    func conversation(fewOf random: inout SeededGenerator) -> UUIDv7 {
        let isFew = Int.random(in: 0..<10, using: &random) < 9
        return Self.id(1, Int.random(in: 0..<(isFew ? 10 : conversations), using: &random))
    }

    func message(_ random: inout SeededGenerator) -> UUIDv7 {
        Self.id(2, Int.random(in: 0..<messages, using: &random))
    }

    func lateMessage(_ random: inout SeededGenerator) -> UUIDv7 {
        Self.id(2, Int.random(in: max(0, messages - 1000)..<messages, using: &random))
    }

    func fill(_ session: Session) throws {
        let town = self
        try session.write { transaction in
            for number in 0..<town.conversations {
                guard let friend = Self.friend(number) else { continue }
                try transaction.save(
                    ContactRow(
                        account: friend.account, displayName: "Friend \(number)", relation: .friend,
                        createdAt: transaction.wallTime))
                _ = try transaction.openConversation(with: friend.account, newID: Self.id(1, number))
            }
        }
        for start in stride(from: 0, to: messages, by: Self.commit) {
            let end = min(start + Self.commit, messages)
            try session.write { transaction in
                for number in start..<end { try town.insert(number, transaction) }
            }
        }
    }

    private func insert(_ number: Int, _ transaction: WriteTransaction) throws {
        guard let friend = Self.friend(number % conversations), let me = Self.me,
            let device = DeviceID(bytes: [UInt8](repeating: 1, count: 32))
        else { return }
        let isOurs = number / conversations % 2 == 0
        let time = WallTime(milliseconds: 1_700_000_000_000 + Int64(number) * 1000)
        let row = MessageRow(
            id: Self.id(2, number), conversation: Self.id(1, number % conversations),
            sender: isOurs ? me : friend.account, senderDevice: isOurs ? device : friend.device,
            text: "Message \(number), " + String(repeating: "about as long as people write ", count: 1 + number % 4),
            sentAt: time, receivedAt: time, hlc: HybridTime(milliseconds: time.milliseconds), state: .delivered)
        if isOurs {
            try transaction.insertOutgoing(row, to: [friend.account])
        } else {
            _ = try transaction.insertIncoming(row)
        }
        if number % 10 == 0 {
            _ = try transaction.applyReaction(
                to: row, by: friend.account, emoji: "👍", removed: false, time: row.hlc)
        }
    }
}
