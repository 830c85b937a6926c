import AddressBook
import Basics
import ControlProtocol
import Glibc
import Reactor
import TestSupport
import Testing
import Vocabulary

@testable import AddressBookService
@testable import Control
@testable import Daemon
@testable import Media
@testable import Store

@Suite("The address book in the daemon")
struct AddressBookTests {
    private func account(_ number: UInt8) throws -> AccountID {
        try #require(AccountID(bytes: [UInt8](repeating: number, count: 32)))
    }

    private func contact(_ id: AccountID, _ relation: Relation, phone: String? = "+491") -> ContactRow {
        ContactRow(
            account: id, displayName: "Ben", email: "Ben@b", phone: phone, relation: relation,
            createdAt: WallTime(milliseconds: 1))
    }

    @Test(
        "Contacts always fit, strangers only while here, blocked accounts never; a card without news is no change"
    )
    func watch() throws {
        var watch = ProfileWatch()
        let (ben, eve) = (try account(1), try account(2))
        let shown = ProfileWatch.Profile(displayName: "Eve", email: nil, phone: "+492")
        func expect(
            _ changes: Bool, _ profiles: [AccountID], _ change: (inout ProfileWatch) -> Bool, _ why: Comment? = nil
        ) {
            let found = change(&watch)
            #expect(found == changes, why)
            #expect(watch.profiles.map(\.account.id) == profiles, why)
        }
        expect(true, [eve], { $0.met(eve, shown) })
        expect(false, [eve], { $0.met(eve, shown) }, "the same card again")
        expect(true, [], { $0.set(eve, isHere: false) })
        expect(false, [], { $0.set(eve, isHere: true) }, "without a card there is nothing to see")
        expect(false, [], { $0.met(eve, .init(displayName: "Eve")) })
        expect(true, [ben], { $0.know(contact(ben, .friend)) })
        #expect(watch.profiles.first?.profile.keys.email == "ben@b")
        expect(true, [ben], { $0.set(ben, isHere: true) })
        #expect(watch.profiles.first?.account.isHere == true)
        expect(true, [ben], { $0.set(ben, isHere: false) }, "a friend fits also when away")
        expect(true, [ben], { $0.know(contact(ben, .incoming, phone: nil)) })
        #expect(watch.profiles.first?.profile.phone == nil)
        expect(true, [ben], { $0.met(ben, .init(displayName: "Ben", phone: "+495")) })
        #expect(watch.profiles.first?.profile.phone == "+495", "a card counts before it is stored")
        expect(true, [], { $0.know(contact(ben, .blocked)) })
        expect(true, [ben], { $0.know(contact(ben, .requested)) })
        expect(true, [ben], { $0.know(contact(ben, .none)) }, "a stranger again, who is here")
        expect(true, [], { $0.set(ben, isHere: false) })
    }

    @Test("If several accounts show a number, friends go before strangers; the changes are told")
    func matches() throws {
        let matches = AddressBookMatches()
        let entry = AddressEntryName(
            number: 7, id: try #require(UUIDv7("019ac0de-0000-7000-8000-000000000001")), name: "Ben M")
        let stranger = AddressBookMatches.Account(id: try account(1), displayName: "x", relation: .none, isHere: true)
        let friend = AddressBookMatches.Account(
            id: try account(2), displayName: "Ben", relation: .friend, isHere: false)
        var changed = matches.replace([(stranger, [entry])])
        #expect(changed.entries == [7] && changed.accounts == [stranger.id])
        changed = matches.replace([(stranger, [entry]), (friend, [entry])])
        #expect(changed.entries == [7] && changed.accounts == [friend.id])
        #expect(matches.accounts(of: 7) == [friend, stranger] && matches.matched == [7])
        #expect(matches.entry(of: friend.id)?.name == "Ben M")
        changed = matches.replace([(friend, [entry]), (stranger, [entry])])
        #expect(changed.entries.isEmpty && changed.accounts.isEmpty)
        #expect(matches.replace([]).entries == [7] && matches.entry(of: friend.id) == nil)
    }

    @Test("The default country is that of the own number, else that of the first locale that is set")
    func country() {
        func source(_ phone: String?, _ environment: [String: String]) -> String? {
            DefaultCountry(ownPhone: phone) { environment[$0] }.map { "\($0.country.region) \($0.source)" }
        }
        #expect(source("+4930123456", ["LANG": "en_US.UTF-8"]) == "DE profile")
        #expect(source(nil, ["LANG": "en_US.UTF-8"]) == "US locale")
        #expect(source(nil, ["LANG": "en_US.UTF-8", "LC_TELEPHONE": "de_AT.UTF-8"]) == "AT locale")
        #expect(
            source(nil, ["LANG": "en_US.UTF-8", "LC_ALL": "C"]) == nil,
            "the first variable that is set counts, whatever its value")
        #expect(source(nil, ["LC_ALL": "", "LANG": "fr_FR"]) == "FR locale")
        #expect(source("nonsense", [:]) == nil)
    }

