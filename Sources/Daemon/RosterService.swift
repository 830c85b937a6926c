import Account
import Basics
import Control
import Crypto
import Messaging
import Network
import Reactor
import Runtime
import Store

/// Where the roster of the office is, and who must have signed it.
public struct RosterSource: Hashable, Sendable {
    let file: String
    let signer: AccountID

    /// Reads the file.
    /// - Throws: ``StartError`` in words for the user.
    func read() throws(StartError) -> Roster {
        let path = Paths.absolute(file)
        let read = try NamedPlace.look(at: path) { () throws(StartError) in
            try Paths.readFile(path, limit: DaemonLimits.rosterBytes)
        }
        guard let bytes = read else {
            throw .unusable("there is no roster \(path); kibo roster make \(path) makes one")
        }
        do { return try Roster(text: bytes, signer: signer) } catch {
            throw .unusable("the roster \(path) can't be used: \(error.message)")
        }
    }

    /// Reads the file, and compares it with the roster that the daemon has acted upon last.
    /// - Parameter directory: the daemon's data.
    /// - Returns: the roster of the file.
    /// - Throws: ``StartError`` in words for the user.
    @discardableResult
    func check(data directory: String, clocks: any Clocks = SystemClocks()) throws(StartError) -> Roster {
        let roster = try read()
        // If the database can't be read, there is nothing to compare with. The daemon compares anyway.
        let stored = try? Store.look(directory: directory) { transaction throws(StoreError) in
            try transaction.roster(of: signer)
        }
        let standing = Enrolment.standing(of: roster, to: stored ?? nil, now: clocks.wallTime) {
            try Roster(text: $0, signer: signer)
        }
        if let problem = Self.problem(with: roster, standing) {
            throw .unusable("the roster \(Paths.absolute(file)) can't be used: \(problem)")
        }
        return roster
    }

    /// Why a roster is refused, for the user; nil if it isn't.
    static func problem(with roster: Roster, _ standing: Enrolment.Standing) -> String? {
        switch standing {
        case .newer, .same: nil
        case .older(let newer): "it is of \(date(of: roster)), and a newer one of \(newer.utcText) was here before"
        case .different: "another one with the same version, of \(date(of: roster)), was here before"
        case .ahead:
            "it is of \(date(of: roster)), which is in the future: the clock of its signer is wrong, or the one here"
        }
    }

    static func date(of roster: Roster) -> String { WallTime(milliseconds: roster.version).utcText }
}

/// Turns the accounts of the office's roster into friends, as soon as there is an account and whenever the roster is
/// read.
@ReactorActor final class RosterService {
    private let environment: Environment
    private let account: CurrentAccount
    private var roster: Roster?
    /// The number of rosters begun so far: a newer roster ends the portions of the one before.
    private var round = 0
    /// Whether the daemon acts on an older roster than the file's, because it refuses that one.
    private(set) var isRefused = false

    init(environment: Environment, account: CurrentAccount, roster: Roster?) {
        self.environment = environment
        self.account = account
        self.roster = roster
    }

    /// Applies the roster of a configuration that was read again.
    func configure(_ roster: Roster?) {
        guard roster != self.roster else { return }
        self.roster = roster
        isRefused = false
        enrol()
    }

    /// Does nothing while there is no account.
    func enrol() {
        guard let roster, let own = account.profile?.account else { return }
        round += 1
        let signer = roster.signer
        let enrolment = Enrolment(
            roster: roster, own: own, text: { Array(roster.text.utf8) }, read: { try Roster(text: $0, signer: signer) })
        environment.commits.commit(.roster) { transaction in
            try enrolment.begin(in: ContactChanges(transaction: transaction))
        } then: { [self, round] begun in
            let problem = RosterSource.problem(with: roster, begun.standing)
            isRefused = problem != nil
            if let problem {
                environment.log.error(
                    "the roster is refused: \(problem)",
                    [("goesOn", begun.counts.map { RosterSource.date(of: $0) } ?? "none")])
            }
            ended(enrolment, begun.counts, begun.portion, friends: 0, round)
        }
    }

    /// Reports a portion, and does the next one.
    /// - Parameters:
    ///   - friends: how many the portions before made.
    ///   - begun: the round to which the portion belongs.
    private func ended(
        _ enrolment: Enrolment, _ counts: Roster?, _ portion: Enrolment.Portion, friends: Int, _ begun: Int
    ) {
        let friends = friends + portion.friends
        for account in portion.changed {
            environment.log.warning(
                "the roster brings another account under the name of a friend: nothing goes to the friend until the user has looked",
                [("account", "\(account)")])
        }
        guard let counts, let next = portion.next, begun == round else {
            if friends > 0 { environment.log.notice("the roster made \(friends) friends") }
            return
        }
        environment.commits.commit(.roster) { transaction in
            try enrolment.carryOn(counts, from: next, in: ContactChanges(transaction: transaction))
        } then: { [self] portion in
            ended(enrolment, counts, portion, friends: friends, begun)
        }
    }
}
