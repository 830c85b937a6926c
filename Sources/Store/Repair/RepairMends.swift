import Basics

/// Makes the rows that a repair has saved agree with each other. It works on a database of today's schema, whose foreign keys
/// are not enforced meanwhile.
struct RepairMends {
    let connection: Connection

    /// Columns that name a row without which their own row would mean something else. That row is removed too, although
    /// the column may be empty.
    private static let meaning: Set<String> = ["outbox.shared", "log_wait.device"]

    // MARK: Putting rows together again

    /// Puts rows together again from what the table `part` has of them.
    func rebuild(_ report: inout RepairReport, now: WallTime) throws(StoreError) {
        report["key"].rebuilt += try run(
            """
            INSERT OR IGNORE INTO key (number, bytes)
            SELECT number, value FROM part WHERE owner = 'key' AND typeof(value) = 'blob' AND length(value) = 32
            """)
        // A friend stays a friend, and a blocked account blocked; how far the numbers were compared is lost.
        report["contact"].rebuilt += try run(
            """
            INSERT OR IGNORE INTO contact
                (account, display_name, alias, status_text, relation, trust, note, card_version, created_at, named_at, said)
            SELECT p.number, '', '', '', CASE WHEN p.value IN (3, 4) THEN p.value ELSE 0 END, 0, '', 0,
                \(now.milliseconds), \(now.milliseconds), CASE p.value WHEN 3 THEN 2 ELSE 0 END
            FROM part AS p WHERE p.owner = 'contact' AND typeof(p.value) = 'integer'
                AND EXISTS (SELECT 1 FROM key WHERE number = p.number)
            """)
        try rebuildConversations(&report, now: now)
        if !report["contact"].isWhole {
            report["contact"].rebuilt += try run(
                """
                INSERT OR IGNORE INTO contact
                    (account, display_name, alias, status_text, relation, trust, note, card_version, created_at, named_at)
                SELECT contact, '', '', '', 0, 0, '', 0, \(now.milliseconds), \(now.milliseconds) FROM conversation
                WHERE contact IN (SELECT number FROM key) AND contact NOT IN (SELECT account FROM account)
                """)
        }
        for name in ["key", "contact", "conversation"] {
            report[name].lost = max(0, report[name].lost - report[name].rebuilt)
        }
    }

    private static let lostConversations = SQL(
        """
        SELECT number, max(CASE name WHEN 'id' THEN value END), max(CASE name WHEN 'contact' THEN value END),
            max(CASE name WHEN 'group_id' THEN value END)
        FROM part WHERE owner = 'conversation' AND number NOT IN (SELECT number FROM conversation) GROUP BY number
        UNION ALL
        SELECT DISTINCT conversation, NULL, NULL, NULL FROM message
        WHERE conversation NOT IN (SELECT number FROM conversation)
            AND conversation NOT IN (SELECT number FROM part WHERE owner = 'conversation')
        """)
    private static let people = SQL(
        """
        SELECT sender FROM message WHERE conversation = ?1 AND state = 5
        UNION SELECT r.account FROM recipient AS r JOIN message AS m ON m.number = r.message WHERE m.conversation = ?1
        """)
    /// The own account, if there are messages that went to nobody.
    private static let noter = SQL(
        """
        SELECT sender FROM message WHERE conversation = ?1 AND state = 1 AND sender IN (SELECT account FROM account)
            AND NOT EXISTS (SELECT 1 FROM recipient WHERE message = message.number) LIMIT 1
        """)
    private static let lastActivity = SQL("SELECT max(received_at) FROM message WHERE conversation = ?")
    private static let conversationInsertion = SQL(
        """
        INSERT OR IGNORE INTO conversation (number, id, kind, contact, group_id, title, updated_at)
        VALUES (?, ?, ?, ?, ?, coalesce((SELECT name FROM group_chat WHERE id = ?5), ''), ?)
        """)
    private static let conversationWith = SQL("SELECT number FROM conversation WHERE contact = ?")
    private static let moving = SQL("UPDATE OR IGNORE message SET conversation = ? WHERE conversation = ?")

    /// Restores conversations whose messages are still there, so that the messages aren't lost. An index or the
    /// messages show who a conversation is with.
    private func rebuildConversations(_ report: inout RepairReport, now: WallTime) throws(StoreError) {
        let lost = try connection.rows(Self.lostConversations) { row in
            (
                number: row.integer(0), id: row.optionalBytes(1), contact: row.optionalInteger(2),
                group: row.optionalBytes(3)
            )
        }
        var random = SystemRandomNumberGenerator()
        for entry in lost {
            var contact = entry.contact
            if contact == nil, entry.group == nil {
                let people = try connection.rows(Self.people, entry.number) { $0.integer(0) }
                contact = people.count == 1 ? people.first : nil
                if people.isEmpty, report["recipient"].isWhole {
                    contact = try connection.integer(Self.noter, entry.number)
                }
                guard contact != nil else { continue }
                if let contact, let conversation = try connection.integer(Self.conversationWith, contact) {
                    try connection.run(Self.moving, conversation, entry.number)
                    continue
                }
            }
            let id = entry.id.flatMap { $0.count == 16 ? $0 : nil } ?? UUIDv7(at: now, using: &random).bytes
            let at = try connection.integer(Self.lastActivity, entry.number) ?? now.milliseconds
            report["conversation"].rebuilt += try connection.run(
                Self.conversationInsertion, entry.number, id, entry.group == nil ? 0 as Int64 : 1, contact, entry.group,
                at)
        }
    }

