import Basics
import Threads
import Transfer

/// The files of groups that are being given or fetched. Threads that give the same file share one object: the author's
/// knows which chunks it has given least, and a fetching member's knows what has just come.
package final class SharedFiles: Sendable {
    private struct State {
        var sharedFiles: [UUIDv7: SharedFile] = [:]
        var takers: [UUIDv7: Int] = [:]
        /// The files that a fetch is filling.
        var live: Set<UUIDv7> = []
        /// The files in the order of their last use; the one used last stands last.
        var order: [UUIDv7] = []
    }

    private let state = Lock(State())

    /// Call when a member begins to take a file; ``leave(_:)`` must follow.
    /// - Parameter isRenewed: whether a file that has changed on the disk may be whole again by now.
    /// - Throws: `busy` if enough other members take it.
    package func enter(_ id: UUIDv7, isRenewed: Bool = false, make: () throws -> SharedFile) throws -> SharedFile {
        let file = try state.withLock { state -> SharedFile? in
            guard state.takers[id, default: 0] < TransferLimits.Swarm.takers else {
                throw TransferFailure.peer(.busy, detail: "enough others fetch it from here")
            }
            state.takers[id, default: 0] += 1
            if isRenewed, state.sharedFiles[id]?.hasChanged == true {
                state.sharedFiles[id] = nil
                state.order.removeAll { $0 == id }
            }
            return state.sharedFiles[id]
        }
        if let file { return file }
        do {
            let made = try make()
            return state.withLock { state in
                if let other = state.sharedFiles[id] { return other }
                state.sharedFiles[id] = made
                state.order.append(id)
                Self.trim(&state)
                return made
            }
        } catch {
            leave(id)
            throw error
        }
    }

    package func leave(_ id: UUIDv7) {
        state.withLock { state in
            let left = state.takers[id, default: 1] - 1
            state.takers[id] = left > 0 ? left : nil
            Self.trim(&state)
        }
    }

    /// Shares a file that a fetch has begun to fill.
    package func show(_ sharedFile: SharedFile) {
        state.withLock { state in
            if state.sharedFiles.updateValue(sharedFile, forKey: sharedFile.transfer) == nil {
                state.order.append(sharedFile.transfer)
            }
            state.live.insert(sharedFile.transfer)
        }
    }

    /// Call when a fetch has ended.
    /// - Parameter isWhole: whether all of the file is here, so that we can give it to others.
    package func settle(_ id: UUIDv7, isWhole: Bool) {
        state.withLock { state in
            state.live.remove(id)
            if !isWhole {
                state.sharedFiles[id] = nil
                state.order.removeAll { $0 == id }
            }
            Self.trim(&state)
        }
    }

    /// Lists of large files take memory: only some of the unused ones stay.
    private static func trim(_ state: inout State) {
        var spare = state.sharedFiles.count - TransferServiceLimits.sharedFiles
        for id in state.order where spare > 0 && state.takers[id] == nil && !state.live.contains(id) {
            state.sharedFiles[id] = nil
            spare -= 1
        }
        state.order.removeAll { state.sharedFiles[$0] == nil }
    }
}
