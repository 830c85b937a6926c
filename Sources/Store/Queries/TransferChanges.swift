import Basics
import Vocabulary

private let insertion = SQL(
    """
    INSERT INTO transfer
        (id, direction, peer, conversation, message, name, size, bytes_done, files, files_done, state, reason, detail,
        path, kind, media_type, created_at, finished_at, part_path, final_ino, manifest_digest, duration,
        unlisted, wire)
    VALUES (?1, ?2, ?3, ?4, (SELECT number FROM message WHERE id = ?5), ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15,
        ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24)
    ON CONFLICT (id) DO NOTHING
    """)
private let knownTransfer = SQL(
    """
    SELECT 1 FROM transfer WHERE id = ?1 AND peer = ?2 AND direction = ?3 AND wire IS NULL
    UNION ALL SELECT 1 FROM transfer WHERE wire = ?1 AND peer = ?2 AND direction = ?3 LIMIT 1
    """)
// The service of transfers also uses the ids of files that we keep for others, and of ours that couriers keep.
private let taken = SQL(
    """
    SELECT 1 FROM transfer WHERE id = ?1 UNION ALL SELECT 1 FROM sealed_file WHERE id = ?1
    UNION ALL SELECT 1 FROM sealed_file_out WHERE id = ?1 LIMIT 1
    """)
private let change = SQL(
    """
    UPDATE transfer SET
        name = ?, size = ?, bytes_done = ?, files = ?, files_done = ?, state = ?, reason = ?, detail = ?, path = ?,
        finished_at = ?, part_path = ?, final_ino = ?, manifest_digest = ?
    WHERE id = ?
    """)
private let standingOf = SQL("SELECT state, paused_by FROM transfer WHERE id = ?")
private let messageOfOtherName = SQL(
    "SELECT m.id FROM transfer AS t JOIN message AS m ON m.number = t.message WHERE t.id = ? AND t.name <> ?")
private let progress = SQL(
    "UPDATE transfer SET bytes_done = ?, files_done = ?, last_progress_at = ? WHERE id = ?")

extension TransferRow {
    /// Types as they are stored.
    static func text(_ types: [String]) -> String { types.map { $0 + "," }.joined() }

    static func types(_ text: String) -> [String] {
        text.split(separator: ",", omittingEmptySubsequences: false).dropLast().map(String.init)
    }
}

extension WriteTransaction {
    /// Stores a new transfer as ``place(_:)`` does, for callers that know that its id is new.
    @discardableResult
    public func insert(_ row: TransferRow) throws(StoreError) -> Insertion {
        var row = row
        return try place(&row)
    }

    /// Stores a new transfer. A repeat (same peer, same direction) changes nothing. If another account's transfer
    /// or a parcel's file has the id, this one gets another id here and keeps its own as ``TransferRow/wire``.
    /// - Throws: ``StoreError/missing(_:)`` for an unknown conversation.
    public func place(_ row: inout TransferRow) throws(StoreError) -> Insertion {
        var conversation: Int64?
        if let id = row.conversation {
            conversation = try conversationNumber(id)
            if conversation == nil { throw .missing(.conversation(id)) }
        }
        let peer = try number(row.peer)
        guard try connection.integer(knownTransfer, row.id, peer, row.direction) == nil else { return .duplicate }
        if try connection.integer(taken, row.id) != nil { (row.wire, row.id) = (row.id, freshID()) }
        let count = try reindexing(row.message) { () throws(StoreError) in
            try connection.run(
                insertion, row.id, row.direction, peer, conversation, row.message, row.name, row.size, row.bytesDone,
                row.files, row.filesDone, row.state, row.reason, row.detail, row.path, row.kind, row.mediaType,
                row.createdAt, row.finishedAt, row.partPath,
                row.finalIno.map { Int64(bitPattern: $0) }, row.manifestDigest, row.duration,
                row.unlisted.isEmpty ? nil : TransferRow.text(row.unlisted), row.wire)
        }
        guard count == 1 else { return .duplicate }
        try insertRoot(of: row)
        try saveLife(of: row)
        // An offer waits for somebody's answer.
        markTransfer(row.id, .insert, message: row.message, isForShells: row.state != .offered)
        return .inserted
    }

    /// Stores what can change of an existing transfer: all but id, direction, peer, conversation, message, kind, media
    /// type and createdAt. If its state or pause is another one, ``CommitRecord/rows`` tells of it.
    /// - Parameter isKnown: whether the change comes from where transfers run, so that nobody there need be told.
    /// - Throws: ``StoreError/missing(_:)``.
    public func update(_ row: TransferRow, isKnown: Bool = false) throws(StoreError) {
        let before: [Int64] = isKnown ? [] : try standing(of: row.id)
        let renamed = try connection.first(messageOfOtherName, row.id, row.name) { found throws(StoreError) in
            try found.identifier(0)
        }
        let count = try reindexing(renamed) { () throws(StoreError) in
            try connection.run(
                change, row.name, row.size, row.bytesDone, row.files, row.filesDone, row.state, row.reason, row.detail,
                row.path, row.finishedAt, row.partPath,
                row.finalIno.map { Int64(bitPattern: $0) }, row.manifestDigest, row.id)
        }
        guard count == 1 else { throw .missing(.transfer(row.id)) }
        try saveLife(of: row)
        let now: [Int64] = isKnown ? [] : try standing(of: row.id)
        markTransfer(row.id, .update, message: row.message, isForShells: now != before)
    }

    /// The state of a transfer and who has paused it, as they are stored.
    private func standing(of id: UUIDv7) throws(StoreError) -> [Int64] {
        try connection.first(standingOf, id) { row in [row.integer(0), row.integer(1)] } ?? []
    }

    /// Stores the progress of a transfer. Makes no event: progress has its own, which are not kept.
    /// - Throws: ``StoreError/missing(_:)``.
    public func setProgress(of id: UUIDv7, bytesDone: Int64, filesDone: Int64) throws(StoreError) {
        guard try connection.run(progress, bytesDone, filesDone, wallTime, id) == 1 else {
            throw .missing(.transfer(id))
        }
    }

    /// A message shows its attachments, so it changes with them.
    private func markTransfer(_ id: UUIDv7, _ change: ChangeKind, message: UUIDv7?, isForShells: Bool) {
        changed(.transfer(id), change, for: isForShells ? .all : .clients)
        if let message { changed(message: message, .attachments) }
    }
}
