import Basics
import Crypto

/// Finds out whose key a tag was made with: it is a table of the tags of each epoch that counts, so that an unknown tag
/// costs a look into each.
struct TagTable<Owner: Sendable>: Sendable {
    struct Found: Sendable {
        let owner: Owner
        let key: SharedKey
        let epoch: UInt64
    }

    private let label: [UInt8]
    private let reach: UInt64
    private(set) var owners: [SharedKey: Owner] = [:]
    /// By epoch: an old one is dropped as a whole, and a new one is all that a turn of the clock costs.
    private var tags: [UInt64: [ShortTag: SharedKey]] = [:]
    private var epochs: ClosedRange<UInt64>?

    /// - Parameters:
    ///   - label: the label of the tags.
    ///   - reach: how many epochs to each side of our own count, for clocks differ.
    init(label: String, reach: UInt64) {
        self.label = Array(label.utf8) + [0]
        self.reach = reach
    }

    static func tag(_ label: String, _ key: SharedKey, _ epoch: UInt64) -> [UInt8] {
        key.shortTag(Array(label.utf8) + [0] + [UInt8](bigEndian: epoch)).bytes
    }

    /// Sets the owners whose keys are known from now on. The cost depends on what has changed.
    mutating func set(_ owners: [SharedKey: Owner]) {
        let old = self.owners
        self.owners = owners
        guard let epochs else { return }
        let (gone, new) = (old.keys.filter { owners[$0] == nil }, owners.keys.filter { old[$0] == nil })
        for epoch in epochs {
            let message = message(of: epoch)
            for key in gone { tags[epoch]?[key.shortTag(message)] = nil }
            for key in new { tags[epoch]?[key.shortTag(message)] = key }
        }
    }

    mutating func find(_ tag: [UInt8], at now: UInt64) -> Found? {
        turn(to: now - min(now, reach)...now + min(.max - now, reach))
        guard let tag = ShortTag(bytes: tag) else { return nil }
        for (epoch, tags) in tags {
            if let key = tags[tag], let owner = owners[key] { return Found(owner: owner, key: key, epoch: epoch) }
        }
        return nil
    }

    private mutating func turn(to wanted: ClosedRange<UInt64>) {
        guard epochs != wanted else { return }
        epochs = wanted
        for epoch in tags.keys where !wanted.contains(epoch) { tags[epoch] = nil }
        for epoch in wanted where tags[epoch] == nil {
            let message = message(of: epoch)
            var new: [ShortTag: SharedKey] = [:]
            new.reserveCapacity(owners.count)
            for key in owners.keys { new[key.shortTag(message)] = key }
            tags[epoch] = new
        }
    }

    private func message(of epoch: UInt64) -> [UInt8] { label + [UInt8](bigEndian: epoch) }
}

extension [UInt8] {
    /// Eight bytes, the most significant first.
    init(bigEndian value: UInt64) {
        self = []
        appendBigEndian(value)
    }
}
