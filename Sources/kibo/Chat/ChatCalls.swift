import Basics
import ControlProtocol

/// The calls that are not over. They say what rings, whichever chat is shown, and which call the commands are about.
struct ChatCalls: Equatable {
    /// The time between two bells while a call rings.
    static let bell = Duration.seconds(4)

    private var calls: [Call] = []
    /// When the bell sounds next; nil while no call is to be heard.
    private(set) var bellAt: Instant?

    /// The oldest call that rings here.
    var ringing: Call? { calls.first { $0.state == .incoming } }

    /// The oldest call in which the user talks, or waits for an answer.
    var engaged: Call? { calls.first { $0.state != .incoming && $0.state != .ongoing } }

    /// Takes in all calls, as a list brings them.
    mutating func replace(with list: [Call]) { calls = list.filter { $0.state != .ended } }

    /// Takes in the newest state of a call.
    /// - Returns: how the call stood before; nil for one that was not known.
    mutating func update(_ call: Call) -> Call? {
        let before = calls.first { $0.id == call.id }
        calls.removeAll { $0.id == call.id }
        if call.state != .ended { calls.append(call) }
        calls.sort { ($0.startedAt, $0.id) < ($1.startedAt, $1.id) }
        return before
    }

    /// Whether the bell is to sound now. Calls in muted chats are only shown.
    /// - Parameter isMuted: says whether the conversation with this id is muted.
    mutating func rings(at now: Instant, isMuted: (String?) -> Bool) -> Bool {
        guard calls.contains(where: { $0.state == .incoming && !isMuted($0.conversation) }) else {
            bellAt = nil
            return false
        }
        if let bellAt, now < bellAt { return false }
        bellAt = now + Self.bell
        return true
    }
}
