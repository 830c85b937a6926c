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
        ["roster.make": { parameters, _ in try await make(parameters) }]
    }

    /// Makes a roster. This account is always its first member.
    private func make(_ parameters: Parameters) async throws -> JSONValue {
        let own = try requireAccount()
        guard let voice, let profile = base.profile else { throw MessagingError.locked }
        var names: [AccountID: String] = [own.id: profile.displayName]
        var accounts = [own.id]
        for text in parameters.strings("accounts") {
            guard let account = AccountID(text) else {
                throw ControlError(.invalid, "\(text.prefix(80)) is not an account id", field: "accounts")
            }
            guard account != own.id else { continue }
            accounts.append(account)
            names[account] = network.open?.nearby(account).first?.displayName
        }
        let (nearby, wanted) = (names, accounts)
        let (members, version) = try await store.read { transaction in
            let members = try wanted.map { account in
                guard let name = try transaction.contact(account)?.displayName ?? nearby[account] else {
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
}
