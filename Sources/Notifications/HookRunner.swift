import Basics
import CLinux
import ControlProtocol
import Glibc
import Media
import Reactor
import Runtime
import Threads

/// Runs the hook command through kibo-hook, which ends it and all that it starts.
@ReactorActor final class HookRunner {
    private let environment: Environment
    private let log: Logger
    private let socketPath: String
    private let seconds: Int
    private var queue = HookQueue()
    /// The command for which the queue's jobs wait.
    private var command = ""
    private var timer: TimerToken?
    private let program = MediaProgram.find("kibo-hook")

    init(environment: Environment, socketPath: String, seconds: Int = NotificationLimits.hookSeconds) {
        self.environment = environment
        self.socketPath = socketPath
        self.seconds = seconds
        log = environment.log.labelled("hook")
        environment.metrics.declare(.hookRuns, ["done", "failed", "given_up", "left_out"])
    }

    /// Whether the user or the host has set a command.
    var isWanted: Bool { !environment.settings[SettingsCatalogue.notificationsHook].isEmpty }

    func put(_ input: [UInt8]) {
        adopt()
        guard !command.isEmpty else { return }
        let out = queue.put(input)
        if out > 0 { environment.metrics.count(.hookRuns, "left_out", by: out) }
        pump()
    }

    /// Takes over the command of the settings; what waits for another one is forgotten.
    private func adopt() {
        let now = environment.settings[SettingsCatalogue.notificationsHook]
        if now != command { queue.forget() }
        command = now
    }

    private func pump() {
        timer?.cancel()
        timer = nil
        adopt()
        let now = environment.clocks.now
        if let job = queue.next(now: now) {
            run(job)
        } else if let due = queue.nextDeadline {
            timer = Reactor.shared.schedule(at: due) { [weak self] in self?.pump() }
        }
    }

    private func run(_ job: HookQueue.Job) {
        let (text, program, socket, seconds) = (command, program, socketPath, seconds)
        do {
            // Each run has a thread of its own, at most one at a time: the end of the thread would end the run.
            _ = try PlatformThread.spawn(name: "hook") {
                let problem = Self.problem(text, program, socket, seconds, job.input)
                Reactor.shared.post { self.ended(problem) }
            }
        } catch {
            Reactor.shared.post { self.ended("\(error)") }
        }
    }

    /// Runs the command, and blocks until its end.
    /// - Returns: why it failed, a phrase for people; nil if it did its work.
    private nonisolated static func problem(
        _ text: String, _ supervisor: String?, _ socket: String, _ seconds: Int, _ input: [UInt8]
    ) -> String? {
        guard let supervisor else { return "kibo-hook is not beside kibod" }
        guard let words = try? CommandWords.split(text), let name = words.first else { return "it is no command" }
        guard !name.contains("/") || name.hasPrefix("/") else { return "\(name) is no absolute path" }
        guard let program = CommandRun.find(name) else { return "there is no program \(name)" }
        var run = CommandRun(
            words: [supervisor, "\(seconds)", socket, program] + words.dropFirst(), input: input,
            patience: .seconds(seconds) + NotificationLimits.hookGrace, keeps: NotificationLimits.hookOutput)
        run.shownName = name
        do throws(CommandRun.Failure) {
            try run.run()
            return nil
        } catch {
            switch error.code {
            case CInt(KIBO_TOOK_TOO_LONG): return "\(name) took longer than \(seconds) s and was ended"
            case CInt(KIBO_CANT_RUN): return "\(name) can't be run"
            case CInt(KIBO_NOT_FOUND): return "\(name) can't be run: it or its interpreter is missing"
            default: return error.text
            }
        }
    }

    private func ended(_ problem: String?) {
        let outcome = queue.ended(problem, now: environment.clocks.now)
        let word =
            switch outcome {
            case .done: "done"
            case .failed: "failed"
            case .givenUp: "given_up"
            }
        environment.metrics.count(.hookRuns, word)
        // The command's output may hold words of a message, which no log may: the doctor tells why it failed.
        if problem != nil { log.warning("the hook command failed", [("outcome", word)]) }
        pump()
    }

    /// Returns what `system.doctor` says of the hook command; nil where there is none.
    func check() -> DoctorCheck? {
        adopt()
        guard !command.isEmpty else { return nil }
        guard let problem = queue.problem else {
            return DoctorCheck(name: "hook", ok: true, findings: [.init(.hookRuns, ["waiting": count])])
        }
        return DoctorCheck(
            name: "hook", ok: false,
            findings: [
                .init(
                    .hookFails,
                    [
                        "detail": .string(problem), "times": .integer(Int64(clamping: queue.failures)),
                        "waiting": count, "leftOut": .integer(Int64(clamping: queue.leftOut)),
                    ])
            ], advice: [.init(.tryHook, ["command": .string(command)])])
    }

    private var count: JSONValue { .integer(Int64(queue.count)) }
}
