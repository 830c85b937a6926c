/// The index of words.
///
/// - The texts stay where they are: the index reads them through the view, also for snippets. It holds nothing but
///   words and their places. `columnsize=0` is possible because results are not ranked.
/// - Its rows go by `message.number`, the order of arrival, so reading it backwards gives the newest first without
///   sorting.
/// - The column `conversation` holds one word, a character of the private use area with the conversation's number. A
///   search in one conversation is an intersection within the index, and no number in a text equals that word.
/// - `search_indexed` in `meta` is the number of the last message that was looked at. Messages from before this step
///   are indexed like all others, piece by piece.
/// - `search_deleted`, `search_purging`, `search_purged`: the number of deletions so far, at the beginning of the
///   running purge, and at the beginning of the last completed purge.
enum Migration0003Search {
    static let sql = """
        CREATE VIEW search_source AS
            SELECT number, text, names, char(0xE000) || conversation AS conversation
            FROM (
                SELECT m.number, m.text, m.conversation, (
                    SELECT group_concat(name, char(10))
                    FROM (SELECT name FROM transfer WHERE message = m.number ORDER BY number)
                ) AS names
                FROM message AS m WHERE m.deleted = 0
            )
            WHERE text <> '' OR names IS NOT NULL;

        CREATE VIRTUAL TABLE search USING fts5(
            text, names, conversation, content='search_source', content_rowid='number', columnsize=0,
            tokenize='unicode61 remove_diacritics 2'
        );

        INSERT INTO meta (name, value) VALUES
            ('search_indexed', 0), ('search_deleted', 0), ('search_purging', 0), ('search_purged', 0);
        """
}
