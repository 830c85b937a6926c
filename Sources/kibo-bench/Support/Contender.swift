import Arguments

/// Another program that does the same work, for comparison.
struct Contender {
    let name: String
    let command: String

    static func all(_ arguments: ParsedArguments) throws(ArgumentParser.Problem) -> [Contender] {
        var contenders: [Contender] = []
        for text in arguments.values("--contender") {
            let contender = try ParsedArguments.read(text, of: "--contender", expected: "NAME=COMMAND") { text in
                guard let equals = text.firstIndex(of: "="), equals != text.startIndex else { return Contender?.none }
                return Contender(name: String(text[..<equals]), command: String(text[text.index(after: equals)...]))
            }
            contenders.append(contender)
        }
        return contenders
    }
}