    @Test("Positions in the list survive as text and keep their order; a text that is none is refused")
    func positions() throws {
        let id = try #require(UUIDv7("019ac0de-0000-7000-8000-000000000001"))
        let names = ["", "Anna", "anna", "Ärger", "Zoë", String(repeating: "x", count: 5000)]
        for name in names {
            let place = AddressBookPosition(AddressEntryName(number: 1, id: id, name: name))
            #expect(AddressBookPosition(place.description) == place)
            #expect(place.description.utf8.count <= ProtocolLimits.tokenBytes)
        }
        for text in ["", ".", "019ac0de-0000-7000-8000-000000000001", "x.00", "019ac0de-0000-7000-8000-000000000001.0"]
        {
            #expect(AddressBookPosition(text) == nil)
        }
    }

    // MARK: Commands

    /// The daemon ignores SIGPIPE from its start on.
    init() { SignalWatcher.ignoreBrokenPipes() }

    private func run(_ words: [String], input: String = "", patience: Duration = .seconds(30)) -> String? {
        do {
            try CommandRun(words: words, input: Array(input.utf8), patience: patience).run()
            return nil
        } catch {
            return error.text
        }
    }

    @Test("A command gets its arguments unchanged, and the input; no shell reads either")
    func command() throws {
        let directory = try TemporaryDirectory()
        let file = directory.file("out")
        #expect(run(["tee", file], input: "Hello $HOME; `id`\n") == nil)
        #expect(try TextFile.text(file) == "Hello $HOME; `id`\n")
        let odd = directory.file("a b;$(touch x)'\"")
        #expect(run(["touch", odd]) == nil)
        #expect(throws: Never.self) { try TextFile.text(odd) }
        // The input is more than a pipe holds, and the program doesn't read it.
        #expect(run(["true"], input: String(repeating: "x", count: 1 << 20)) == nil)
    }

