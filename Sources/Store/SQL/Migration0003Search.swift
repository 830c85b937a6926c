/// The index of words.
///
/// - The texts stay where they are: the index reads them through the view, also for snippets. What it holds beyond words
///   and their places is nothing, so that `columnsize=0`: nobody ranks.
/// - Its rows go by `message.number`, the order of arrival: the newest first is the index backwards, no sorting.
/// - The column `conversation` holds one word, a character of the private use area with the conversation's number: a
///   search in one conversation is an intersection within the index, and no number in a text is ever that word.
/// - `search_indexed` in `meta` is the number of the last message that was looked at. What was there before this step is
///   indexed as everything else is, a piece at a time.
/// - `search_deleted`, `search_purging`, `search_purged`: how many deletions there were in all, when the running purge
///   began, and when the last one ended that was completed.
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
