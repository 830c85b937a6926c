import Basics
import PeerProtocol
import Store
import Transfer
import Vocabulary

/// Turns words of the Transfer module into rows of the database, and decides what the rows become.
package enum TransferRecords {
    // MARK: Lists

    /// A list as it is stored.
    package static func pages(_ source: SourceList) -> [TransferPageRow] {
        var rows: [TransferPageRow] = []
        source.forEachPage { page, sources in
            rows.append(TransferPageRow(number: Int64(rows.count), entries: page, sources: sources))
        }
        return rows
    }

    /// Runs as they are stored, in portions for one commit each.
    package static func portions(of runs: [ChunkRun]) -> [[TransferRunRow]] {
        var portions: [[TransferRunRow]] = []
        var room = 0
        for run in runs {
            let row = TransferRunRow(first: Int64(clamping: run.first), checksums: run.checksums)
            for piece in row.pieces(of: Int64(StoreLimits.listBytesAtOnce / TransferLimits.checksumBytes)) {
                if portions.isEmpty || room < piece.checksums.count {
                    portions.append([])
                    room = StoreLimits.listBytesAtOnce
                }
                portions[portions.count - 1].append(piece)
                room -= piece.checksums.count
            }
        }
        return portions
    }

    // MARK: States

    /// Makes active transfers wait, because nothing runs after a start. Returns those that are to be fetched.
    package static func recoverAfterStart(in transaction: WriteTransaction) throws -> [TransferRow] {
        let unfinished = try transaction.unfinishedTransfers()
        try FileFrames.ask(
            about: unfinished.filter { $0.state == .offered && $0.direction == .outgoing }, in: transaction)
        return try unfinished.compactMap { found in
            var row = found
            // A file that was sent to a group is given to members that ask for it, and waits for none of them.
            if row.fileRoot != nil, row.direction == .outgoing { return nil }
            if row.state == .active {
                row.state = .queued
                try transaction.update(row, isKnown: true)
            }
            // A transfer that was out of space may find some now. An outgoing one is fetched by the receiver, or we
            // call.
            let isOutOfSpace = row.state == .paused && row.direction == .incoming && row.life.pausedBy == nil
            return row.state == .queued || isOutOfSpace ? row : nil
        }
    }

    /// Marks a transfer as active once there is a connection for it.
    /// - Returns: false if the transfer was given up meanwhile.
    package static func setActive(_ id: UUIDv7, in transaction: WriteTransaction) throws -> Bool {
        guard var row = try transaction.transfer(id) else { return false }
        guard row.life.pausedBy == nil else { return false }
        switch row.state {
        case .offered, .queued, .paused:
            row.state = .active
            row.reason = nil
            row.detail = nil
            row.life.acceptedAt = row.life.acceptedAt ?? transaction.wallTime
            row.life.hasPart = row.direction == .incoming
            try transaction.update(row, isKnown: true)
            return true
        case .active, .done: return true
        case .declined, .cancelled, .failed: return false
        }
    }

    /// Marks a transfer as active when a member takes a file that we have sent to a group.
    /// - Returns: false if the transfer was given up or paused meanwhile.
    package static func beginUpload(_ id: UUIDv7, in transaction: WriteTransaction) throws -> Bool {
        guard let row = try transaction.transfer(id), row.direction == .outgoing, !row.state.isOver else { return true }
        return try setActive(id, in: transaction)
    }

    package struct Settled: Sendable {
        /// The transfer is to be tried again.
        package var retry: TransferRow?
        /// The transfer was given up.
        package var failed: TransferRow?
        /// The state in which the transfer is over, now that this connection has ended; nil if it isn't.
        package var over: TransferState?
    }

    /// Stores how a connection ended.
    package static func settle(
        _ id: UUIDv7, _ result: Result<Void, TransferFailure>, in transaction: WriteTransaction
    ) throws -> Settled {
        var settled = Settled()
        guard var row = try transaction.transfer(id) else { return settled }
        guard !row.state.isOver else {
            // The journal has stored the end of one that came in.
            if case .success = result, row.direction == .incoming { settled.over = row.state }
            return settled
        }
        switch (result, row.direction) {
        case (.success, .incoming):
            // The journal has stored it, with the news for the sender.
            break
        case (.success, .outgoing):
            row.state = .done
            try complete(&row, in: transaction)
            row.finishedAt = transaction.wallTime
            try transaction.update(row, isKnown: true)
            settled.over = .done
        case (.failure(let failure), let direction):
            switch Verdict(failure, direction) {
            // A side paused the transfer just before the connection broke by itself.
            case .again where row.life.pausedBy != nil, .stand where row.life.pausedBy != nil: break
            case .again:
                if row.state != .queued {
                    row.state = .queued
                    try transaction.update(row, isKnown: true)
                }
                settled.retry = row
            case .stand where row.state == .paused && row.detail == failure.detail:
                // The disk was checked again for room, and there is none: that is no news.
                if direction == .incoming { settled.retry = row }
            case .stand:
                row.state = .paused
                row.reason = failure.reason
                row.detail = failure.detail
                try transaction.update(row, isKnown: true)
                if direction == .incoming { settled.retry = row }
            case .fail:
                row.state = .failed
                row.life.failure = failure.reason
                row.reason = failure.reason
                row.detail = failure.detail
                row.finishedAt = transaction.wallTime
                try transaction.update(row, isKnown: true)
                if !isPeersWord(failure) {
                    try FileFrames.status(
                        .failed, of: row, refusal: Refusal(failure.reason, detail: failure.told), in: transaction)
                }
                settled.failed = row
                settled.over = .failed
            }
        }
        return settled
    }

    /// What follows from a failure.
    private enum Verdict {
        case again, stand, fail

        init(_ failure: TransferFailure, _ direction: TransferDirection) {
            switch failure {
            case _ where failure.isRetryable: self = .again
            // A receiver that can't write its journal just now fetches again. If it gives up, it says so.
            case .peer(.internal, _) where direction == .outgoing: self = .again
            case .cancelled, .journal: self = .again
            // A receiver that breaks the protocol has ended its connection, and no more: it may do better over the next
            // one.
            case .invalid where direction == .outgoing: self = .again
            case .noSpace, .peer(.noSpace, _): self = .stand
            // The disk is not mounted, or the host is short of something: that passes.
            case .io(let error) where direction == .incoming && error.mayPass: self = .stand
            case .interrupted, .sourceChanged, .sourceGone, .peer, .invalid, .unsupported, .refused, .io: self = .fail
            }
        }
    }

    private static func isPeersWord(_ failure: TransferFailure) -> Bool {
        if case .peer = failure { true } else { false }
    }
}