    // MARK: Agreement

    /// Removes rows that refer to lost rows, and computes again what follows from other rows.
    func agree(_ report: inout RepairReport) throws(StoreError) {
        try dropGroups(&report)
        try dropOrphans(&report)
        if !report["transfer_page"].isWhole || !report["transfer_run"].isWhole {
            // Half a list of files misleads; the peers give it again.
            for table in ["transfer_page", "transfer_run"] {
                _ = try run(
                    "DELETE FROM \(table) WHERE transfer IN (SELECT number FROM transfer WHERE state <> 4)")
            }
            _ = try run("UPDATE transfer SET bytes_done = 0, files_done = 0 WHERE state <> 4 AND direction = 0")
        }
        try agreeOnOutbox(&report)
        if !report["outbox"].isWhole || !report["outbox_body"].isWhole || !report["recipient"].isWhole {
            try failUnsent()
        }
        _ = try run(
            """
            UPDATE conversation SET
                unread = (SELECT count(*) FROM message AS m WHERE m.conversation = conversation.number AND m.unread = 1),
                last_hlc = max(last_hlc, coalesce(
                    (SELECT max(m.hlc) FROM message AS m WHERE m.conversation = conversation.number), 0)),
                last_message = (
                    SELECT m.number FROM message AS m WHERE m.conversation = conversation.number
                    ORDER BY m.hlc DESC, m.id DESC LIMIT 1)
            """)
    }

    private static let outboxCount = SQL("SELECT count(*) FROM outbox")
    private static let brokenGroups = SQL(
        """
        SELECT g.number, g.name FROM group_chat AS g WHERE g.state < 4
            AND g.entries <> (SELECT count(*) FROM group_entry AS e WHERE e.chat = g.number)
        """)
    private static let groupRemoval = SQL("DELETE FROM group_chat WHERE number = ?")

    /// Removes a group that lacks some of its membership entries, because it can't be judged. Its conversation stays,
    /// and the group comes back from a friend who is in it.
    private func dropGroups(_ report: inout RepairReport) throws(StoreError) {
        for (number, name) in try connection.rows(Self.brokenGroups, read: { ($0.integer(0), $0.text(1)) }) {
            try connection.run(Self.groupRemoval, number)
            report.groups.append(name)
            report["group_chat"].saved -= 1
            report["group_chat"].leftOut += 1
        }
    }

    private static let references = SQL(
        """
        SELECT t.name, f."table", f."from", coalesce(f."to", 'rowid'), f.on_delete,
            (SELECT c."notnull" OR c.pk > 0 FROM pragma_table_info(t.name) AS c WHERE c.name = f."from")
        FROM pragma_table_list AS t JOIN pragma_foreign_key_list(t.name) AS f
        WHERE t.schema = 'main' AND t.type = 'table'
        """)

    private func dropOrphans(_ report: inout RepairReport) throws(StoreError) {
        let references = try connection.rows(Self.references) { row in
            (
                table: row.text(0), parent: row.text(1), column: row.text(2), target: row.text(3),
                action: row.text(4), isNeeded: row.flag(5)
            )
        }
        var isChanged = true
        while isChanged {
            isChanged = false
            for reference in references {
                let condition = """
                    WHERE \(reference.column) IS NOT NULL AND NOT EXISTS (
                        SELECT 1 FROM \(reference.parent) AS parent WHERE parent.\(reference.target) = \(reference.table).\(reference.column))
                    """
                let goes =
                    reference.isNeeded || reference.action == "CASCADE"
                    || Self.meaning.contains("\(reference.table).\(reference.column)")
                let count = try run(
                    goes
                        ? "DELETE FROM \(reference.table) \(condition)"
                        : "UPDATE \(reference.table) SET \(reference.column) = NULL \(condition)")
                guard count > 0 else { continue }
                isChanged = true
                guard goes else { continue }
                report[reference.table].saved -= count
                report[reference.table].leftOut += count
            }
        }
    }

