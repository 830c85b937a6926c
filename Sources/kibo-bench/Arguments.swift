import Basics

/// The command and its options. Each option is taken once, and an argument left over is an error.
struct Arguments {
    static let usage = """
        usage: kibo-bench messages [--latencies N] [--throughput N] [--rounds N] [--contender NAME=COMMAND]…
               kibo-bench files [--mebibytes N] [--rounds N] [--directory DIR] [--contender NAME=COMMAND]…
               kibo-bench tree [--files N] [--bytes N] [--rounds N] [--directory DIR] [--contender NAME=COMMAND]…
               kibo-bench chat [--mebibytes N] [--messages N] [--rounds N] [--directory DIR]
               kibo-bench idle [--starts N] [--seconds N]
               kibo-bench discovery [--hosts N] [--listeners N] [--seconds N] [--seed N]
               kibo-bench veil [--friends N]
               kibo-bench gathering [--members N] [--messages N]
               kibo-bench lan [--daemons N] [--rounds N] [--seconds N]
               kibo-bench hostile [--seconds N] [--only garbage|devices|forged|peerExchange|connects|slow|strangers|frames|messages]
               kibo-bench cache [--messages N] [--conversations N] [--rounds N]
               kibo-bench groups [--members N] [--entries N] [--messages N]
               kibo-bench history [--messages N] [--conversations N] [--calls N] [--starts N] [--keep DIR | --reuse DIR]
        A contender's command is run by sh. For files and trees it has $SOURCE and $DESTINATION, where its copy has to be;
        for messages $LATENCIES, $THROUGHPUT and $WINDOW, and it prints p50=MILLISECONDS p99=MILLISECONDS rate=PER_SECOND.
        --keep leaves a copy of the history in DIR; --reuse measures such a copy, which stays as it is.
        The daemon is the one in $KIBO_BIN_DIR, else the one beside this program.
        """

    /// Arguments that make no sense, with a text for the user.
    struct Misuse: Error, CustomStringConvertible {
        let description: String
    }

    let command: String
    private var words: [String]

    init(_ words: some Sequence<String>) {
        let all = Array(words)
        command = all.first ?? ""
        self.words = Array(all.dropFirst())
    }

    mutating func text(_ option: String, default fallback: String) throws(Misuse) -> String {
        try take(option) ?? fallback
    }

    /// The path of a directory; nil if the option is missing.
    mutating func directory(_ option: String) throws(Misuse) -> String? {
        guard let text = try take(option) else { return nil }
        guard !text.isEmpty else { throw Misuse(description: "\(option) needs a directory") }
        return text
    }

    /// A number, at least 1.
    mutating func number(_ option: String, default fallback: Int) throws(Misuse) -> Int {
        guard let text = try take(option) else { return fallback }
        guard let number = Int(text), number > 0 else {
            throw Misuse(description: "\(option) needs a number from 1 on, not \(text)")
        }
        return number
    }

    mutating func contenders() throws(Misuse) -> [Contender] {
        var contenders: [Contender] = []
        while let text = try take("--contender") {
            guard let equals = text.firstIndex(of: "="), equals != text.startIndex else {
                throw Misuse(description: "--contender needs NAME=COMMAND, not \(text)")
            }
            contenders.append(
                Contender(name: String(text[..<equals]), command: String(text[text.index(after: equals)...])))
        }
        return contenders
    }

    /// The attack named after the command, with its target.
    mutating func attacker() throws -> Attacker {
        let name = words.isEmpty ? "" : words.removeFirst()
        guard let attack = Attack(rawValue: name) else { throw Misuse(description: "no such attack: \(name)") }
        let text = try text("--target", default: "")
        guard let target = SocketAddress(text) else { throw Misuse(description: "no address: \(text)") }
        let port = try UInt16(clamping: number("--announce", default: 1))
        let attacker = try Attacker(
            attack: attack, target: target, port: port, seconds: number("--seconds", default: 10))
        try finish()
        return attacker
    }

    /// Fails if arguments are left over. Call it when all options are taken.
    func finish() throws(Misuse) {
        if let word = words.first { throw Misuse(description: "what is \(word)?\n\(Self.usage)") }
    }

    private mutating func take(_ option: String) throws(Misuse) -> String? {
        guard let index = words.firstIndex(of: option) else { return nil }
        guard index + 1 < words.count else { throw Misuse(description: "\(option) needs a value") }
        let value = words[index + 1]
        words.removeSubrange(index...index + 1)
        return value
    }
}

/// Another program that does the same work, for comparison.
struct Contender {
    let name: String
    let command: String
}
