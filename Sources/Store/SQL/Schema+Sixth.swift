/// The sixth step: which courier brought a message is remembered.
extension Schema {
    static let sixth = """
        -- The courier that has brought the message; NULL if none has, or if it isn't known which.
        ALTER TABLE recipient ADD COLUMN courier INTEGER REFERENCES key;
        """
}
