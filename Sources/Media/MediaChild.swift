import Basics
import CLinux
import Glibc
import Runtime
import Threads

/// A running kibo-media, or another small program that is asked something. A thread starts it and waits for its end:
/// the child dies with that thread, and so with this process, however that ends.
package final class MediaChild: Sendable {
    private struct State {
        /// The signal that ended it; 0 if it ended by itself, nil while it runs.
        var endedBy: CInt?
        var isFinished = false
        var isInputOpen = true
    }

    package let pid: pid_t
    /// Our ends of the pipes; -1 where there is none.
    private let input: CInt
    private let output: CInt
    private let state = ConditionLock(State())

    /// - Parameters:
    ///   - file: what becomes its standard input; nil for a pipe.
    ///   - variables: variables of its environment, beside the usual two, as `NAME=value`.
    package init(
        _ program: String, _ words: [String], file: CInt? = nil, variables: [String] = []
    ) throws(MediaProgram.Failure) {
        var toChild: [CInt] = [-1, -1]
        var fromChild: [CInt] = [-1, -1]
        func fail(_ text: String) -> MediaProgram.Failure {
            for end in toChild + fromChild where end >= 0 { close(end) }
            return MediaProgram.Failure(detail: text, isOurs: true)
        }
        guard file != nil || pipe(&toChild) == 0, pipe(&fromChild) == 0 else {
            throw fail("no pipe: \(describe(errno))")
        }
        let (standardInput, standardOutput) = (file ?? toChild[0], fromChild[1])
        let started = Answer<CInt>()
        let state = state
        do {
            _ = try PlatformThread.spawn(name: "media") {
                Self.live(program, words, variables, standardInput, standardOutput, started, state)
            }
        } catch {
            throw fail("\(error)")
        }
        let pid = (try? started.wait().get()) ?? -ECHILD
        guard pid > 0 else { throw fail("\(program) can't be started: \(describe(-pid))") }
        self.pid = pid
        if file == nil { close(toChild[0]) }
        close(fromChild[1])
        (input, output) = (toChild[1], fromChild[0])
        for end in [input, output] where end >= 0 {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
    }

    deinit { finish() }

    /// What the thread does: it starts the child and waits for its end.
    private static func live(
        _ program: String, _ words: [String], _ variables: [String], _ input: CInt, _ output: CInt,
        _ started: Answer<CInt>, _ state: ConditionLock<State>
    ) {
        let arguments = [strdup(program)] + words.map { strdup($0) } + [nil]
        let usual = ["PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8"]
        let environment = (usual + variables).map { strdup($0) } + [nil]
        let pid = kibo_spawn_piped(program, arguments, environment, input, output)
        for text in arguments + environment { free(text) }
        started.give(.success(pid))
        guard pid > 0 else { return }
        // The child is only reaped under the lock, so that its number is never another's when it is killed.
        var end = siginfo_t()
        while waitid(P_PID, id_t(pid), &end, WEXITED | WNOWAIT) != 0, errno == EINTR {}
        state.withLock {
            var status: CInt = 0
            waitpid(pid, &status, 0)
            $0.endedBy = status & 0x7F
        }
        state.wake()
    }

    /// Whether it has ended, by itself or not.
    package var hasEnded: Bool { state.withLock { $0.endedBy != nil } }

    /// Ends the child, whatever it does. No thread may ask it anything any more.
    package func finish() {
        let closes = state.withLock { state in
            if state.endedBy == nil { _ = Glibc.kill(pid, SIGKILL) }
            defer { state.isFinished = true }
            return !state.isFinished
        }
        guard closes else { return }
        endInput()
        close(output)
    }

    /// Ends the child while another thread may be waiting for its answer. That thread gets none.
    package func kill() { state.withLock { if $0.endedBy == nil { _ = Glibc.kill(pid, SIGKILL) } } }

    /// Tells the child that no more input will come.
    func endInput() {
        let closes = state.withLock { state in
            defer { state.isInputOpen = false }
            return state.isInputOpen && input >= 0
        }
        if closes { close(input) }
    }

    /// Gives the child bytes.
    package func write(_ bytes: UnsafeRawBufferPointer, until deadline: Instant) throws(MediaProgram.Failure) {
        var done = 0
        while done < bytes.count {
            let count = Glibc.write(input, bytes.baseAddress?.advanced(by: done), bytes.count - done)
            if count > 0 {
                done += count
            } else if count < 0, errno == EAGAIN {
                try wait(input, POLLOUT, until: deadline)
            } else if errno != EINTR {
                throw MediaProgram.Failure(detail: "kibo-media has ended")
            }
        }
    }

    package func write(_ bytes: [UInt8], until deadline: Instant) throws(MediaProgram.Failure) {
        let result = bytes.withUnsafeBytes { buffer -> Result<Void, MediaProgram.Failure> in
            do throws(MediaProgram.Failure) {
                try write(buffer, until: deadline)
                return .success(())
            } catch {
                return .failure(error)
            }
        }
        try result.get()
    }

    /// Takes what the child writes, up to `limit` bytes, until `isEnough` or its end. If the child was killed, what it wrote
    /// is no answer, because the rest may be missing.
    package func read(
        limit: Int, until deadline: Instant, isEnough: ([UInt8]) -> Bool
    ) throws(MediaProgram.Failure) -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 14)
        while !isEnough(bytes) {
            let count = Glibc.read(output, &buffer, buffer.count)
            if count > 0 {
                bytes += buffer[..<count]
                guard bytes.count <= limit else { throw MediaProgram.Failure(detail: "kibo-media says too much") }
            } else if count == 0 {
                try waitForEnd(until: deadline)
                return bytes
            } else if errno == EAGAIN {
                try wait(output, POLLIN, until: deadline)
            } else if errno != EINTR {
                throw MediaProgram.Failure(detail: describe(errno))
            }
        }
        return bytes
    }

    /// Waits for the end of the child, which has closed its output.
    private func waitForEnd(until deadline: Instant) throws(MediaProgram.Failure) {
        // A child that ends just then has answered in time.
        let end = max(deadline, SystemClocks().now + .milliseconds(100))
        let signal = state.wait { state -> ConditionLock<State>.Look<CInt?> in
            if let signal = state.endedBy { return .found(signal) }
            let left = end - SystemClocks().now
            return left > .zero ? .again(after: left) : .found(nil)
        }
        guard let signal else { throw MediaProgram.Failure(detail: "kibo-media takes too long") }
        if signal != 0 { throw MediaProgram.Failure(detail: "kibo-media was ended by signal \(signal)") }
    }

    private func wait(_ descriptor: CInt, _ event: Int32, until deadline: Instant) throws(MediaProgram.Failure) {
        var wait = pollfd(fd: descriptor, events: Int16(event), revents: 0)
        let left = max(0, (deadline - SystemClocks().now).milliseconds)
        if poll(&wait, 1, CInt(clamping: left)) == 0 { throw MediaProgram.Failure(detail: "kibo-media takes too long") }
    }
}
