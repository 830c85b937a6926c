import Basics
import CLinux
import ControlProtocol
import Glibc
import Reactor
import Threads

/// A running program of Kibo's with which the daemon exchanges lines of JSON over its standard input and output, such as
/// kibo-notify. It ends with the daemon.
@ReactorActor package final class HelperProcess: StreamHandler {
    /// The child process, which the reactor shares with the thread that waits for it.
    private struct Child {
        var pid: pid_t?
        var isEnded = false
        var isKilled = false
        var problem: String?
    }

    private let child = Lock(Child())
    private var socket: StreamSocket?
    private var framer: LineFramer
    private let heard: @ReactorActor (JSONObject) -> Void
    private let ended: @ReactorActor (String) -> Void

    /// Starts the program.
    /// - Parameters:
    ///   - arguments: its words.
    ///   - environment: the variables that it has, as `NAME=VALUE`.
    ///   - line: bytes of the longest line that it says.
    ///   - heard: gets each line that the program says.
    ///   - ended: is called once, when the program has ended, with a phrase for people that says why.
    package init(
        _ program: String, _ arguments: [String] = [], environment: [String], line: Int,
        heard: @escaping @ReactorActor (JSONObject) -> Void,
        ended: @escaping @ReactorActor (String) -> Void
    ) {
        framer = LineFramer(limit: line)
        self.heard = heard
        self.ended = ended
        var ends: [CInt] = [-1, -1]
        guard socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            child.withLock { $0.problem = describe(errno) }
            Reactor.shared.post { self.finish() }
            return
        }
        let (ours, theirs, child) = (ends[0], ends[1], child)
        socket = StreamSocket(adopting: ours, handler: self)
        do {
            _ = try PlatformThread.spawn(name: "helper") {
                Self.live([program] + arguments, environment, theirs, child)
            }
        } catch {
            child.withLock { $0.problem = "\(error)" }
            close(theirs)
        }
    }

    /// Starts the child and waits for its end, as the work of a thread. The child dies with this thread.
    private nonisolated static func live(
        _ words: [String], _ variables: [String], _ end: CInt, _ child: Lock<Child>
    ) {
        let environment = variables.map { strdup($0) } + [nil]
        let arguments = words.map { strdup($0) } + [nil]
        let pid = kibo_spawn_piped(words[0], arguments, environment, end, end)
        for text in arguments + environment { free(text) }
        close(end)
        let isUnwanted = child.withLock { child in
            if pid > 0 { child.pid = pid } else { child.problem = "it can't be started: \(describe(-pid))" }
            return child.isKilled
        }
        guard pid > 0 else { return }
        if isUnwanted { kill(pid, SIGKILL) }
        // The child is only reaped under the lock, so that its number never belongs to another process when it is killed.
        var information = siginfo_t()
        while waitid(P_PID, id_t(pid), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
        child.withLock {
            $0.isEnded = true
            waitpid(pid, nil, 0)
        }
    }

    /// Bytes of lines that the program has not taken yet.
    package var bufferedBytes: Int { socket?.bufferedBytes ?? 0 }

    /// - Parameter descriptor: goes with the line; the program gets a copy.
    package func say(_ order: JSONObject, with descriptor: Descriptor? = nil) {
        var line: [UInt8] = []
        JSONValue.object(order).append(to: &line)
        line.append(UInt8(ascii: "\n"))
        if let descriptor { socket?.send(line, with: descriptor) } else { socket?.send(line) }
    }

    /// Ends the program, whatever it does; ``ended`` is called as well.
    package func stop() {
        child.withLock { child in
            child.isKilled = true
            if let pid = child.pid, !child.isEnded { kill(pid, SIGKILL) }
        }
        socket?.close()
    }

    package func streamDidReceive(_ bytes: ArraySlice<UInt8>) {
        framer.append(bytes)
        while socket?.isOpen == true, let line = framer.next() {
            guard case .line(let bytes) = line, let said = (try? JSONParser.parse(bytes))?.object else {
                return stop()
            }
            heard(said)
        }
    }

    package func streamDidEnd() { stop() }
    package func streamDidClose(_ error: SocketError?) { finish() }

    private func finish() {
        socket = nil
        ended(child.withLock { $0.problem } ?? "it has ended")
    }
}
