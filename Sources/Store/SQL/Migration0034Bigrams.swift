/// The index of bigrams: of messages in scripts that are written without spaces (docs/decisions/0077-bigrams.md). It stands
/// beside the index of words, whose rows and columns it has.
///
/// - It is given tokens with spaces between them (``BigramTokenizer``), so its own tokenizer only has to leave them as
///   they are. It keeps no texts: to take an entry out, the same tokens are made from the message again.
/// - `prefix='1'` lets a search for a single character read one list, too.
/// - `search_bigrams_indexed` in `meta` is the number of the last message that was looked at. Messages from before this
///   step are indexed piece by piece, in the background.
enum Migration0034Bigrams {
    static let sql = """
        CREATE VIRTUAL TABLE search_bigrams USING fts5(
            text, names, conversation, content='', columnsize=0, prefix='1', tokenize='ascii'
        );

        INSERT INTO meta (name, value) VALUES ('search_bigrams_indexed', 0);
        """
}
