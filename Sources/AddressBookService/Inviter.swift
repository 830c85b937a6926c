import AddressBook
import Basics
import ControlProtocol
import Media
import Store
import Vocabulary

/// Decides which entries can be invited, and writes the text to each. A value without I/O.
struct Inviter: Sendable {
    let via: InviteVia
    let text: InviteText
    let subject: InviteText
    /// The name of the user who invites.
    let me: String
    let link: String
    /// Where people get Kibo; empty if nobody has said.
    let package: String
    let evenOnKibo: Bool

    /// An entry that can't be invited, and why.
    typealias Failed = Invitations.Failed

    /// An entry that can be invited.
    struct Invitee: Sendable {
        let entry: UUIDv7
        let name: String
        let to: String
        let text: String
        let subject: String

        var recipient: Invitations.Recipient {
            Invitations.Recipient(entry: entry.description, name: name, to: to, text: text)
        }
    }

    /// Whether an entry can be invited.
    /// - Parameter row: nil if there is none of that id.
    func judge(_ id: UUIDv7, _ row: AddressEntryRow?, isOnKibo: Bool) -> Result<Invitee, Refused> {
        guard let row else { return .failure(Refused(id, "", .notFound, "there is no such entry in the address book")) }
        if isOnKibo, !evenOnKibo {
            return .failure(Refused(id, row.name, .alreadyExists, "is on Kibo already"))
        }
        let to: String?
        switch via {
        case .email: to = row.emails.lazy.compactMap { EmailAddress.checked($0.address) }.first
        case .sms: to = AddressEntry(row).textNumber?.e164
        }
        guard let to else { return .failure(Refused(id, row.name, .invalid, problem(of: row))) }
        return .success(
            Invitee(
                entry: id, name: row.name, to: to,
                text: text.filled(name: row.name, me: me, link: link, package: package),
                subject: subject.filled(name: row.name, me: me, link: link, package: package)))
    }

    /// Why the entry has no address for this way.
    private func problem(of row: AddressEntryRow) -> String {
        switch via {
        case .email: return "has no e-mail address"
        case .sms:
            if !row.phones.isEmpty, row.phones.allSatisfy({ $0.e164 == nil }) {
                return "has no number of which the country is known: import again with a default country"
            }
            return "has no mobile number"
        }
    }

    /// Why an entry is not invited.
    struct Refused: Error, CustomStringConvertible {
        let failed: Failed

        init(_ id: UUIDv7, _ name: String, _ kind: Reason, _ detail: String) {
            failed = Failed(entry: id.description, name: name, reason: kind, detail: detail)
        }

        var description: String { failed.detail }
    }

    // MARK: Links

    /// - Parameter together: one link for all of them.
    func links(to invitees: [Invitee], together: Bool) -> [String] {
        guard together, let first = invitees.first else { return invitees.map { link(to: [$0.to], $0) } }
        return [link(to: invitees.map(\.to), first)]
    }

    private func link(to addresses: [String], _ invitee: Invitee) -> String {
        switch via {
        case .email: InviteLink.mail(to: addresses, subject: invitee.subject, body: invitee.text)
        case .sms: InviteLink.text(to: addresses, body: invitee.text)
        }
    }

    // MARK: Commands

    /// The command for one of them.
    /// - Parameter words: of the setting, with their placeholders, each an argument by itself.
    func command(_ words: [String], for invitee: Invitee) throws(CommandRun.Failure) -> CommandRun {
        let values = [
            "{email}": invitee.to, "{phone}": invitee.to, "{name}": invitee.name, "{subject}": invitee.subject,
            "{text}": invitee.text,
        ]
        var filled: [String] = []
        for word in words {
            guard let value = values[word] else {
                filled.append(word)
                continue
            }
            // A name can't make the program do something else.
            guard !value.hasPrefix("-") else {
                throw CommandRun.Failure(
                    text: "\(word) begins with a hyphen, which the command would take for an option")
            }
            filled.append(value)
        }
        // A command that gets the subject writes the headers itself.
        let isPlain = via == .sms || words.contains("{subject}")
        let input =
            isPlain
            ? Array(invitee.text.utf8)
            : MailMessage.bytes(to: invitee.to, subject: invitee.subject, body: invitee.text)
        return CommandRun(words: filled, input: input)
    }
}
