/// Where a text may be cut: between the characters that people see.
enum WholeCharacters {
    /// A character with more scalars (a letter under a heap of marks) may be cut through.
    private static let longest = 32

    /// The last place at or before `place` at which a character begins.
    static func boundary(at place: Int, in scalars: ArraySlice<Unicode.Scalar>) -> Int {
        guard place > scalars.startIndex, place < scalars.endIndex else { return place }
        // A character begins at each sign of ASCII, so the search starts at one.
        var end = place
        while end > scalars.startIndex, !(0x20..<0x7F ~= scalars[end].value) { end -= 1 }
        var part = String.UnicodeScalarView()
        part.append(contentsOf: scalars[end...place])
        for character in String(part) {
            let next = end + character.unicodeScalars.count
            if next > place { break }
            end = next
        }
        return place - end < longest ? end : place
    }
}
