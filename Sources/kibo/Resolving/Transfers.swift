import Basics
import ControlProtocol

/// Finding a transfer by the beginning of its id or by its file's name.
enum Transfers {
    /// All transfers the daemon remembers, the newest first.
    static func all(_ client: ControlClient) throws -> [Transfer] {
        try Pages.all(client, "transfer.list", field: "transfers")
    }

    /// Transfers as candidates.
    ///
    /// - Parameter likely: which ones the command at hand is about.
    static func candidates(_ transfers: [Transfer], likely: (Transfer) -> Bool) -> [Candidate] {
        let short = ShortID.table(transfers.map(\.id), atLeast: ShortID.time)
        return transfers.map { transfer in
            Candidate(
                id: transfer.id, names: [transfer.name],
                label:
                    "\(short[transfer.id] ?? transfer.id)  \(Words.name(transfer.name))  \(Words.cell(transfer).text)",
                isLikely: likely(transfer))
        }
    }

    /// The transfer that a person means by a word.
    static func find(_ word: String, _ client: ControlClient, likely: (Transfer) -> Bool) throws -> Transfer {
        if UUIDv7(word) != nil {
            return try client.call("transfer.get", ["id": .string(word.lowercased())], as: Transfer.init(json:))
        }
        let transfers = try all(client)
        // A name means first of all what the command can be about, however many others had it.
        let waiting = candidates(transfers.filter(likely), likely: likely)
        let isWaiting = !Resolver.matches(word, among: waiting).isEmpty
        let candidate = try Resolver.resolve(
            word, among: isWaiting ? waiting : candidates(transfers, likely: likely), kind: "transfers",
            hint: "See: kibo transfers")
        guard let transfer = transfers.first(where: { $0.id == candidate.id }) else {
            throw Failure(.notFound, "No transfer matches \"\(word)\".")
        }
        return transfer
    }

    /// Whether a transfer waits to be taken.
    static func isWaiting(_ transfer: Transfer) -> Bool {
        transfer.direction == .incoming && transfer.state == .offered
    }
}
