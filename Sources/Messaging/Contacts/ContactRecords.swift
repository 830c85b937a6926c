import Basics
import PeerProtocol
import Store
import Vocabulary

/// A contact's row as the machine sees it, and back.
extension ContactRow {
    package var machine: ContactMachine {
        get { ContactMachine(relation: relation, history: history, note: note) }
        set { (relation, history, note) = (newValue.relation, newValue.history, newValue.note) }
    }

    /// The name that is shown here.
    package var shownName: String { alias.isEmpty ? displayName : alias }
}
