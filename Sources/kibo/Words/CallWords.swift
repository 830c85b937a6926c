import ControlProtocol
import Vocabulary

/// Calls, as people read them.
enum CallWords {
    /// How a call stands, as a sentence; nil for what nobody needs to be told.
    static func sentence(_ call: Call, _ people: People) -> String? {
        let names = call.participants.filter { !call.group || $0.state?.takesPart == true }.map {
            people.name($0.account)
        }
        let group = call.conversation.map(people.title(ofConversation:)) ?? ""
        return call.group ? sentence(call, of: group, names) : sentence(call, names.first ?? "somebody")
    }

    /// - Parameter names: those who take part.
    private static func sentence(_ call: Call, of group: String, _ names: [String]) -> String? {
        let what = call.media == .video ? " with video" : ""
        let (place, all) = (group.isEmpty ? "a group" : group, names.joined(separator: ", "))
        switch call.state {
        case .incoming:
            return
                "\(names.first ?? "somebody") is calling \(place)\(what). Answer in the browser: kibo call --answer. Or: kibo call --decline"
        case .ongoing:
            if call.reason == .full { return "the call in \(place) is full" }
            return "there is a call in \(place): \(all). Join in the browser: kibo web"
        case .outgoing: return "you are alone in the call in \(place)"
        case .ringing: return "ringing in \(place)"
        case .active: return "you are talking in \(place) with \(all)"
        case .connecting, .away: return nil
        case .ended: return "the call in \(place) is over"
        }
    }

    /// The same of a call between two.
    static func sentence(_ call: Call, _ name: String) -> String? {
        let what = call.media == .video ? " with video" : ""
        switch (call.state, call.direction) {
        case (.incoming, _):
            return "\(name) is calling you\(what). Answer in the browser: kibo call --answer. Or: kibo call --decline"
        case (.outgoing, _): return "calling \(name)\(what)"
        case (.ringing, _): return "ringing \(name)"
        case (.active, _): return "you are talking with \(name)"
        case (.connecting, _), (.away, _), (.ongoing, _): return nil
        case (.ended, _): return "the call with \(name) is over\(because(call.reason))"
        }
    }

    private static func because(_ reason: CallEnding?) -> String {
        switch reason {
        case nil, .hangup?: ""
        case .declined?: ": declined"
        case .cancelled?: ": taken back"
        case .unanswered?: ": not answered"
        case .busy?: ": busy"
        case .elsewhere?: ": it continues on another device"
        case .nobody?: ": nothing could ring"
        case .unsupported?: ": their Kibo can't take calls"
        case .notAllowed?: ": they have switched calls off"
        case .failed?: ": no connection could be made"
        case .lost?: ": the connection was lost"
        case .full?: ": the call is full"
        }
    }
}
