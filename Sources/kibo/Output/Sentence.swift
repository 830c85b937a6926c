/// Errors as sentences. The interface has them as clauses: `there is no such message`.
enum Sentence {
    /// The words with which a clause may begin, and no name does.
    private static let beginnings: Set<String> = [
        "a", "all", "an", "another", "at", "from", "give", "it", "its", "nothing", "no", "not", "only", "some",
        "several",
        "such", "nobody", "something", "standard", "files", "pictures", "codes",
        "that", "the", "there", "these", "this", "those", "too", "unexpected", "what", "you", "your",
    ]

    /// With a capital letter, unless it begins with a name, and a full stop, unless it has an end already.
    static func of(_ clause: String) -> String {
        let first = clause.prefix { !$0.isWhitespace }
        var sentence = clause
        if beginnings.contains(String(first)) { sentence = clause.capitalizedFirst }
        guard let last = sentence.last, !".!?…:\n".contains(last) else { return sentence }
        return sentence + "."
    }
}