    /// Makes items and recipients agree: an item and the recipient that knows its place must know of each other, or
    /// neither would ever leave.
    private func agreeOnOutbox(_ report: inout RepairReport) throws(StoreError) {
        let unknown = """
            id IS NULL AND NOT EXISTS (
                SELECT 1 FROM recipient AS r
                WHERE r.message = outbox.message AND r.account = outbox.account AND r.queued = outbox.seq)
            """
        _ = try run(
            "UPDATE OR IGNORE outbox SET id = (SELECT coalesce(wire, id) FROM message WHERE number = outbox.message) WHERE \(unknown)"
        )
        _ = try run(
            """
            DELETE FROM outbox WHERE \(unknown)
                OR (message IS NOT NULL AND NOT EXISTS (SELECT 1 FROM message WHERE number = outbox.message))
            """)
        // Triggers have removed some more.
        let kept = Int(try connection.integer(Self.outboxCount) ?? 0)
        report["outbox"].leftOut += report["outbox"].saved - kept
        report["outbox"].saved = kept
        _ = try run(
            """
            UPDATE recipient SET queued = NULL WHERE queued IS NOT NULL AND NOT EXISTS (
                SELECT 1 FROM outbox AS o
                WHERE o.account = recipient.account AND o.seq = recipient.queued AND o.id IS NULL
                    AND o.message = recipient.message)
            """)
    }

    /// Fails messages that would wait for ever: better that they say so. A note waits for nobody.
    private func failUnsent() throws(StoreError) {
        let direct = """
            EXISTS (SELECT 1 FROM message AS m JOIN conversation AS c ON c.number = m.conversation
                WHERE m.number = recipient.message AND c.kind = 0)
            """
        _ = try run(
            """
            UPDATE recipient SET state = 4, reason = 'internal' WHERE state < 2 AND queued IS NULL AND \(direct)
                AND NOT EXISTS (
                    SELECT 1 FROM outbox AS o WHERE o.id IS NOT NULL AND o.message = recipient.message
                        AND o.account = recipient.account)
            """)
        _ = try run(
            """
            UPDATE message SET state = 4, reason = 'internal', detail = 'lost with a damaged database'
            WHERE state < 2 AND conversation IN (
                    SELECT number FROM conversation WHERE kind = 0 AND contact IS NOT (SELECT account FROM account))
                AND NOT EXISTS (SELECT 1 FROM recipient AS r WHERE r.message = message.number AND r.state <> 4)
            """)
    }

    // MARK: Numbers

    /// Moves all numbers that clients and peers have seen past the lost ones. The data count as an older copy
    /// (docs/decisions/0032-copies-of-the-data.md): what others know better comes from them.
    /// - Parameter isCopy: whether the data were used further elsewhere, so that any number may have been given since.
    func goOn(
        _ report: RepairReport, behind last: (seq: Int64, at: Int64), now: WallTime, isCopy: Bool = false
    ) throws(StoreError) {
        let at = (1...max(1, now.milliseconds)).contains(last.at) ? last.at : now.milliseconds
        // No earlier epoch is known any more, so each client is told to read everything again.
        _ = try run(
            """
            INSERT INTO event (seq, at, change, object)
            SELECT max(\(last.seq), coalesce((SELECT max(acknowledged) FROM consumer), 0)) + \(StoreLimits.repairedEvents),
                \(at), 1, x'00'
            """)
        if isCopy || !report["message"].isWhole || !report["meta"].isWhole {
            _ = try run(
                """
                INSERT INTO meta (name, value)
                SELECT 'last_message', max(
                    coalesce((SELECT max(number) FROM message), 0),
                    coalesce((SELECT value FROM meta WHERE name = 'last_message'), 0)) + \(StoreLimits.repairedMessages)
                WHERE true ON CONFLICT (name) DO UPDATE SET value = excluded.value
                """)
        }
        if !report["meta"].isWhole {
            // Friends may have a key of a greater number than that of a device that is new.
            let minutes = max(2, now.milliseconds / 60_000)
            _ = try run(
                """
                INSERT INTO meta (name, value) VALUES ('discovery_key', \(minutes))
                ON CONFLICT (name) DO UPDATE SET value = max(value, excluded.value)
                """)
        }
    }

    // MARK: The proof

    private static let violations = SQL("SELECT count(*) FROM pragma_foreign_key_check")
    private static let integrity = SQL("PRAGMA integrity_check(1)")

    /// - Throws: ``StoreError/corrupt(detail:)`` if the new database is not sound, which would be an error of the repair.
    func check() throws(StoreError) {
        if let count = try connection.integer(Self.violations), count > 0 {
            throw .corrupt(detail: "\(count) rows name rows that are missing")
        }
        let lines = try connection.rows(Self.integrity) { $0.text(0) }
        guard lines == ["ok"] else { throw .corrupt(detail: lines.first ?? "no answer") }
    }

    private func run(_ text: String) throws(StoreError) -> Int { try connection.run(SQL(text)) }
}
