import Basics
import Crypto
import Messaging
import PeerProtocol
import Store
import Testing
import Vocabulary

@testable import Daemon

/// Goal: a device that came to its account later (by a restored account) can write in the account's groups.
@Suite("A device that its group doesn't know")
struct OwnDeviceTests {
    /// The same account on a device that no group knows.
    private func restored(_ own: Penman) throws -> LocalAccount {
        let deviceKey = SigningKey()
        return LocalAccount(
            accountKey: own.accountKey, deviceKey: deviceKey,
            certificate: try DeviceCertificate.issue(
                by: own.accountKey, for: DeviceID(deviceKey.publicKey), name: "restored",
                created: WallTime(milliseconds: 1_720_000_000_000)))
    }

    @Test("It makes itself known before its first entry, once")
    func makesItselfKnown() throws {
        let (own, friend) = (try Penman(1), try Penman(2))
        let create = try friend.create("Hikers", with: [own])
        let scene = try Scene()
        let frame = DurableFrame.Content.groupChange(GroupChangeBody(root: create.root, entries: [create.bytes]))
        #expect(try scene.hear(frame, from: friend.person.peer, scope: own.voice.scope) == .stored)
        let account = try restored(own)
        let voice = GroupVoice(account: account, graphs: GroupGraphs(), settled: SettledGroups())
        voice.settled.insert(create.root)
        func say(_ number: UInt64) throws {
            try scene.write { transaction in
                let group = try #require(try transaction.group(root: create.root.bytes))
                let body = MessageBody(
                    kind: .text, text: "\(number)", time: HybridTime(milliseconds: 1), sentAt: WallTime(milliseconds: 1)
                )
                try GroupCommands(voice, transaction).say(
                    .message, id: UUIDv7(high: 0x0190_0000_0000_7000, low: 1 << 63 | number),
                    LogContent.message(body).encoded(), in: group, about: nil)
            }
        }
        try say(1)
        try say(2)
        let kinds = try scene.read { try $0.outbox(for: friend.account, limit: 10, maximumBytes: 1 << 20).map(\.kind) }
        #expect(kinds == [FrameKind.groupChange, .groupEntry, .groupEntry].map { $0.rawValue })
        let graph = try scene.read { transaction in
            let group = try #require(try transaction.group(root: create.root.bytes))
            return try voice.graphs.graph(of: group, in: transaction)
        }
        #expect(graph.state.account(of: account.device) == own.account)
    }
}
