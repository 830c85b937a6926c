import Basics
import Reactor

/// Keeps an eye on the interfaces that are used, and on the host's sleep.
@ReactorActor package final class NetworkWatch {
    /// What has changed since the last look.
    package struct Change: Equatable {
        /// Addresses that can be used now and could not before: new, or plugged in again.
        package var came: [NetworkInterface] = []
        package var went: [NetworkInterface] = []
        /// The host has slept: what was known of the network may be wrong, also if it looks the same.
        var hasSlept = false
    }

    private let choice: InterfaceChoice
    private let clocks: any Clocks
    private let log: Logger
    private var watcher: InterfaceWatcher?
    private var timer: TimerToken?
    private var sleep: SleepDetector
    private var onChange: @ReactorActor (Change) -> Void = { _ in }

    /// The addresses that are used now.
    package private(set) var current: [NetworkInterface]

    package init(choice: InterfaceChoice, clocks: any Clocks, log: Logger) {
        self.choice = choice
        self.clocks = clocks
        self.log = log
        current = choice.current()
        sleep = SleepDetector(boot: clocks.now, waking: SleepDetector.wakingTime)
    }

    /// Begins to watch; `onChange` is called for what changes from now on.
    package func start(_ onChange: @escaping @ReactorActor (Change) -> Void) {
        self.onChange = onChange
        do {
            // One replugged cable makes a dozen messages: wait until they have come.
            watcher = try InterfaceWatcher { [weak self] in self?.look(after: NetworkLimits.interfaceDebounce) }
        } catch {
            log.warning("interfaces can't be watched; they are looked at now and then", [("error", "\(error)")])
        }
        look(after: .zero)
        if let names = choice.names, current.isEmpty {
            log.warning(
                "none of the interfaces to be used is there; nobody is heard or called until one is",
                [("interfaces", names.sorted().joined(separator: ","))])
        }
    }

    package func stop() {
        watcher?.close()
        watcher = nil
        timer?.cancel()
        timer = nil
        onChange = { _ in }
    }

    /// Notices that the host has slept. It is to be called now and then; the reactor's timers that came due meanwhile run at once.
    func beat() {
        guard let slept = sleep.look(boot: clocks.now, waking: SleepDetector.wakingTime) else { return }
        log.notice("the host has slept", [("seconds", "\(slept.milliseconds / 1000)")])
        look(hasSlept: true)
    }

    /// The interface on whose network an address lies; nil for one that is reached through a router.
    package func link(of address: IPAddress) -> UInt32? {
        if case .v6(_, _, let scope) = address, address.isLinkLocal, scope != 0 { return scope }
        return current.first { $0.contains(address) }?.index
    }

    private func look(after delay: Duration) {
        // A change that comes during the wait is seen by that look.
        guard timer == nil else { return }
        timer = Reactor.shared.schedule(at: clocks.now + delay) { [weak self] in
            guard let self else { return }
            timer = nil
            look(hasSlept: false)
            if watcher == nil { look(after: NetworkLimits.interfacePolling) }
        }
    }

    private func look(hasSlept: Bool) {
        let before = current
        current = choice.current()
        var change = Self.difference(before, current)
        change.hasSlept = hasSlept
        guard change != Change() else { return }
        for interface in change.came { log.info("an address is used from now on", Self.fields(interface)) }
        for interface in change.went { log.info("an address is gone", Self.fields(interface)) }
        onChange(change)
    }

    private static func fields(_ interface: NetworkInterface) -> [(String, String)] {
        [("interface", interface.name), ("address", "\(interface.address)")]
    }

    /// An interface that lost its carrier keeps its addresses: only its return is news.
    package nonisolated static func difference(_ before: [NetworkInterface], _ after: [NetworkInterface]) -> Change {
        let identity = { (interface: NetworkInterface) in Identity(interface) }
        let usable = Set(before.filter(\.hasCarrier).map(identity))
        let remaining = Set(after.map(identity))
        return Change(
            came: after.filter { $0.hasCarrier && !usable.contains(identity($0)) },
            went: before.filter { !remaining.contains(identity($0)) })
    }

    private struct Identity: Hashable {
        let index: UInt32
        let address: IPAddress
        let prefixLength: Int
        let broadcast: IPAddress?

        init(_ interface: NetworkInterface) {
            index = interface.index
            address = interface.address
            prefixLength = interface.prefixLength
            broadcast = interface.broadcast
        }
    }
}
