/// Ids as they are shown where a whole one would not fit.
enum ShortID {
    /// The beginning of an account id; enough to tell accounts apart (40 bits).
    static func account(_ id: String) -> String { String(id.prefix(13)) }

    /// Characters of an id that is made of the time (UUIDv7) up to the millisecond, hyphen included: hardly any other begins
    /// like it, shown or not.
    static let time = 13

    /// For each id, the shortest beginning of at least that many characters that no other of them has.
    static func table(_ ids: [String], atLeast shortest: Int = 8) -> [String: String] {
        let sorted = ids.sorted()
        var table: [String: String] = [:]
        for (index, id) in sorted.enumerated() {
            let before = index > 0 ? common(id, sorted[index - 1]) : 0
            let after = index + 1 < sorted.count ? common(id, sorted[index + 1]) : 0
            table[id] = String(id.prefix(max(shortest, max(before, after) + 1)))
        }
        return table
    }

    private static func common(_ left: String, _ right: String) -> Int {
        zip(left, right).prefix { $0 == $1 }.count
    }
}
