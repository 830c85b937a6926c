import CSQLite

/// Splits texts into words exactly as the index does, with the index's own tokenizer and the same options.
final class Tokenizer {
    private let handle: OpaquePointer
    private let functions: fts5_tokenizer

    /// - Throws: ``StoreError/sql(code:detail:)`` if SQLite has no FTS5 or no memory.
    init(_ connection: Connection) throws(StoreError) {
        var functions = fts5_tokenizer()
        guard let handle = kibo_sqlite_tokenizer(connection.handle, &functions) else {
            throw .sql(code: SQLITE_ERROR, detail: "there is no tokenizer")
        }
        (self.handle, self.functions) = (handle, functions)
    }

    deinit { functions.xDelete?(handle) }

    /// A word in the index's form, and its bytes in the text. The bytes are valid during the call only.
    typealias Visitor = (_ word: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) -> Bool

    /// Calls `visit` with each word in order, until it returns false.
    func words(of text: [UInt8], _ visit: Visitor) {
        withoutActuallyEscaping(visit) { visit in
            var visitor: Visitor = visit
            withUnsafeMutablePointer(to: &visitor) { context in
                text.withUnsafeBytes { bytes in
                    _ = functions.xTokenize?(
                        handle, context, FTS5_TOKENIZE_AUX, bytes.bindMemory(to: CChar.self).baseAddress,
                        Int32(clamping: bytes.count)
                    ) { context, _, word, count, start, end in
                        guard let context, let word else { return SQLITE_OK }
                        let bytes = UnsafeRawBufferPointer(start: word, count: Int(count))
                        let visit = context.assumingMemoryBound(to: Visitor.self).pointee
                        let goesOn = visit(bytes.bindMemory(to: UInt8.self), Int(start)..<max(Int(start), Int(end)))
                        return goesOn ? SQLITE_OK : SQLITE_DONE
                    }
                }
            }
        }
    }
}
