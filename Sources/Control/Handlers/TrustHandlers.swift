import Basics
import ControlProtocol
import Crypto
import Messaging
import Store

/// Knowing that it is really them.
extension Handlers {
    nonisolated static let trustMethods: [String: Method] = [
        "contact.safetyNumber": { handlers, parameters, _ in try await handlers.safetyNumber(parameters) },
        "contact.verify": { handlers, parameters, _ in try await handlers.verifyContact(parameters).json },
    ]

    /// The number that both sides compare, and a code for the other side to scan.
    func safetyNumber(_ parameters: Parameters) async throws -> JSONValue {
        let own = try requireAccount()
        let contact = try await comparedContact(parameters)
        let number = try await Self.number(own.id, contact.account, context)
        // A link of ours: scanned, it tells the other side our account and the number, both of which must be right.
        let link = ContactLink(account: own.id, safetyNumber: number)
        return ["number": .string(number.digits), "qr": .string(try QRDrawing.text(of: link))]
    }

    func verifyContact(_ parameters: Parameters) async throws -> Contact {
        let own = try requireAccount()
        let contact = try await comparedContact(parameters)
        if let text = parameters.optionalString("number") {
            let number = try await Self.number(own.id, contact.account, context)
            try Self.compare(text, with: number, of: contact, own: own.id)
        }
        let id = contact.account
        let row = try await context.contactService.commit { transaction in
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
                throw ControlError(.invalid, "this is not a Kibo link: \(error.message)", field: "number")
            }
            guard link.account != own else {
                throw ControlError(
                    .invalid, "that is your own link", hint: .scanTheirLink,
                    field: "number")
            }
            // One without a number says whose account it is, which is what counts; one with it also that they have ours right.
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
            hint: .compareAgain,
            field: "number")
    }

    private func comparedContact(_ parameters: Parameters) async throws -> ContactRow {
        guard let id = parameters.account("id") else {
            throw ControlError(.invalid, "id is not an account id", field: "id")
        }
        guard let row = try await context.store.read({ try $0.contact(id) }) else {
            throw MessagingError.notAmongContacts(id)
        }
        return row
    }

    /// Some milliseconds of hashing, which the reactor has better to do than.
    private static func number(
        _ own: AccountID, _ other: AccountID, _ context: ControlContext
    ) async throws -> SafetyNumber {
        try await context.workers.files.run { SafetyNumber(own, other) }
    }
}
