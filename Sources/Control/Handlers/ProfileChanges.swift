import AddressBook
import Basics
import ControlProtocol
import PeerProtocol
import Store

/// The changes that `account.update` makes. The rules for our own profile are stricter than those for others', and a value of this
/// type keeps them.
struct ProfileChanges: Sendable {
    var displayName: String?
    var statusText: String?
    /// Nil for no change; an inner nil removes the address.
    var email: String??
    var phone: String??
    /// The path of a picture; empty removes it.
    var avatarPath: String?

    /// - Throws: a refusal that names the field. The catalogue has checked lengths and hostile characters.
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
        guard EmailAddress.isOne(text) else {
            throw ControlError(
                .invalid, "\"\(ForeignText.escaped(text))\" is not an e-mail address", hint: .giveEmail, field: "email")
        }
        return text
    }

    /// The number in E.164, whatever separates its digits.
    private static func phone(_ text: String) throws(ControlError) -> String {
        let separators: Set<Character> = [" ", "-", "–", ".", "/", "(", ")", "\u{A0}", "\u{202F}"]
        let number = text.filter { !separators.contains($0) }
        // People write `+49 (0)30 …`. Read it as the address book does, or the two would never match. A card can't have
        // letters, or digits of other scripts.
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
