import Basics
import Vocabulary

private let columns = "id, courier, recipient, first_seq, last_seq, state, until, days, chat"
private let insertion = SQL(
    """
    INSERT INTO parcel_out (id, courier, recipient, first_seq, last_seq, stamp, until, days, chat)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
    """)
private let byID = SQL("SELECT \(columns) FROM parcel_out WHERE courier = ? AND id = ?")
private let ofRecipient = SQL(
    "SELECT \(columns) FROM parcel_out WHERE recipient = ? AND chat IS ? ORDER BY first_seq, courier")
private let goesBy = SQL("SELECT 1 FROM parcel_out WHERE courier = ? AND recipient = ? LIMIT 1")
private let stateUpdate = SQL("UPDATE parcel_out SET state = ?, until = ?, stamp = ? WHERE courier = ? AND id = ?")
private let removal = SQL("DELETE FROM parcel_out WHERE courier = ? AND id = ?")
private let isEmpty = """
    NOT EXISTS (
        SELECT 1 FROM outbox AS o
        WHERE o.account = p.recipient AND o.seq BETWEEN p.first_seq AND p.last_seq AND o.chat IS p.chat)
    """
// Those that have nothing waiting any more. What the courier hasn't got yet is taken out of the outbox with them.
private let emptyRows = SQL(
    """
    SELECT \(columns) FROM parcel_out AS p WHERE \(isEmpty) LIMIT ?
    """)
private let emptyToRows = SQL("SELECT \(columns) FROM parcel_out AS p WHERE recipient = ? AND \(isEmpty) LIMIT ?")
private let spans = SQL("SELECT DISTINCT days FROM parcel_out")
private let endedRows = SQL("SELECT \(columns) FROM parcel_out WHERE days = ? AND stamp <= ? LIMIT ?")
private let strayedRows = SQL(
    """
    SELECT \(columns) FROM parcel_out AS p
    WHERE NOT EXISTS (SELECT 1 FROM contact WHERE account = p.courier AND relation = 3)
        OR (state = 0 AND NOT EXISTS (SELECT 1 FROM outbox WHERE account = p.courier AND id = p.id))
    LIMIT ?
    """)
private let itemRows = SQL(
    """
    SELECT seq FROM outbox WHERE account = ? AND seq BETWEEN ? AND ? AND chat IS ? AND kind = ?
    """)
private let carried = SQL(
    """
    SELECT m.id FROM outbox AS o JOIN message AS m ON m.number = o.message
    WHERE o.account = ? AND o.seq BETWEEN ? AND ? AND o.chat IS ? AND o.id IS NULL
    """)
private let itemRemoval = SQL("DELETE FROM outbox WHERE account = ? AND seq = ?")
private let withdrawal = SQL("DELETE FROM outbox WHERE account = ? AND id = ?")
private let holderRow = SQL("SELECT courier, until FROM parcel_out WHERE number = ?")
private let bringerRows = SQL(
    """
    SELECT courier, state FROM parcel_out
    WHERE recipient = ?1 AND ?2 BETWEEN first_seq AND last_seq
        AND chat IS (SELECT chat FROM outbox WHERE account = ?1 AND seq = ?2)
    ORDER BY state DESC LIMIT 2
    """)
private let bringerUpdate = SQL("UPDATE recipient SET courier = ? WHERE message = ? AND account = ?")
private let anyRow = SQL("SELECT 1 FROM parcel_out LIMIT 1")
private let waitingItems = SQL(
    "\(outboxItems) WHERE o.account = ? AND o.chat IS ? AND o.seq > ? ORDER BY o.seq LIMIT ?")
private let waitingGroups = SQL(
    """
    SELECT g.id FROM group_chat AS g
    WHERE EXISTS (SELECT 1 FROM outbox AS o WHERE o.chat = g.number AND o.account = ?) ORDER BY g.number
    """)
private let waitingCopies = SQL(
    "SELECT count(*) FROM outbox WHERE shared = (SELECT shared FROM outbox WHERE account = ? AND seq = ?)")

/// The parcels of ours that couriers keep, or are to keep. Which items of the outbox are in one is a range of places
/// (docs/decisions/0093): an item that has left the outbox is simply not sealed again.
public enum SentParcels {
    // MARK: What is to go into one

