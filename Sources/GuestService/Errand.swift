import Basics
import LocalSend
import Media
import Network
import Reactor
import Runtime

/// The process that gives something to one device, or asks it who it is, and the connections that this daemon makes for it.
@ReactorActor final class Errand {
    private let address: SocketAddress
    private let way: @ReactorActor () -> InterfaceChoice.Way
    private let heard: @ReactorActor (GiveReport) -> Void
    private var process: HelperProcess?
    private var dial: Dial?
    /// A connection to the device that nobody has taken yet.
    private var connected: Descriptor?
    /// How many connections it may still have: one for each request, and some that break.
    private var dialsLeft: Int
    private var deadline: TimerToken?

    /// Starts it.
    /// - Parameters:
    ///   - connected: a connection to the device, for its first request.
    ///   - way: how its device may be dialled.
    ///   - ended: is called once, when the process has ended, with a phrase for people that says why.
    init(
        _ program: String, _ order: GiveOrder.Errand, connected: Descriptor? = nil,
        way: @escaping @ReactorActor () -> InterfaceChoice.Way,
        heard: @escaping @ReactorActor (GiveReport) -> Void, ended: @escaping @ReactorActor (String) -> Void
    ) {
        address = SocketAddress(order.device.address, port: order.device.info.port)
        self.connected = connected
        self.way = way
        self.heard = heard
        dialsLeft = order.isGreeting ? 1 : order.items.count + GuestLimits.spareDials
        process = HelperProcess(
            program, ["give"],
            environment: ["SWIFT_BACKTRACE=enable=no", "MALLOC_ARENA_MAX=1", "LC_ALL=C.UTF-8", "TZ=UTC"],
            line: LocalSendLimits.lineBytes,
            heard: { [weak self] in
                guard let report = GiveReport(line: .object($0)) else { self?.end() ?? (); return }
                if report == .dial { self?.reach() } else { self?.heard(report) }
            },
            ended: { [weak self] in
                self?.dial?.cancel()
                self?.deadline?.cancel()
                self?.process = nil
                ended($0)
            })
        say(.begin(order))
    }

    func say(_ order: GiveOrder, with descriptor: Descriptor? = nil) {
        process?.say(order.line, with: descriptor)
        if let process, process.bufferedBytes > 2 * LocalSendLimits.lineBytes { end() }
    }

    /// Has it end: the device is told, and if that takes long it isn't.
    func stop() {
        say(.stop)
        deadline =
            deadline
            ?? Reactor.shared.schedule(at: Reactor.shared.now + GuestLimits.stopTime) { [weak self] in self?.end() }
    }

    /// Ends it at once.
    func end() { process?.stop() }

    private func reach() {
        guard dial == nil, dialsLeft > 0 else { return end() }
        dialsLeft -= 1
        if let connected {
            self.connected = nil
            return say(.socket, with: connected)
        }
        dial = Dial(address, way: way(), timeout: GuestLimits.dialTime) { [weak self] socket in
            guard let self else { return }
            dial = nil
            if let socket { say(.socket, with: socket) } else { say(.unreachable) }
        }
    }
}
