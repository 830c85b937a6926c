import ControlProtocol
import Messaging
import Runtime

extension PutOffBoard {
    /// What a commit has found.
    func note(_ news: IntakeNews) {
        guard !news.putOff.isEmpty || !news.taken.isEmpty else { return }
        note(putOff: news.putOff.mapValues(\.reason), taken: news.taken)
    }
}

extension PutOff {
    fileprivate var reason: PutOffReason {
        switch self {
        case .day: .day
        case .room: .room
        }
    }
}