    @Test(
        "Each failure is told: a missing program, an error, a signal, a timeout; processes that it started end with it")
    func failures() throws {
        #expect(run(["kibo-no-such-program"]) == "there is no program kibo-no-such-program")
        #expect(run(["/dev/null"])?.contains("/dev/null") == true)
        #expect(run([]) != nil)
        #expect(run(["ls", "/no/such/place"])?.hasPrefix("ls failed with 2: ls: ") == true)
        #expect(run(["false"]) == "false failed with 1")
        #expect(run(["sh", "-c", "kill -9 $$"]) == "sh was ended by signal 9")
        #expect(run(["sh", "-c", "printf 'a\\033[2Jb\\n' >&2; exit 3"]) == "sh failed with 3: a\\u{1b}[2Jb")
        #expect(
            run(["sh", "-c", "yes; exit 1"], patience: .milliseconds(300)) == "sh took longer than 0 s and was ended")
        let directory = try TemporaryDirectory()
        let file = directory.file("pid")
        let text = run(["sh", "-c", "sleep 600 & echo $! > \(file); wait"], patience: .seconds(2))
        #expect(text == "sh took longer than 2 s and was ended")
        let pid = try #require(Int32(try TextFile.text(file).filter(\.isNumber)))
        let clocks = SystemClocks()
        let deadline = clocks.now + .seconds(20)
        while isRunning(pid), clocks.now < deadline { usleep(20_000) }
        #expect(!isRunning(pid))
    }

    /// Returns whether a process runs. One that has ended but was not waited for doesn't count.
    private func isRunning(_ pid: Int32) -> Bool {
        guard let status = try? TextFile.text("/proc/\(pid)/stat"), let end = status.lastIndex(of: ")") else {
            return false
        }
        return !status[end...].hasPrefix(") Z")
    }

    @Test("Tells who can be invited and what a command gets; a name is never taken for an option")
    func invitees() throws {
        let id = try #require(UUIDv7("019ac0de-0000-7000-8000-000000000001"))
        func inviter(_ via: InviteVia, even: Bool = false) -> Inviter {
            Inviter(
                via: via, text: InviteText("Hi {name}: {link}"), subject: InviteText("{me}"), me: "Anna",
                link: "kibo:x", package: "", evenOnKibo: even)
        }
        func row(_ name: String = "Ben", phones: [AddressEntryRow.Phone] = [], emails: [String] = []) -> AddressEntryRow
        {
            AddressEntryRow(
                id: id, name: name, phones: phones, emails: emails.map { .init(address: $0, key: $0) },
                createdAt: WallTime(milliseconds: 1), updatedAt: WallTime(milliseconds: 1))
        }
        func detail(_ via: InviteVia, _ row: AddressEntryRow?, isOnKibo: Bool = false) -> String {
            switch inviter(via).judge(id, row, isOnKibo: isOnKibo) {
            case .success(let invitee): invitee.to
            case .failure(let refused): refused.failed.reason.contract + ": " + refused.failed.detail
            }
        }
        let home = AddressEntryRow.Phone(given: "1", e164: "+491", callingCode: 49, label: "home")
        let mobile = AddressEntryRow.Phone(given: "2", e164: "+492", callingCode: 49, label: "mobile")
        let fax = AddressEntryRow.Phone(given: "3", e164: "+493", callingCode: 49, takesText: false)
        #expect(detail(.email, nil).hasPrefix("not_found"))
        #expect(detail(.email, row()) == "invalid: has no e-mail address")
        #expect(detail(.email, row(emails: ["b@b", "c@c"])) == "b@b")
        #expect(detail(.email, row(emails: ["b@b"]), isOnKibo: true) == "already_exists: is on Kibo already")
        #expect(detail(.sms, row(phones: [home, fax, mobile])) == "+492")
        #expect(detail(.sms, row(phones: [fax, home])) == "+491")
        #expect(detail(.sms, row(phones: [fax])) == "invalid: has no mobile number")
        #expect(detail(.sms, row(phones: [.init(given: "0170")])).contains("default country"))
        #expect(detail(.sms, row()) == "invalid: has no mobile number")

        guard case .success(let ben) = inviter(.email, even: true).judge(id, row(emails: ["b@b"]), isOnKibo: true)
        else {
            Issue.record("the entry is refused although it was asked for")
            return
        }
        let whole = try inviter(.email).command(["sendmail", "-t"], for: ben)
        #expect(
            whole.words == ["sendmail", "-t"]
                && String(decoding: whole.input, as: UTF8.self).hasPrefix("To: b@b\nSubject: Anna\n"))
        let plain = try inviter(.email).command(["mail", "-s", "{subject}", "{email}"], for: ben)
        #expect(plain.words == ["mail", "-s", "Anna", "b@b"] && plain.input == Array("Hi Ben: kibo:x".utf8))
        let sms = try inviter(.sms).command(["sms", "{phone}", "{text}"], for: ben)
        #expect(sms.words == ["sms", "b@b", "Hi Ben: kibo:x"])
        guard case .success(let evil) = inviter(.email).judge(id, row("-X/tmp/x", emails: ["b@b"]), isOnKibo: false)
        else { return }
        #expect(throws: CommandRun.Failure.self) {
            try inviter(.email).command(["mail", "{name}", "{email}"], for: evil)
        }
    }
}
