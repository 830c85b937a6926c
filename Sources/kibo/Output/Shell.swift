/// Words as a shell wants them, for hints that people copy.
enum Shell {
    /// A command line of these words.
    static func line(_ words: [String]) -> String { words.map(quoted).joined(separator: " ") }

    /// In single quotes unless it is plain letters and the like.
    static func quoted(_ word: String) -> String {
        let isPlain =
            !word.isEmpty
            && word.utf8.allSatisfy { byte in
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || "-_./:@%+".utf8.contains(byte)
            }
        if isPlain { return word }
        return "'" + word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }
}
