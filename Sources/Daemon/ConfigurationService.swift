import Basics
import Control
import ControlProtocol
import Network
import Reactor
import Runtime
import Threads

/// The configuration in use: it is read again when somebody asks for that, and the doctor and the counters are told if what
/// is on the disk is not in use.
@ReactorActor final class ConfigurationService: ConfigurationControl {
    private typealias Reading = Result<Outcome, StartError>

    /// What came of reading.
    private struct Outcome {
        /// The names whose change takes effect at the next start.
        var atNextStart: [String]
    }

    private let environment: Environment
    private let sink: StandardErrorSink
    private let roster: RosterService
    private let network: NetworkNode
    private let service = ServiceManager()
    private var options: Options
    /// The daemon's state in the words that `systemctl status` shows.
    var standing: @ReactorActor () -> String = { "" }
    /// Why the configuration that was read last is not in use; nil if it is.
    private var problem: String?
    /// Whether the settings that were read last are in force.
    private var areSettingsStored = true
    /// Whether it is being read, and whether it is to be read again afterwards.
    private var (isReading, wantsAnother) = (false, false)
    /// Those who wait for the next reading.
    private var waiting: [CheckedContinuation<Reading, Never>] = []

    init(
        options: Options, environment: Environment, sink: StandardErrorSink, roster: RosterService,
        network: NetworkNode
    ) {
        self.options = options
        self.environment = environment
        self.sink = sink
        self.roster = roster
        self.network = network
    }

    // MARK: Reading it again

    func reload() async throws -> [String] {
        let reading = await withCheckedContinuation { continuation in
            waiting.append(continuation)
            read()
        }
        switch reading {
        case .success(let outcome): return outcome.atNextStart
        case .failure(let error): throw ControlError(.invalid, error.message)
        }
    }

    /// Reads it again, and applies what can change in a running daemon. Several calls during one reading lead to one more.
    func read() {
        guard !isReading else { return wantsAnother = true }
        isReading = true
        let callers = waiting
        waiting = []
        service.reloading(at: environment.clocks.now)
        Reactor.shared.task { [self, options] in
            let read: Result<Options, any Error>
            do {
                // Files and directories may hang.
                read = .success(try await PlatformThread.run(name: "configuration") { try options.reread() })
            } catch {
                read = .failure(error)
            }
            let reading = await apply(read)
            isReading = false
            // systemd hears of the end before a caller that is its own does.
            service.ready(standing())
            for caller in callers { caller.resume(returning: reading) }
            if wantsAnother {
                wantsAnother = false
                self.read()
            }
        }
    }

    private func apply(_ read: Result<Options, any Error>) async -> Reading {
        switch read {
        case .success(let new):
            let names = await use(new)
            problem = nil
            sink.change(
                level: options.configuration.logLevel ?? .info, format: options.configuration.logFormat ?? .text)
            environment.log.notice("configuration reread")
            for name in names { environment.log.warning("\(name) takes effect at the next start") }
            guard let problem = new.rosterProblem else { return .success(Outcome(atNextStart: names)) }
            environment.log.error("the roster stays as it was: \(problem)")
            return .failure(.unusable(problem))
        case .failure(let error):
            let error = StartError(error)
            problem = error.message
            environment.log.error("the configuration stays as it was: \(error.message)")
            return .failure(error)
        }
    }

    /// Applies the options that were read.
    /// - Returns: the names whose change waits for the next start.
    private func use(_ new: Options) async -> [String] {
        let rows = (before: options.configuration.hostSettings, after: new.configuration.hostSettings)
        options = new
        roster.configure(options.roster)
        network.configure(options.network)
        environment.settings.forcedByUser = options.forcedByUser
        if rows.before != rows.after || !areSettingsStored {
            // Who asked for it hears of the end when the settings are in force.
            do {
                try await environment.settings.configure(rows.after)
                areSettingsStored = true
            } catch {
                areSettingsStored = false
                environment.log.error(
                    "the settings of the configuration could not be stored", [("why", "\(error)")])
            }
        }
        return pending
    }

    /// The names whose values were read and are not in force before the next start, however often they were read since.
    private var pending: [String] {
        let wanted = options.network
        // A network that is opened later, after an unlock, takes what was read last.
        let used = network.opened ?? wanted
        let changes = [
            ("settings", !areSettingsStored),
            ("listen", used.listen != wanted.listen), ("discoveryPort", used.discoveryPort != wanted.discoveryPort),
            ("interfaces", used.interfaces != wanted.interfaces), ("discovery", used.discovery != wanted.discovery),
            ("realmKeyFile", options.realmKey?.id != options.realmOnDisk),
        ]
        return changes.filter(\.1).map(\.0)
    }

    // MARK: What is on the disk

    /// What the doctor says: whether the files are what is in use. Until a file is mended and read, it says what is wrong.
    /// - Returns: nil if the system can't start a thread to look.
    func check() async -> DoctorCheck? {
        let differences = try? await PlatformThread.run(name: "configuration") { [options] in options.differences() }
        guard let differences else { return nil }
        let pending = pending
        guard !differences.isEmpty || !pending.isEmpty else {
            return DoctorCheck(name: "configuration", ok: true, findings: [.init(.configurationInUse)])
        }
        var check = DoctorCheck(name: "configuration", ok: false, findings: [], advice: [])
        if !differences.isEmpty {
            check.findings += differences.map { Remark<DoctorFinding>(.configurationNotInUse, ["detail": .string($0)]) }
            check.advice.append(.init(.readConfiguration))
        }
        if !pending.isEmpty {
            check.findings.append(.init(.configurationPending, ["names": .strings(pending)]))
            let command = DaemonUnit(socket: options.socketPath).command("restart")
            check.advice.append(.init(.restartDaemon, ["commands": .string(command)]))
        }
        return check
    }

    func write(to text: inout MetricsText) {
        let isRosterUsed = options.rosterProblem == nil && !roster.isRefused
        let isUsed = problem == nil && pending.isEmpty
        text.add(.configurationInUse, [("configuration", isUsed ? 1 : 0), ("roster", isRosterUsed ? 1 : 0)])
        text.add(.logLines, [LogLevel.warning, .error].map { ($0.rawValue, sink.written($0)) })
    }
}

extension Options {
    /// What is on the disk and not in use, in words for the user. It blocks, see ``readFile(isStrict:)``.
    fileprivate func differences() -> [String] {
        var fresh = self
        do { try fresh.readFile(isStrict: true) } catch {
            // A start goes on without the disk for downloads or an interface, and even then the file is in use.
            do { try fresh.readFile(isStrict: false) } catch { return [error.message] }
            if fresh.configuration != configuration { return [error.message] }
        }
        var names: [String] = []
        if fresh.configuration != configuration {
            let places = fresh.files.isEmpty ? configurationFile : fresh.files.joined(separator: " or ")
            names.append("\(places) was changed after the daemon read it")
        }
        do {
            if try fresh.readRealmKey()?.id != realmOnDisk, fresh.configuration == configuration,
                let path = configuration.realmKeyFile
            {
                names.append("\(path) was changed after the daemon read it")
            }
        } catch {
            names.append(error.message)
        }
        fresh.readRoster(comparing: true)
        if let problem = fresh.rosterProblem {
            names.append(problem)
        } else if fresh.roster != roster, let source = fresh.configuration.roster {
            names.append("\(source.file) was changed after the daemon read it")
        }
        return names
    }
}
