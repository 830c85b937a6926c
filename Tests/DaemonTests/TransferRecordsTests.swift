import Basics
import Messaging
import Runtime
import Store
import TestSupport
import Testing
import Threads
import Transfer
import Vocabulary

@testable import Media
@testable import TransferService

@Suite("Transfers in the database")
struct TransferRecordsTests {
    private func id(_ byte: UInt8) throws -> UUIDv7 { try #require(UUIDv7(bytes: [UInt8](repeating: byte, count: 16))) }
    private func account(_ byte: UInt8) throws -> AccountID {
        AccountID(try #require(Key32([UInt8](repeating: byte, count: 32))))
    }

    private func with<Result: Sendable>(
        _ state: TransferState, _ body: @escaping @Sendable (UUIDv7, WriteTransaction) throws -> Result
    ) async throws -> Result {
        let id = try id(7)
        return try await with(state) { store in try store.commitAndWait { try body(id, $0) } }
    }

    /// - Parameter body: runs on a thread of its own, which may block.
    private func with<Result: Sendable>(
        _ state: TransferState, path: String = "/a.txt", _ body: @escaping @Sendable (Store) throws -> Result
    ) async throws -> Result {
        let directory = try TemporaryDirectory()
        let store = try Store.open(
            directory: directory.path, clocks: SystemClocks())
        defer { store.close() }
        let (id, peer) = (try id(7), try account(1))
        try await store.commit { transaction in
            _ = try transaction.insert(
                TransferRow(
                    id: id, direction: .outgoing, peer: peer, name: "a.txt", size: 1, files: 1, state: state,
                    path: path,
                    kind: .document, mediaType: "text/plain", createdAt: transaction.wallTime))
        }
        let answer = Answer<Result>()
        let thread = try PlatformThread.spawn(name: "body") {
            answer.give(Swift.Result { try body(store) })
        }
        defer { thread.join() }
        return try answer.wait().get()
    }

    @Test("A receiver that resumes a failed transfer and dials before its frame is committed is told to come again")
    func failedIsBusy() async throws {
        let (id, peer) = (try id(7), try account(1))
        let failure = try await with(.failed) { store throws -> TransferFailure? in
            do {
                _ = try TransferRecords.sendPlan(id, to: peer, from: store)
                return nil
            } catch let failure as TransferFailure { return failure }
        }
        #expect(failure?.isRetryable == true)
    }

    @Test("If the list is gone, it is made from the source again and stored")
    func scannedAnew() async throws {
        let (id, peer) = (try id(7), try account(1))
        let folder = try TemporaryDirectory()
        let path = folder.path + "/a.txt"
        try TextFile.write("x".utf8, to: path)
        let (first, pages) = try await with(.offered, path: path) { store in
            let plan = try TransferRecords.sendPlan(id, to: peer, from: store)
            return (plan.source, try store.readAndWait { try $0.pages(of: id) })
        }
        #expect(first.manifest.size == 1)
        #expect(try SourceList(pages: pages.map { ($0.entries, $0.sources ?? []) }) == first)
        try TextFile.write("longer".utf8, to: path)
        let failure = try await with(.offered, path: path) { store throws -> TransferFailure? in
            do {
                _ = try TransferRecords.sendPlan(id, to: peer, from: store)
                return nil
            } catch let failure as TransferFailure { return failure }
        }
        #expect(failure == .sourceChanged(""))
    }

    @Test("A transfer that was cancelled before its connection was known does not become active")
    func cancelledStays() async throws {
        #expect(try await with(.cancelled) { try TransferRecords.setActive($0, in: $1) } == false)
        #expect(try await with(.offered) { try TransferRecords.setActive($0, in: $1) } == true)
    }

    @Test("A sender waits for a receiver that can't write its journal at the moment")
    func journalTrouble() async throws {
        let state = try await with(.active) { id, transaction in
            _ = try TransferRecords.settle(id, .failure(.peer(.internal, detail: "")), in: transaction)
            return try transaction.transfer(id)?.state
        }
        #expect(state == .queued)
    }
}
