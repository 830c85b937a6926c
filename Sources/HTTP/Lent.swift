import Reactor

/// Pointers that libmicrohttpd lends for the length of a call. It makes its calls from within MHD_run, on the reactor's
/// thread, but a C function can't say so.
struct Lent<Values>: @unchecked Sendable {  // The library owns what they point to; only the reactor's thread looks.
    private let values: Values

    init(_ values: Values) { self.values = values }

    /// Goes on as a part of the reactor, where the call came from.
    func onReactor<Result: Sendable>(_ body: @ReactorActor (Values) -> Result) -> Result {
        ReactorActor.assumeIsolated { body(values) }
    }
}
