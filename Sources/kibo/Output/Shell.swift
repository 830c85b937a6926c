import Basics

/// Words as a shell wants them, for hints that people copy.
enum Shell {
    /// A command line of these words.
    static func line(_ words: [String]) -> String { words.map(quoted).joined(separator: " ") }

    /// In single quotes unless it is plain letters and the like. Signs that a terminal must not get are written by their
    /// bytes in `$'…'`, which bash, zsh, ksh and POSIX.1-2024 know.
    static func quoted(_ word: String) -> String {
        let isPlain =
            !word.isEmpty
            && word.utf8.allSatisfy { byte in
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || "-_./:@%+".utf8.contains(byte)
            }
        if isPlain { return word }
        if word.unicodeScalars.contains(where: { ForeignText.isHostile($0, multiline: false) }) { return byBytes(word) }
        return "'" + word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }

    private static func byBytes(_ word: String) -> String {
        var out = ""
        for scalar in word.unicodeScalars {
            if ForeignText.isHostile(scalar, multiline: false) {
                for byte in String(scalar).utf8 { out += "\\x" + Hex.encode([byte]) }
            } else {
                if scalar == "'" || scalar == "\\" { out += "\\" }
                out.unicodeScalars.append(scalar)
            }
        }
        return "$'\(out)'"
    }
}