    /// The items that wait for an account and belong to one group, or to none, in the order of sending.
    /// - Parameters:
    ///   - seq: the place of the last item that the caller has; 0 to begin.
    ///   - maximumBytes: the most bytes of all bodies of the page, except that one item always fits.
    public static func items(
        for account: AccountID, in group: UUIDv7?, after seq: Int64, limit: Int, maximumBytes: Int,
        _ transaction: ReadTransaction
    ) throws(StoreError) -> [OutboxRow] {
        guard let number = try transaction.keys.number(of: account.key) else { return [] }
        let chat = try group.map(transaction.knownGroupNumber)
        return try transaction.outboxRows(waitingItems, maximumBytes: maximumBytes, number, chat, seq, Int64(limit))
    }

    /// The groups that have something waiting for an account.
    public static func groups(
        for account: AccountID, _ transaction: ReadTransaction
    ) throws(StoreError) -> [UUIDv7] {
        guard let number = try transaction.keys.number(of: account.key) else { return [] }
        return try transaction.connection.rows(waitingGroups, number) { row throws(StoreError) in try row.identifier(0)
        }
    }

    /// For how many members a group's item still waits, with the one that has this place.
    public static func copies(of item: OutboxRow, _ transaction: ReadTransaction) throws(StoreError) -> Int {
        guard let number = try transaction.keys.number(of: item.account.key) else { return 0 }
        return Int(clamping: try transaction.connection.integer(waitingCopies, number, item.seq) ?? 0)
    }

    // MARK: Those that are given

    /// Notes a parcel that was put into the outbox for a courier.
    /// - Parameter group: the group to which what is in it belongs, which must be here; nil: it belongs to none.
    public static func note(
        _ row: SentParcelRow, in group: UUIDv7?, _ transaction: WriteTransaction
    ) throws(StoreError) {
        try transaction.connection.run(
            insertion, row.id, try transaction.number(row.courier), try transaction.number(row.recipient),
            row.places.lowerBound, row.places.upperBound, transaction.stamp, row.until, Int64(row.days),
            try group.map(transaction.knownGroupNumber))
    }

    /// A parcel that a courier was given.
    public static func parcel(
        _ id: UUIDv7, at courier: AccountID, _ transaction: ReadTransaction
    ) throws(StoreError) -> SentParcelRow? {
        guard let number = try transaction.keys.number(of: courier.key) else { return nil }
        return try transaction.connection.first(byID, number, id, read: sentRow(transaction))
    }

    /// All that are under way to a recipient, by their places.
    /// - Parameter group: the group to which what is in them belongs; nil for what two people say to each other.
    public static func all(
        to recipient: AccountID, in group: UUIDv7?, _ transaction: ReadTransaction
    ) throws(StoreError) -> [SentParcelRow] {
        guard let number = try transaction.keys.number(of: recipient.key) else { return [] }
        let chat = try group.map(transaction.knownGroupNumber)
        return try transaction.connection.rows(ofRecipient, number, chat, read: sentRow(transaction))
    }

    /// Whether a courier was given something for that recipient, so that it may bring an answer.
    public static func goes(
        to recipient: AccountID, by courier: AccountID, _ transaction: ReadTransaction
    ) throws(StoreError) -> Bool {
        guard let to = try transaction.keys.number(of: recipient.key),
            let by = try transaction.keys.number(of: courier.key)
        else { return false }
        if try transaction.connection.integer(goesBy, by, to) != nil { return true }
        return try SealedFiles.goes(to: to, by: by, transaction)
    }

    /// The courier of a parcel, by its number here.
    static func holder(_ number: Int64, _ transaction: ReadTransaction) throws(StoreError) -> Holder? {
        try transaction.connection.first(holderRow, number) { row throws(StoreError) in
            Holder(courier: try transaction.account(row.integer(0)), until: row.time(1))
        }
    }

    /// Notes which courier has brought a message whose item is still in the outbox, and has arrived: the one that says so,
    /// or the only one that was given it. If it may have been either of two, nothing is noted.
    public static func noteBringer(
        of id: UUIDv7, for account: AccountID, in transaction: WriteTransaction
    ) throws(StoreError) {
        let (connection, account) = (transaction.connection, try transaction.number(account))
        guard let place = try connection.place(of: id, for: account), let message = place.message else { return }
        let couriers = try connection.rows(bringerRows, account, place.seq) {
            (account: $0.integer(0), state: $0.integer(1))
        }
        guard let first = couriers.first, couriers.count == 1 || couriers[1].state < first.state else { return }
        try connection.run(bringerUpdate, first.account, message, account)
    }

