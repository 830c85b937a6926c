import Basics
import PeerProtocol
import Store
import Transfer
import Vocabulary

/// Turns files left out from words of the Transfer module into rows of the database.
extension TransferRecords {
    package static func row(_ file: LeftOutFile) -> TransferProblemRow {
        // People need only the sense of what the system says.
        let cause: LeftOutCause? =
            switch file.problem.reason {
            case .sourceChanged where file.problem.detail.isEmpty: .changed
            case .notFound: .gone
            case .notAllowed: .unreadable
            default: nil
            }
        return TransferProblemRow(
            position: Int64(file.file), path: file.path, size: Int64(clamping: file.size),
            reason: file.problem.reason, detail: cause?.words ?? file.problem.detail)
    }

    /// The files that the scan of a folder left out.
    package static func problems(of scanned: ScannedSource) -> [TransferProblemRow] {
        scanned.skipped.sorted { $0.path < $1.path }.enumerated().map { index, skipped in
            TransferProblemRow(
                position: -1 - Int64(index), path: skipped.path, size: 0, reason: skipped.cause.reason,
                detail: skipped.cause.words)
        }
    }

    /// What was left out of a transfer's list, as an offer says it; nil if nothing was.
    static func leftOut(of row: TransferRow, in transaction: ReadTransaction) throws -> LeftOutBody? {
        let count = row.problems - (try transaction.leftOutTotals(of: row.id).files)
        guard count > 0 else { return nil }
        let problems = try transaction.problems(of: row.id).prefix { $0.position < 0 }
        return LeftOutBody(
            count: UInt64(count),
            items: problems.prefix(PeerLimits.leftOutItems).map {
                LeftOutBody.Item(
                    path: $0.path, refusal: Refusal($0.reason, detail: $0.detail.isEmpty ? nil : $0.detail))
            })
    }

    /// The files that the sender of an offer says are not in it.
    package static func problems(of leftOut: LeftOutBody) -> [TransferProblemRow] {
        leftOut.items.enumerated().map { index, item in
            TransferProblemRow(
                position: -1 - Int64(index), path: item.path, size: 0,
                reason: item.refusal.reason,
                detail: item.refusal.detail ?? "")
        }
    }

    /// How many more left-out files an offer counts than it names.
    package static func unnamed(of leftOut: LeftOutBody) -> Int64 {
        Int64(clamping: leftOut.count) - Int64(leftOut.items.count)
    }

    /// Sets the progress of a transfer that is over: everything has come but what was left out.
    package static func complete(_ row: inout TransferRow, in transaction: ReadTransaction) throws {
        let leftOut = try transaction.leftOutTotals(of: row.id)
        row.bytesDone = row.size - min(row.size, leftOut.bytes)
        row.filesDone = row.files - min(row.files, leftOut.files)
    }
}
