import Basics
import ControlProtocol
import Store
import Vocabulary

/// An event as it goes out.
struct ComposedEvent: Sendable {
    let seq: Int64
    let at: WallTime
    let type: EventType
    let change: ChangeKind
    /// Of a message: what of it changed.
    var aspects: MessageAspects = []
    let data: EventData
}

extension EventType {
    /// The type of event that clients get for each record of the store.
    init(_ record: EventRecord) {
        switch (record.object, record.change) {
        case (.account, _): self = .accountChanged
        case (.contact, _): self = .contactChanged
        case (.conversation, _): self = .conversationChanged
        case (.message, .insert): self = .messageAdded
        case (.message, .update): self = .messageChanged
        case (.message, .delete): self = .messageRemoved
        case (.transfer, _): self = .transferChanged
        case (.setting, _): self = .settingsChanged
        case (.group, _): self = .groupChanged
        }
    }
}
