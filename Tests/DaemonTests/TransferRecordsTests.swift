import Basics
import Store
import TestSupport
import Testing
import Transfer

@testable import Daemon

@Suite("Transfers in the database")
struct TransferRecordsTests {
    private func id(_ byte: UInt8) throws -> UUIDv7 { try #require(UUIDv7(bytes: [UInt8](repeating: byte, count: 16))) }
    private func account(_ byte: UInt8) throws -> AccountID {
        AccountID(try #require(Key32([UInt8](repeating: byte, count: 32))))
    }

    private func with<Result: Sendable>(
        _ state: TransferRow.State, _ body: @escaping @Sendable (UUIDv7, WriteTransaction) throws -> Result
    ) async throws -> Result {
        let directory = try TemporaryDirectory()
        let store = try Store.open(
            directory: directory.path, clocks: SystemClocks())
        defer { store.close() }
        let (id, peer) = (try id(7), try account(1))
        return try await store.write { transaction in
            _ = try transaction.insert(
                TransferRow(
                    id: id, direction: .outgoing, peer: peer, name: "a.txt", size: 1, files: 1, state: state,
                    path: "/a.txt",
                    kind: .document, mediaType: "text/plain", createdAt: transaction.wallTime))
            return try body(id, transaction)
        }
    }

    @Test("A receiver that resumes a failed transfer and dials before its word is committed is told to come again")
    func failedIsBusy() async throws {
        let peer = try account(1)
        let failure = try await with(.failed) { id, transaction -> TransferFailure? in
            do {
                _ = try TransferRecords.sendPlan(id, to: peer, in: transaction)
                return nil
            } catch let failure as TransferFailure { return failure }
        }
        #expect(failure?.isRetryable == true)
    }

    @Test("What was cancelled before its connection was known does not become active")
    func cancelledStays() async throws {
        #expect(try await with(.cancelled) { try TransferRecords.setActive($0, in: $1) } == false)
        #expect(try await with(.offered) { try TransferRecords.setActive($0, in: $1) } == true)
    }

    @Test("A sender waits for a receiver that can't write its journal just now")
    func journalTrouble() async throws {
        let state = try await with(.active) { id, transaction in
            _ = try TransferRecords.settle(id, .failure(.peer(.internalError, detail: "")), in: transaction)
            return try transaction.transfer(id)?.state
        }
        #expect(state == .queued)
    }
}
