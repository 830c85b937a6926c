import Account
import Basics
import Control
import Crypto
import Messaging
import Network
import Reactor
import Runtime

/// Where the roster of the office is, and who has to have signed it.
public struct RosterSource: Hashable, Sendable {
    let file: String
    let signer: AccountID

    /// Reads the file.
    /// - Throws: ``StartError`` in words for the user.
    func read() throws(StartError) -> Roster {
        let path = Paths.absolute(file)
        guard let bytes = try Paths.readFile(path, limit: DaemonLimits.rosterBytes) else {
            throw .failed("there is no roster \(path); kibo roster make \(path) makes one")
        }
        do { return try Roster(text: bytes, signer: signer) } catch {
            throw .failed("the roster \(path) can't be used: \(error.message)")
        }
    }
}

/// Makes friends of the accounts of the office's roster, as soon as there is an account and whenever the roster is read.
@ReactorActor final class RosterService {
    private let environment: Environment
    private let account: CurrentAccount
    private let contacts: ContactService
    private var roster: Roster?

    init(environment: Environment, account: CurrentAccount, contacts: ContactService, roster: Roster?) {
        self.environment = environment
        self.account = account
        self.contacts = contacts
        self.roster = roster
    }

    /// The configuration was read again.
    func configure(_ roster: Roster?) {
        guard roster != self.roster else { return }
        self.roster = roster
        enrol()
    }

    /// Does nothing while there is no account.
    func enrol() {
        guard let roster, let own = account.profile?.account else { return }
        let log = environment.log
        let enrolment = Enrolment(roster: roster, own: own)
        environment.commits.commit(.roster) { transaction in
            try enrolment.carryOut(in: ContactChanges(transaction: transaction))
        } then: { [contacts] outcome in
            guard let outcome else { return }
            contacts.apply([outcome.row] + outcome.others, outcome.transfers, outcome.forgotten)
            log.notice("the roster made \(outcome.others.count + 1) friends")
        }
    }
}
