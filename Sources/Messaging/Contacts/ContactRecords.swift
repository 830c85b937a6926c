import Basics
import PeerProtocol
import Store
import Vocabulary

/// A contact's row as the machine sees it, and back.
extension ContactRow {
    package var machine: ContactMachine {
        get {
            var machine = ContactMachine()
            machine.relation = relation
            machine.said = history.said
            machine.saidAt = history.saidAt
            machine.heardAt = history.heardAt
            machine.heardFrame = history.heardFrame
            machine.request = history.ownRequest
            machine.theirRequest = history.theirRequest
            machine.asks = Int(clamping: history.asks)
            machine.asksSince = history.asksSince
            machine.note = note
            machine.refusal = history.refusal.map { Refusal($0, detail: history.refusalDetail) }
            return machine
        }
        set {
            relation = newValue.relation
            note = newValue.note
            history.said = newValue.said
            history.saidAt = newValue.saidAt
            history.heardAt = newValue.heardAt
            history.heardFrame = newValue.heardFrame
            history.ownRequest = newValue.request
            history.theirRequest = newValue.theirRequest
            history.asks = Int64(newValue.asks)
            history.asksSince = newValue.asksSince
            history.refusal = newValue.refusal?.reason
            history.refusalDetail = newValue.refusal?.detail
        }
    }

    /// The name that is shown here.
    package var shownName: String { alias.isEmpty ? displayName : alias }
}
