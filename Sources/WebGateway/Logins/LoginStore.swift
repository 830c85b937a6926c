import Basics
import Crypto
import Glibc
import Reactor

/// The logins of this user, in memory and in a file that was opened before confinement.
@ReactorActor final class LoginStore {
    private var table: LoginTable
    private let file: CInt
    private let clocks = SystemClocks()
    /// Told the places of logins that have ended.
    var whenEnded: (@ReactorActor (Int) -> Void)?

    init(file: CInt) {
        self.file = file
        let bytes = FileBytes.all(of: file, limit: WebLimits.logins * LoginRecord.size) ?? []
        table = LoginTable(places: LoginRecord.places(bytes))
    }

    var logins: [Login] { table.logins }

    func login(at place: Int) -> Login? { table.places[place] }

    /// Makes the token of a link.
    func makeToken() -> String {
        table.makeToken(random: Sodium.randomBytes(WebLimits.secretBytes), now: clocks.now)
    }

    func redeem(_ token: String, agent: String) -> LoginTable.Try {
        let random = (Sodium.randomBytes(WebLimits.secretBytes), Sodium.randomBytes(8))
        let result = table.redeem(token, agent: agent, random: random, now: clocks.now, wall: clocks.wallTime)
        if case .welcome(_, let place) = result {
            // Another login may have made way.
            whenEnded?(place)
            write(place)
        }
        return result
    }

    /// Makes a ticket that leads to a place in the page.
    func makeTicket(to place: String) -> String {
        table.makeTicket(to: place, random: Sodium.randomBytes(WebLimits.secretBytes), now: clocks.now)
    }

    /// Takes a ticket: where the page goes, nil if it doesn't count.
    func redeemTicket(_ ticket: String) -> String? { table.redeemTicket(ticket, now: clocks.now) }

    /// The login that one of these cookies stands for, whose use is noted.
    func login(of cookies: [String]) -> (cookie: String, place: Int)? {
        let wall = clocks.wallTime
        guard let login = table.login(of: cookies, wall: wall) else { return nil }
        if table.use(place: login.place, wall: wall) { write(login.place) }
        return login
    }

    /// Whether the move was so long ago that users needn't be told any more.
    func isOld(_ move: GatewayAddress.Move) -> Bool {
        let age = clocks.wallTime.milliseconds.subtractingReportingOverflow(move.at)
        return age.overflow || !(0..<WebLimits.moveTold ~= age.partialValue)
    }

    /// Ends a login by its id, or `all`: how many.
    func end(_ id: String) -> Int { ended(table.end(id)) }

    /// Ends those that were not used for 30 days.
    func endOld() { _ = ended(table.endOld(wall: clocks.wallTime)) }

    private func ended(_ places: [Int]) -> Int {
        for place in places {
            write(place)
            whenEnded?(place)
        }
        return places.count
    }

    private func write(_ place: Int) {
        let bytes = table.places[place].map(LoginRecord.encode) ?? LoginRecord.empty
        // A login that can't be written down lasts until the worker ends; one that has ended must not come back.
        let count = pwrite(file, bytes, bytes.count, off_t(place * LoginRecord.size))
        if count != bytes.count || fdatasync(file) != 0 { WebLog.write("the file of logins can't be written") }
    }
}

/// Writes what the programs have to say into the journal.
enum WebLog {
    /// Looked up at the start, because the worker gives up the right to do it.
    static let isJournal = Journal.reads(STDERR_FILENO)

    static func write(_ message: String, _ level: LogLevel = .warning) {
        let line = (isJournal ? level.journalPrefix : "") + "kibo-web: " + ForeignText.escaped(message) + "\n"
        line.utf8CString.withUnsafeBytes { _ = Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count - 1) }
    }
}
