import Basics
import ControlProtocol
import Crypto
import Messaging
import Reactor
import Store

/// Compares safety numbers: whether a contact is the person that the user means.
@ReactorActor struct TrustHandlers: MethodArea {
    let base: MethodBase

    var methods: [String: Method] {
        [
            "contact.safetyNumber": { parameters, _ in try await safetyNumber(parameters) },
            "contact.verify": { parameters, _ in try await verify(parameters).json },
        ]
    }

    /// The number that both sides compare, and a code for the other side to scan.
    private func safetyNumber(_ parameters: Parameters) async throws -> JSONValue {
        let own = try requireAccount()
        let contact = try await comparedContact(parameters)
        let number = try await number(own.id, contact.account)
        // The code is our link: it tells the other side our account and the number, and both must be right.
        let link = ContactLink(account: own.id, safetyNumber: number)
        return ["number": .string(number.digits), "qr": .string(try QRDrawing.text(of: link))]
    }

    private func verify(_ parameters: Parameters) async throws -> Contact {
        let own = try requireAccount()
        let contact = try await comparedContact(parameters)
        if let text = parameters.optionalString("number") {
            let number = try await number(own.id, contact.account)
            try Self.compare(text, with: number, of: contact, own: own.id)
        }
        let id = contact.account
        let row = try await store.commit { transaction in
            guard var row = try transaction.contact(id) else { throw MessagingError.notAmongContacts(id) }
            guard row.trust != .verified else { return row }
            ContactTrust.settle(&row, as: .verified)
            try transaction.save(row)
            return row
        }
        return composer.contact(row)
    }

    /// - Throws: a refusal of kind `invalid` that says whether the text is no number at all or another one.
    private static func compare(
        _ text: String, with number: SafetyNumber, of contact: ContactRow, own: AccountID
    ) throws {
        let name = ForeignText.escaped(contact.displayName)
        let isRight: Bool
        if text.lowercased().hasPrefix("kibo:") {
            let link: ContactLink
            do { link = try ContactLink(text) } catch {
                throw ControlError(
                    .invalid, "this is not a Kibo link: \(error.message)", hint: .giveLink, field: "number")
            }
            guard link.account != own else {
                throw ControlError(.invalid, "that is your own link", hint: .scanTheirLink, field: "number")
            }
            // A link without a number names the right account, which is enough. A number in it also shows that the
            // other side has ours.
            isRight = link.account == contact.account && link.safetyNumber.map { $0 == number } ?? true
        } else {
            guard let given = SafetyNumber(text) else {
                throw ControlError(
                    .invalid, "a safety number has \(CryptoLimits.safetyNumberDigits) digits, and this has not",
                    hint: .giveSafetyNumber, field: "number")
            }
            isRight = given == number
        }
        guard !isRight else { return }
        throw ControlError(
            .invalid, "this is not the safety number of you and \(name)",
            hint: .compareAgain, parameters: ["name": .string(contact.shownName)], field: "number")
    }

    private func comparedContact(_ parameters: Parameters) async throws -> ContactRow {
        let id = try account("id", parameters)
        guard let row = try await store.read({ try $0.contact(id) }) else {
            throw MessagingError.notAmongContacts(id)
        }
        return row
    }

    /// Hashing takes some milliseconds, so another thread does it.
    private func number(_ own: AccountID, _ other: AccountID) async throws -> SafetyNumber {
        try await workers.files.run { SafetyNumber(own, other) }
    }
}
