import Basics
import ControlProtocol
import Crypto
import Messaging
import Reactor
import Store

/// Makes the signed list of the accounts of an office.
@ReactorActor struct RosterHandlers: MethodArea {
    let base: MethodBase
    let network: any NetworkAccess

    var methods: [String: Method] {
        [
            "roster.make": { parameters, _ in try await make(parameters) },
            "roster.check": { parameters, _ in try check(parameters) },
        ]
    }

    /// Makes a roster. This account is always its first member.
    private func make(_ parameters: Parameters) async throws -> JSONValue {
        let own = try requireAccount()
        guard let voice, let profile = base.profile else { throw MessagingError.locked }
        var names: [AccountID: String] = [own.id: profile.displayName]
        var accounts = [own.id]
        let without = Set(parameters.strings("without"))
        var kept: [AccountID: String] = [:]
        let text = parameters.string("from")
        if !text.isEmpty {
            let from = try read(text, field: "from")
            guard from.signer == own.id else {
                throw ControlError(
                    .invalid, "\(from.signer) has signed it, and only that account can change it", field: "from")
            }
            for member in from.members where member.account != own.id && !without.contains("\(member.account)") {
                accounts.append(member.account)
                kept[member.account] = member.name
            }
        }
        for text in parameters.strings("accounts") {
            guard let account = AccountID(text) else {
                throw ControlError(.invalid, "\(text.prefix(80)) is not an account id", field: "accounts")
            }
            guard account != own.id, kept[account] == nil else { continue }
            accounts.append(account)
            names[account] = network.open?.nearby(account).first?.displayName
        }
        guard accounts.count > 1 else {
            throw ControlError(.invalid, "nobody is in it besides the account that signs it", field: "accounts")
        }
        let (nearby, wanted, former) = (names, accounts, kept)
        let (members, version) = try await store.read { transaction in
            let members = try wanted.map { account in
                guard let name = try transaction.contact(account)?.displayName ?? nearby[account] ?? former[account]
                else {
                    throw MessagingError.notAmongContacts(account)
                }
                return Roster.Member(account: account, name: name)
            }
            return (members, try transaction.roster(of: own.id)?.version)
        }
        // Hosts take only a newer roster, even if the clock here was ahead when the last one was made.
        let now = base.environment.clocks.wallTime
        let time = version.map { max(now, WallTime(milliseconds: $0) + .milliseconds(1)) } ?? now
        let roster: Roster
        do {
            roster = try Roster.issue(
                by: voice.account.accountKey, members: members, at: time)
        } catch {
            throw ControlError(.invalid, error.message, field: "accounts")
        }
        return ["roster": .string(roster.text), "members": .integer(Int64(members.count))]
    }

    private func check(_ parameters: Parameters) throws -> JSONValue {
        let roster = try read(parameters.string("roster"), field: "roster")
        return [
            "signer": .string("\(roster.signer)"), "version": .integer(roster.version),
            "members": .integer(Int64(roster.members.count)),
        ]
    }

    private func read(_ text: String, field: String) throws -> Roster {
        do { return try Roster(text: Array(text.utf8)) } catch {
            throw ControlError(.invalid, error.message, field: field)
        }
    }
}
