/// The actor of everything that lives on the reactor thread. Shells are `@ReactorActor final class`es and call each other
/// synchronously.
@globalActor public actor ReactorActor {
    /// The one instance.
    public static let shared = ReactorActor()

    private init() {}

    /// The reactor thread.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { Reactor.shared.asUnownedSerialExecutor() }
    /// The reactor thread, without the detour through the instance.
    public static var sharedUnownedExecutor: UnownedSerialExecutor { Reactor.shared.asUnownedSerialExecutor() }

    /// Runs `body` at once, as part of the actor, from synchronous code that is known to be on the reactor thread.
    ///
    /// Like `MainActor.assumeIsolated`, it traps on any other thread, since that is a mistake of ours and not of a
    /// peer's.
    public static func assumeIsolated<T: Sendable>(
        _ body: @ReactorActor () throws -> T, file: StaticString = #fileID, line: UInt = #line
    ) rethrows -> T {
        precondition(Reactor.shared.isCurrentThread, "not on the reactor thread", file: file, line: line)
        return try withoutActuallyEscaping(body) { body in
            // The closure's type differs only in the isolation that has just been checked.
            try unsafeBitCast(body, to: (() throws -> T).self)()
        }
    }
}
