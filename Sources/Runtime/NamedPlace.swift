import Basics
import Threads

/// Looks at files and folders that a configuration names. They may be on a mount that hangs, and a look at one must not hold up
/// a start or a reload for ever.
package enum NamedPlace {
    private enum State<Value: Sendable>: Sendable {
        case looking
        case done(Result<Value, StartError>)
        /// Nobody waits any more.
        case abandoned
    }

    /// The paths at which threads look that nobody waits for any more.
    private static let hanging = Lock<Set<String>>([])

    /// Looks at a path on a thread of its own. It blocks, but only for a limited time.
    ///
    /// A thread that got no answer stays until the kernel gives it one. As long as it stays, the path is not looked at again.
    /// - Parameters:
    ///   - patience: how long to wait for the look.
    ///   - body: the look.
    /// - Throws: what the look throws; ``StartError/failed(_:)`` if there is no answer in time, or no thread.
    package static func look<Value: Sendable>(
        at path: String, patience: Duration = RuntimeLimits.namedPlacePatience,
        _ body: @escaping @Sendable () throws(StartError) -> Value
    ) throws(StartError) -> Value {
        guard !hanging.withLock({ $0.contains(path) }) else { throw noAnswer(path) }
        let state = ConditionLock<State<Value>>(.looking)
        do {
            _ = try PlatformThread.spawn(name: "named place") {
                let result: Result<Value, StartError>
                do throws(StartError) { result = .success(try body()) } catch { result = .failure(error) }
                state.withLock {
                    if case .abandoned = $0 { _ = hanging.withLock { $0.remove(path) } } else { $0 = .done(result) }
                }
                state.wake()
            }
        } catch {
            throw .failed("can't look at \(path): \(error)")
        }
        let end = ContinuousClock.now + patience
        let result: Result<Value, StartError> = state.wait { state in
            if case .done(let result) = state { return .found(result) }
            let left = ContinuousClock.now.duration(to: end)
            guard left <= .zero else { return .again(after: left) }
            state = .abandoned
            _ = hanging.withLock { $0.insert(path) }
            return .found(.failure(noAnswer(path)))
        }
        return try result.get()
    }

    private static func noAnswer(_ path: String) -> StartError {
        .failed("can't read \(path): the disk or file server that it is on doesn't answer")
    }
}
