import Basics
import Testing

@testable import Store

@Suite("Assets")
struct AssetTests {
    private func message(with transfer: UInt64, in transaction: WriteTransaction) throws {
        var row = Sample.message(1, from: 2)
        row.kind = .file
        _ = try transaction.insertIncoming(row)
        _ = try transaction.insert(Sample.transfer(transfer, message: row.id))
        try transaction.setAsset(Sample.id(transfer), [1, 2, 3])
    }

    private static func preview(_ transaction: ReadTransaction) throws -> [UInt8]? {
        try transaction.messageRecord(Sample.id(1), previews: true)?.attachments.first?.preview
    }

    @Test("A message shows its attachments' previews on request, lists don't, and previews go with the message")
    func preview() async throws {
        let fixture = try await Fixture()
        let store = fixture.store
        try await store.commit { try message(with: 9, in: $0) }
        #expect(try await store.read { try Self.preview($0) } == [1, 2, 3])
        let shown = try await store.read { try $0.conversationRecord(Sample.conversation) }
        let last = try #require(shown?.lastMessage?.attachments.first)
        #expect(last.preview == nil)
        let page = try await store.read { try $0.messageRecords(in: Sample.conversation, limit: 1).records }
        #expect(try #require(page.first?.attachments.first).preview == nil)
        try await store.commit { transaction in
            let row = try #require(try transaction.message(Sample.id(1)))
            _ = try transaction.scrub(row)
        }
        #expect(try await store.read { try $0.asset(Sample.id(9)) } == nil)
        #expect(try await store.read { try $0.assetSum() } == 0)
    }

    @Test("Assets go with their conversation")
    func conversation() async throws {
        let fixture = try await Fixture()
        let store = fixture.store
        try await store.commit { transaction in
            var row = Sample.message(1, from: 2)
            row.kind = .file
            _ = try transaction.insertIncoming(row)
            var transfer = Sample.transfer(9, message: row.id)
            transfer.conversation = Sample.conversation
            _ = try transaction.insert(transfer)
            try transaction.setAsset(Sample.id(9), [1, 2, 3])
        }
        #expect(try await store.read { try $0.asset(Sample.id(9)) } != nil)
        #expect(try await store.commit { try $0.remove(conversation: Sample.conversation) })
        #expect(try await store.read { try $0.asset(Sample.id(9)) } == nil)
    }

    @Test("Beyond the bound, the least recently used assets go")
    func bound() async throws {
        let fixture = try await Fixture()
        let store = fixture.store
        let assets = AssetTable(limit: 40)
        let put: @Sendable (UInt64) async throws -> Void = { number in
            try await store.commit { transaction in
                let asset = AssetRecord(id: Sample.id(number), bytes: [UInt8](repeating: 7, count: 10))
                try assets.set(asset, in: transaction)
            }
        }
        let has: @Sendable (UInt64) async throws -> Bool = { number in
            try await store.read { try AssetTable().get(Sample.id(number), in: $0) != nil }
        }
        for number in 1...4 as ClosedRange<UInt64> { try await put(number) }
        #expect(try await store.read { try assets.get(Sample.id(1), in: $0) } != nil)
        try await put(5)
        #expect(try await has(1))
        #expect(try await !has(2))
        #expect(try await store.read { try $0.assetSum() } == 40)
        try await store.commit { try assets.remove([Sample.id(1), Sample.id(77)], in: $0) }
        #expect(try await store.read { try $0.assetSum() } == 30)
    }

    @Test("An asset that is too large is not kept")
    func tooLarge() async throws {
        let fixture = try await Fixture()
        let bytes = [UInt8](repeating: 1, count: StoreLimits.oneAssetBytes + 1)
        try await fixture.store.commit { try $0.setAsset(Sample.id(1), bytes) }
        #expect(try await fixture.store.read { try $0.asset(Sample.id(1)) } == nil)
    }
}

extension ReadTransaction {
    fileprivate func assetSum() throws -> Int64 { try connection.integer(Self.sum) ?? -1 }
    private static let sum = SQL("SELECT value FROM meta WHERE name = 'asset_bytes'")
}