    /// Notes how far a parcel is. The messages in it show who keeps them.
    public static func advance(_ row: SentParcelRow, in transaction: WriteTransaction) throws(StoreError) {
        try transaction.connection.run(
            stateUpdate, row.state.rawValue, row.until, transaction.stamp, try transaction.number(row.courier), row.id)
        try markMessages(of: row, in: transaction)
    }

    /// Forgets a parcel, and takes it out of the outbox if the courier hasn't got it. What is in it waits as if it had
    /// never been given to a courier.
    /// - Parameter keepingFiles: whether the courier has its files still, because what was in it has arrived.
    public static func forget(
        _ row: SentParcelRow, keepingFiles: Bool = false, in transaction: WriteTransaction
    ) throws(StoreError) {
        let courier = try transaction.number(row.courier)
        try transaction.connection.run(removal, courier, row.id)
        if !keepingFiles || row.state == .onItsWay {
            try SealedFiles.forgetSent(of: row.id, at: courier, in: transaction)
        }
        if row.state == .onItsWay { try withdraw(row.id, for: row.courier, in: transaction) }
        try markMessages(of: row, in: transaction)
    }

    /// Takes the items of one kind that are in a parcel out of the outbox.
    public static func remove(
        kind: UInt16, of row: SentParcelRow, in transaction: WriteTransaction
    ) throws(StoreError) {
        let account = try transaction.number(row.recipient)
        let found = try transaction.connection.rows(
            itemRows, account, row.places.lowerBound, row.places.upperBound, row.chat, kind
        ) { $0.integer(0) }
        for seq in found { try transaction.connection.run(itemRemoval, account, seq) }
    }

    /// Parcels that have nothing waiting any more.
    /// - Parameter recipient: nil for those to everybody.
    public static func empty(
        to recipient: AccountID? = nil, limit: Int, _ transaction: ReadTransaction
    ) throws(StoreError) -> [SentParcelRow] {
        guard try transaction.connection.integer(anyRow) != nil else { return [] }
        let read = sentRow(transaction)
        guard let recipient else { return try transaction.connection.rows(emptyRows, Int64(limit), read: read) }
        guard let number = try transaction.keys.number(of: recipient.key) else { return [] }
        return try transaction.connection.rows(emptyToRows, number, Int64(limit), read: read)
    }

    /// Parcels whose days are over, whose courier is no friend any more, or that the courier will never get.
    public static func ended(
        limit: Int, in transaction: WriteTransaction
    ) throws(StoreError) -> [SentParcelRow] {
        var rows = try transaction.connection.rows(strayedRows, Int64(limit), read: sentRow(transaction))
        for days in try transaction.connection.rows(spans, read: { $0.integer(0) }) {
            let age = Duration.seconds(days * 24 * 3600)
            rows += try transaction.connection.rows(
                endedRows, days, transaction.stamp(before: age), Int64(limit), read: sentRow(transaction))
        }
        return rows
    }

    /// Takes an item that carries no message out of the outbox.
    static func withdraw(
        _ id: UUIDv7, for account: AccountID, in transaction: WriteTransaction
    ) throws(StoreError) {
        try transaction.connection.run(withdrawal, try transaction.number(account), id)
        transaction.appended.removeAll { $0.account == account && $0.id == id }
    }

    private static func markMessages(of row: SentParcelRow, in transaction: WriteTransaction) throws(StoreError) {
        let account = try transaction.number(row.recipient)
        let messages = try transaction.connection.rows(
            carried, account, row.places.lowerBound, row.places.upperBound, row.chat
        ) { row throws(StoreError) in try row.identifier(0) }
        for message in messages { transaction.changed(message: message, .delivery) }
    }

    private static func sentRow(
        _ transaction: ReadTransaction
    ) -> (StoredRow) throws(StoreError) -> SentParcelRow {
        { row throws(StoreError) in
            let (first, last) = (row.integer(3), row.integer(4))
            guard let state = SentParcelRow.State(rawValue: row.integer(5)), first <= last else {
                throw .corrupt(detail: "a parcel that was sent")
            }
            var sent = SentParcelRow(
                id: try row.identifier(0), courier: try transaction.account(row.integer(1)),
                recipient: try transaction.account(row.integer(2)), places: first...last, state: state,
                until: row.time(6), days: Int(clamping: row.integer(7)))
            sent.chat = row.optionalInteger(8)
            return sent
        }
    }
}
