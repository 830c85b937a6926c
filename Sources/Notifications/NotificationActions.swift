import Basics
import Control
import ControlProtocol
import Media
import Reactor
import Runtime
import Threads

/// Does what the buttons of a notification ask for, by the daemon's own methods.
@ReactorActor struct NotificationActions {
    let caller: OwnCaller
    let socketPath: String
    let log: Logger
    /// Is called when the browser did not open for a call that rings.
    let notOpened: @ReactorActor (Notification) -> Void

    func perform(_ notification: Notification, _ act: DesktopNotifications.Act) {
        switch (notification.place, act) {
        case (.conversation(let conversation), .read): read(notification, in: conversation, nil)
        case (.conversation(let conversation), .reply(let text)): read(notification, in: conversation, text)
        case (.call(let id), .decline): call([("call.decline", ["id": .string(id.description)])])
        case (.call(let id), .answer): answer(id, notification)
        default: break
        }
    }

    /// Marks the messages of a notification as read, and sends an answer.
    /// - Parameter answer: what the user has written; nil if the messages are only marked as read.
    private func read(_ notification: Notification, in conversation: UUIDv7, _ answer: String?) {
        guard let messages = notification.messages else { return }
        // The messages that have come since the notification was shown stay unread.
        var calls: [(String, JSONObject)] = [
            (
                "conversation.markRead",
                [
                    "id": .string(conversation.description), "upTo": .string(messages.last.description),
                    "arrival": .integer(messages.arrival),
                ]
            )
        ]
        if let answer, answer.contains(where: { !$0.isWhitespace }) {
            calls.append(
                ("message.send", ["conversation": .string(conversation.description), "text": .string(answer)]))
        }
        call(calls)
    }

    private func call(_ calls: [(String, JSONObject)]) {
        caller.call(calls) { [log] method, error in
            log.warning("a button of a notification did nothing", [("method", method), ("why", "\(error)")])
        }
    }

    // MARK: Answering

    /// Opens the browser at the call, which takes a second or two.
    private func answer(_ call: UUIDv7, _ notification: Notification) {
        let socketPath = socketPath
        let finish: @Sendable (String?) -> Void = { problem in
            Reactor.shared.post {
                guard let problem else { return }
                log.warning("the browser can't be opened for a call", [("why", problem)])
                notOpened(notification)
            }
        }
        do {
            _ = try PlatformThread.spawn(name: "answer") { finish(AnswerCommand.problem(call, socketPath)) }
        } catch {
            finish("\(error)")
        }
    }
}

/// Runs `kibo call --answer`, by which the browser opens at a call.
private enum AnswerCommand {
    /// The start of a command that runs outside of the service. A service's children have its limits, in which no browser can live,
    /// and end with it. So the user's systemd starts the program, which then has the environment of the desktop, too, and lives as
    /// long as what it has started.
    private static let outside = [
        "systemd-run", "--user", "--quiet", "--collect", "--property=ExitType=cgroup", "--",
    ]

    /// Runs the command, and blocks until its end.
    /// - Returns: why it failed, a phrase for people; nil if it did its work.
    static func problem(_ call: UUIDv7, _ socketPath: String) -> String? {
        guard let kibo = MediaProgram.find("kibo") else { return "kibo is not beside kibod" }
        let words = [kibo, "--socket", socketPath, "call", "--answer", call.description]
        let isService = Paths.environment("INVOCATION_ID") != nil
        let hasDisplay = ["DISPLAY", "WAYLAND_DISPLAY"].contains { Paths.environment($0) != nil }
        do throws(CommandRun.Failure) {
            let command = isService || !hasDisplay ? outside + words : words
            try CommandRun(words: command, input: [], patience: NotificationLimits.browser).run()
            return nil
        } catch {
            return error.text
        }
    }
}
