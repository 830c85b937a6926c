import Basics
import Messaging
import PeerProtocol
import Reactor
import Runtime
import Store

/// Keeps the machine's effects in their order while they wait for commits that came before them.
struct CallEffectQueue {
    private struct Batch {
        let number: UInt64
        let effects: [CallEffect]
        var isStored: Bool
    }

    private var batches: [Batch] = []
    private var last: UInt64 = 0

    var isEmpty: Bool { batches.isEmpty }

    /// Adds a batch of effects.
    /// - Parameter isStored: whether there is nothing to store.
    /// - Returns: the number of the batch.
    mutating func enter(_ effects: [CallEffect], isStored: Bool) -> UInt64 {
        last += 1
        batches.append(Batch(number: last, effects: effects, isStored: isStored))
        return last
    }

    /// Notes that a batch is on disk, or never will be.
    /// - Returns: the batches whose turn it is now.
    mutating func stored(_ number: UInt64) -> [[CallEffect]] {
        if let index = batches.firstIndex(where: { $0.number == number }) { batches[index].isStored = true }
        let ready = batches.prefix(while: \.isStored).map(\.effects)
        batches.removeFirst(ready.count)
        return ready
    }
}

/// The effects that change the database, as one transaction.
struct CallWrites: Sendable {
    /// A call whose conversation is looked up, or made.
    struct Place: Sendable {
        let call: UUIDv7
        let account: AccountID
    }

    let places: [Place]
    private let effects: [CallEffect]
    private let author: Author?

    /// This device as the author of entries in groups' logs, with the means to write them.
    struct Author: Sendable {
        let party: CallParty
        let voice: GroupVoice

        func announce(_ note: GroupCallNote, in transaction: WriteTransaction) throws {
            try CallRecords.announce(note, by: party, voice: voice, in: transaction)
        }
    }

    init(_ effects: [CallEffect], places: [Place], author: Author?) {
        self.places = places
        self.author = author
        self.effects = effects.filter {
            switch $0 {
            case .keep, .drop, .record, .recordOfGroup, .announce: true
            case .tell, .changed: false
            }
        }
    }

    var isEmpty: Bool { effects.isEmpty && places.isEmpty }

    /// Hands over what must not be lost and can't be stored now: it is stored once that is possible.
    @ReactorActor func keep(in commits: RetriedCommits) {
        for effect in effects {
            switch effect {
            case .record(let note): commits.commit(.call(note.id)) { try CallRecords.write(note, in: $0) }
            case .recordOfGroup(let note): commits.commit(.call(note.id)) { try CallRecords.write(note, in: $0) }
            case .announce(let note):
                let author = author
                commits.commit(.callBegun(note.id)) { try author?.announce(note, in: $0) }
            case .keep, .drop, .tell, .changed: break
            }
        }
    }

    /// Writes the effects.
    /// - Returns: the conversations of the places, by call.
    func commit(in transaction: WriteTransaction) throws -> [UUIDv7: UUIDv7] {
        for effect in effects {
            switch effect {
            case .keep(let id, let bytes): try transaction.keepCall(id, bytes)
            case .drop(let id): try transaction.dropCall(id)
            case .record(let note): try CallRecords.write(note, in: transaction)
            case .recordOfGroup(let note): try CallRecords.write(note, in: transaction)
            case .announce(let note): try author?.announce(note, in: transaction)
            case .tell, .changed: break
            }
        }
        var conversations: [UUIDv7: UUIDv7] = [:]
        for place in places where try transaction.contact(place.account) != nil {
            conversations[place.call] = try CallRecords.conversation(with: place.account, in: transaction)
        }
        return conversations
    }
}
