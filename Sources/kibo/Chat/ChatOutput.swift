import Basics
import ControlProtocol

/// The effects that are wanted of the loop, in their order.
struct ChatOutput {
    /// Sounds come no faster.
    static let quiet = Duration.seconds(2)

    private var effects: [ChatEffect] = []
    /// Methods that this daemon does not have.
    private var missing: Set<String> = []
    private var lastBell: Instant?

    /// Asks the daemon, if it is there and has the method.
    mutating func call(_ state: ChatState, _ method: String, _ params: JSONObject, _ request: ChatRequest) {
        if state.isConnected, !missing.contains(method) { effects.append(.call(method, params, request)) }
    }

    mutating func effect(_ effect: ChatEffect) { effects.append(effect) }

    /// A sound, but not one for each of many.
    mutating func ring(at now: Instant) {
        if let lastBell, now - lastBell < Self.quiet { return }
        lastBell = now
        effects.append(.bell)
    }

    /// Says something to the person; with a sound if it is bad.
    /// - Parameter key: the only key that leaves the words standing; nil if all do.
    mutating func notify(_ state: inout ChatState, _ text: String, isBad: Bool = false, onlyFor key: Keystroke? = nil) {
        state.notify(text, isBad: isBad, onlyFor: key)
        if isBad { ring(at: state.now) }
    }

    /// The daemon does not have this method.
    mutating func miss(_ method: String) { missing.insert(method) }

    /// There is another daemon, perhaps, with other methods.
    mutating func connected() { missing = [] }

    /// Takes the effects that have gathered.
    mutating func drain() -> [ChatEffect] {
        defer { effects = [] }
        return effects
    }
}
