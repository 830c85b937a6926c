import Basics
import ControlProtocol
import Glibc

/// The shell around ``ChatController``: waits with poll(2) for the keyboard, the daemon, signals and time, hands on what
/// comes, and does what is wanted.
final class ChatLoop {
    /// Between a lone Escape and a sequence that a slow line has cut.
    private static let escapePatience = Duration.milliseconds(80)
    /// A paste whose end got lost is over after a pause.
    private static let pastePatience = Duration.seconds(2)
    /// Screens that no keystroke has asked for come no faster than this.
    private static let drawInterval = Duration.milliseconds(30)
    /// How often times such as "5 min ago" are drawn again.
    private static let idle = Duration.seconds(30)
    /// How long leaving waits for the daemon to take what was sent last.
    private static let farewell = Duration.seconds(2)

    private var controller: ChatController
    private let terminal: ChatTerminal
    private let signals: ChatSignals
    private let link: ChatLink
    private let clocks: any Clocks
    private var decoder = KeyDecoder()
    private var buffer = [UInt8](repeating: 0, count: 16 << 10)
    private var lastInput = Instant(nanoseconds: 0)
    private var lastDrawn = Instant(nanoseconds: 0)
    private var wantsDrawing = true
    private var wantsDrawingNow = true
    private var end: ExitCode?

    init(
        _ controller: ChatController, terminal: ChatTerminal, signals: ChatSignals, link: ChatLink, clocks: any Clocks
    ) {
        self.controller = controller
        self.terminal = terminal
        self.signals = signals
        self.link = link
        self.clocks = clocks
    }

    /// Runs until the user leaves, and returns the texts that were not sent then.
    func run() -> (code: ExitCode, unsent: [String]) {
        terminal.enter()
        defer { terminal.leave() }
        turnClock()
        controller.connected()
        while end == nil {
            carryOut()
            draw()
            if end == nil { wait() }
        }
        leave()
        return (end ?? .done, controller.state.pending.map(\.text).filter { !$0.isEmpty })
    }

    private func turnClock() {
        controller.state.now = clocks.now
        controller.state.wallTime = clocks.wallTime
    }

    // MARK: Waiting

    private func wait() {
        var waits = [
            pollfd(fd: 0, events: Int16(POLLIN), revents: 0),
            pollfd(fd: signals.descriptor, events: Int16(POLLIN), revents: 0),
        ]
        if let descriptor = link.descriptor {
            let events = Int16(POLLIN) | (link.hasOutput ? Int16(POLLOUT) : 0)
            waits.append(pollfd(fd: descriptor, events: events, revents: 0))
        }
        let left = (deadline - clocks.now).nanoseconds
        let count = poll(&waits, nfds_t(waits.count), left <= 0 ? 0 : CInt(clamping: (left - 1) / 1_000_000 + 1))
        turnClock()
        if count > 0 {
            if waits[1].revents != 0 { readSignals() }
            if waits[0].revents != 0 { readInput() }
            if waits.count > 2, waits[2].revents != 0 { readArrivals() }
        }
        passTime()
    }

    private var deadline: Instant {
        var times = [controller.deadline, link.retryAt, controller.state.now + Self.idle].compactMap { $0 }
        if decoder.isWaiting { times.append(lastInput + Self.escapePatience) }
        if decoder.isPasting { times.append(lastInput + Self.pastePatience) }
        if wantsDrawing { times.append(lastDrawn + Self.drawInterval) }
        return times.min() ?? controller.state.now
    }

    private func passTime() {
        let now = controller.state.now
        if decoder.isWaiting, now >= lastInput + Self.escapePatience { press(decoder.flush()) }
        if decoder.isPasting, now >= lastInput + Self.pastePatience { press(decoder.flush()) }
        if link.reconnect(at: now) {
            controller.connected()
            wantsDrawing = true
        }
        if controller.deadline.map({ now >= $0 }) ?? false { wantsDrawing = true }
        controller.tick()
        if now - lastDrawn >= Self.idle { wantsDrawing = true }
    }

    // MARK: What comes

    private func readInput() {
        let count = read(0, &buffer, buffer.count)
        if count < 0 && (errno == EINTR || errno == EAGAIN) { return }
        guard count > 0 else {
            // The terminal is gone.
            end = .done
            return
        }
        lastInput = controller.state.now
        press(decoder.feed(buffer[..<count]))
    }

    private func press(_ keys: [Keystroke]) {
        for key in keys { controller.pressed(key) }
        wantsDrawingNow = true
    }

    private func readSignals() {
        for signal in signals.drain() {
            switch signal {
            case SIGWINCH: resize()
            case SIGCONT: resume()
            case SIGTSTP: suspend()
            // Any other signal asks it to end: the chat is a program that people leave, so that is no interruption.
            default: end = .done
            }
        }
    }

    private func readArrivals() {
        let (arrivals, isAlive) = link.pump()
        for arrival in arrivals {
            switch arrival {
            case .answer(let request, let outcome): controller.answered(request, outcome)
            case .event(let event): controller.happened(event)
            }
            wantsDrawing = true
        }
        if !isAlive { lose() }
    }

    private func lose() {
        controller.disconnected(losing: link.drop(at: controller.state.now))
        wantsDrawing = true
    }

    // MARK: What is wanted

    private func carryOut() {
        for effect in controller.drainEffects() {
            switch effect {
            case .call(let method, let params, let request): link.send(method, params, request)
            case .bell: terminal.bell()
            case .suspend: suspend()
            case .repaint:
                terminal.forget()
                wantsDrawingNow = true
            case .disconnect: lose()
            case .quit: end = end ?? .done
            }
        }
        // Small requests go out at once; the rest goes when poll says that there is space.
        if link.hasOutput { readArrivals() }
    }

    private func draw() {
        guard wantsDrawingNow || wantsDrawing && controller.state.now - lastDrawn >= Self.drawInterval else { return }
        (wantsDrawing, wantsDrawingNow) = (false, false)
        lastDrawn = controller.state.now
        let (screen, view) = controller.screen.drawn()
        terminal.draw(screen)
        if let view { controller.shown(view) }
        carryOut()
    }

    private func resize() {
        controller.state.size = terminal.size
        terminal.forget()
        wantsDrawingNow = true
    }

    private func suspend() {
        terminal.leave()
        signals.stop()
        resume()
    }

    private func resume() {
        terminal.leave()
        terminal.enter()
        turnClock()
        resize()
    }

    /// Says goodbye, and waits a little for the daemon to take what was sent last.
    private func leave() {
        controller.stopTyping()
        carryOut()
        link.flush()
        let deadline = clocks.now + Self.farewell
        while !controller.state.pending.isEmpty, let descriptor = link.descriptor, clocks.now < deadline {
            var waits = [pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)]
            _ = poll(&waits, 1, 100)
            readArrivals()
        }
    }
}
