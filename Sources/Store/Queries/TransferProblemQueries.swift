import Basics
import Vocabulary

private let numberAndCount = SQL("SELECT number, problems FROM transfer WHERE id = ?")
private let shown = SQL(
    """
    SELECT p.position, p.path, p.size, p.reason, p.detail FROM transfer AS t
    JOIN transfer_problem AS p ON p.transfer = t.number
    WHERE t.id = ? AND p.path IS NOT NULL ORDER BY p.position >= 0, abs(p.position)
    """)
private let files = SQL(
    """
    SELECT p.position, p.reason FROM transfer AS t JOIN transfer_problem AS p ON p.transfer = t.number
    WHERE t.id = ? AND p.position >= 0 ORDER BY p.position
    """)
private let totals = SQL(
    """
    SELECT count(*), coalesce(sum(p.size), 0) FROM transfer AS t JOIN transfer_problem AS p ON p.transfer = t.number
    WHERE t.id = ? AND p.position >= 0
    """)
private let insertion = SQL(
    """
    INSERT INTO transfer_problem (transfer, position, path, size, reason, detail) VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT (transfer, position) DO NOTHING
    """)
private let count = SQL("UPDATE transfer SET problems = ? WHERE number = ?")

extension ReadTransaction {
    /// The first ``StoreLimits/shownProblems`` files that were left out of a transfer: those outside its list first,
    /// then in the order of the list.
    public func problems(of transfer: UUIDv7) throws(StoreError) -> [TransferProblemRow] {
        try connection.rows(shown, transfer) { row in
            TransferProblemRow(
                position: row.integer(0), path: row.text(1), size: row.integer(2), reason: row.reason(3),
                detail: row.optionalText(4) ?? "")
        }
    }

    /// Every file of a transfer's list that is left out, with the reason.
    public func leftOutFiles(of transfer: UUIDv7) throws(StoreError) -> [(file: Int64, reason: Reason)] {
        try connection.rows(files, transfer) { row in (row.integer(0), row.reason(1)) }
    }

    /// The number and bytes of the files of a transfer's list that are left out.
    public func leftOutTotals(of transfer: UUIDv7) throws(StoreError) -> (files: Int64, bytes: Int64) {
        try connection.first(totals, transfer) { row in (row.integer(0), row.integer(1)) } ?? (0, 0)
    }
}

extension WriteTransaction {
    /// Adds files that are left out. A known one changes nothing.
    /// - Parameter unnamed: the number of further files, about which nothing else is known.
    /// - Throws: ``StoreError/missing(_:)`` for an unknown transfer.
    public func appendProblems(
        _ rows: [TransferProblemRow], unnamed: Int64 = 0, to transfer: UUIDv7
    ) throws(StoreError) {
        let stored = try connection.first(numberAndCount, transfer) { row in (row.integer(0), row.integer(1)) }
        guard let (number, before) = stored else { throw .missing(.transfer(transfer)) }
        var total = before
        for row in rows {
            let isShown = total < StoreLimits.shownProblems
            let inserted = try connection.run(
                insertion, number, row.position, isShown ? row.path : nil, row.size, row.reason,
                isShown && !row.detail.isEmpty ? row.detail : nil)
            total += Int64(inserted)
        }
        total += max(0, unnamed)
        if total != before { try connection.run(count, total, number) }
    }
}
