import AddressBook
import Basics
import ControlProtocol
import PeerProtocol
import Store

/// What `account.update` is to change, by the rules for our own profile: stricter than what is taken from others. A value
/// of this type is within them.
struct ProfileChanges: Sendable {
    var displayName: String?
    var statusText: String?
    /// Inner nil: no more.
    var email: String??
    var phone: String??
    /// The path of a picture; empty: no more.
    var avatarPath: String?

    /// - Throws: a refusal that names the field. Lengths and hostile characters are the catalogue's to check.
    init(_ parameters: Parameters) throws(ControlError) {
        displayName = parameters.optionalString("displayName")
        if let displayName, ForeignText.hasInvisible(displayName) {
            throw ControlError(
                .invalid, "a name may not have characters in it that can't be seen",
                hint: .retypeName, field: "displayName")
        }
        statusText = parameters.optionalString("statusText")
        avatarPath = parameters.optionalString("avatarPath")
        if let text = parameters.optionalString("email") {
            email = .some(text.isEmpty ? nil : try Self.email(text))
        }
        if let text = parameters.optionalString("phone") {
            phone = .some(text.isEmpty ? nil : try Self.phone(text))
        }
    }

    private static func email(_ text: String) throws(ControlError) -> String {
        // What a mail program copies with it, `Anna <anna@example.org>`, and what would end a list of addresses.
        let isPlain = !text.contains { "<>()[],;:\\\"".contains($0) }
        guard isPlain, CardRules.isEmail(text) else {
            throw ControlError(
                .invalid, "\"\(ForeignText.escaped(text))\" is not an e-mail address", hint: .giveEmail, field: "email")
        }
        return text
    }

    /// In E.164, whatever is written between the digits.
    private static func phone(_ text: String) throws(ControlError) -> String {
        let separators: Set<Character> = [" ", "-", "–", ".", "/", "(", ")", "\u{A0}", "\u{202F}"]
        let number = text.filter { !separators.contains($0) }
        // What people write, `+49 (0)30 …`, as the address book reads it: else the two would never match. Letters and digits of
        // other scripts are nothing that a card may have.
        if CardRules.isPhone(number), case .number(let read) = PhoneNumber.read(text, in: nil),
            CardRules.isPhone(read.e164)
        {
            return read.e164
        }
        guard CardRules.isPhone(number), !number.hasPrefix("+0") else {
            throw ControlError(
                .invalid, "\"\(ForeignText.escaped(text))\" is not an international telephone number",
                hint: number.hasPrefix("+") ? .givePhoneDigits : .givePhone,
                parameters: [
                    "least": .integer(Int64(PeerLimits.phoneDigits.lowerBound)),
                    "most": .integer(Int64(PeerLimits.phoneDigits.upperBound)),
                ], field: "phone")
        }
        return number
    }

    /// - Parameter avatar: the digest of the picture at ``avatarPath``, which is kept by now.
    func apply(to row: inout AccountRow, avatar: [UInt8]?) {
        if let displayName { row.displayName = displayName }
        if let statusText { row.statusText = statusText }
        if let email { row.email = email }
        if let phone { row.phone = phone }
        if avatarPath != nil { row.avatar = avatar }
    }
}
