import Basics
import Messaging
import Reactor
import Store
import TestSupport
import Testing
import Threads
import Vocabulary

@testable import Daemon

/// Goal: what commits change reaches memory in the order of the commits, whatever becomes of their callers.
@Suite("After a commit")
struct CommitFollowerTests {
    private static func save(
        _ relation: Relation, _ account: AccountID
    ) -> @Sendable (WriteTransaction) throws -> Void {
        { transaction in
            try transaction.save(
                ContactRow(
                    account: account, displayName: "Ben", relation: relation, createdAt: transaction.wallTime))
        }
    }

    @Test("Two commits whose callers are woken in the other order are applied in their own, before both callers")
    @ReactorActor func order() async throws {
        let directory = try TemporaryDirectory()
        let daemon = try await WholeDaemon(
            directory: directory.path, log: Logger(label: "test", sink: LogCapture()))
        let (services, store) = (daemon.services, daemon.services.environment.store)
        defer { store.close() }
        CommitFollower(services).follow()
        let ben = try #require(AccountID(bytes: [UInt8](repeating: 9, count: 32)))
        var told: [Relation] = []
        services.contacts.onChange.append { row, _ in told.append(row.relation) }
        var found: [(caller: Int, index: Relation, told: [Relation])] = []
        let look: @ReactorActor (Int) -> Void = { caller in
            found.append((caller, services.contacts.index.relation(ben), told))
        }
        await withCheckedContinuation { continuation in
            let (one, two) = (Self.save(.friend, ben), Self.save(.blocked, ben))
            store.commit(
                one,
                completion: { _ in
                    // The first caller isn't woken yet: the second one's commit comes in between.
                    store.commit(
                        two,
                        completion: { _ in
                            Reactor.shared.post { look(2) }
                            Reactor.shared.post {
                                look(1)
                                continuation.resume()
                            }
                        })
                })
        }
        #expect(found.map(\.caller) == [2, 1])
        #expect(found.map(\.index) == [.blocked, .blocked])
        #expect(found.allSatisfy { $0.told == [.friend, .blocked] })
    }

    @Test("Who waits for a commit finds memory up to date, also where the commit is done before the wait begins")
    @ReactorActor func prompt() async throws {
        let directory = try TemporaryDirectory()
        let daemon = try await WholeDaemon(
            directory: directory.path, log: Logger(label: "test", sink: LogCapture()))
        let (services, store) = (daemon.services, daemon.services.environment.store)
        defer { store.close() }
        CommitFollower(services).follow()
        let ben = try #require(AccountID(bytes: [UInt8](repeating: 9, count: 32)))
        for round in 0..<200 {
            let relation: Relation = round % 2 == 0 ? .friend : .blocked
            try await store.commit(Self.save(relation, ben))
            #expect(services.contacts.index.relation(ben) == relation)
        }
    }

    @Test("A new account is there when clients hear of it, before the caller who made it")
    @ReactorActor func account() async throws {
        let directory = try TemporaryDirectory()
        let daemon = try await WholeDaemon(
            directory: directory.path, isNew: true, log: Logger(label: "test", sink: LogCapture()))
        let (services, store) = (daemon.services, daemon.services.environment.store)
        defer { store.close() }
        CommitFollower(services).follow()
        let found = Lock<[Bool]>([])
        store.observeCommits { commit, _ in
            guard commit.events.contains(where: { $0.object == .account }) else { return }
            Reactor.shared.post { found.withLock { $0.append(services.account.voice != nil) } }
        }
        let row = try await services.keeper.create(
            displayName: "Anna", deviceName: "test", passphrase: nil, remember: false)
        #expect(found.withLock { $0 } == [true])
        #expect(services.account.profile == row && services.online.isOpen)
        await services.online.close()
    }

    @Test("A removed contact leaves memory with its commit")
    @ReactorActor func removed() async throws {
        let directory = try TemporaryDirectory()
        let daemon = try await WholeDaemon(
            directory: directory.path, log: Logger(label: "test", sink: LogCapture()))
        let (services, store) = (daemon.services, daemon.services.environment.store)
        defer { store.close() }
        CommitFollower(services).follow()
        let ben = try #require(AccountID(bytes: [UInt8](repeating: 9, count: 32)))
        try await store.commit(Self.save(.incoming, ben))
        #expect(services.contacts.index.relation(ben) == .incoming)
        _ = try await store.commit { try $0.removeContact(ben) }
        #expect(services.contacts.index.entry(ben) == nil)
    }
}
