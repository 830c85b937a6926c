/// Offers of types that are not on the receiver's list.
///
/// - `unlisted`: the types that the offer names, with commas between them and one behind the last; an empty one means files
///   without a type. NULL: none.
/// - `held_back`: 1 the receiver holds the offer back because of them.
enum Migration0023HeldBack {
    static let sql = """
        ALTER TABLE transfer ADD COLUMN unlisted TEXT;
        ALTER TABLE transfer ADD COLUMN held_back INTEGER NOT NULL DEFAULT 0;
        """
}
