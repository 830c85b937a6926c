import CMicrohttpd
import Reactor

/// An answer that goes on for as long as both sides want.
@ReactorActor package protocol ReplyStream: AnyObject, Sendable {
    /// Notes the connection over which the library sends the stream.
    func goes(over connection: StreamConnection)
    /// Fills the library's buffer.
    /// - Returns: how many bytes it has filled; 0 if there are none now, −1 at the end.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int
    /// Closes the stream, whichever side has ended the answer.
    func close()
}

/// An answer to one request.
package struct Reply {
    /// What follows the head.
    package enum Body {
        case bytes([UInt8])
        /// A part of a file. The descriptor is closed once it is sent or not wanted any more.
        case file(descriptor: CInt, offset: Int64, count: Int64)
        case stream(any ReplyStream)
    }

    package let status: UInt32
    package var fields: [(name: String, value: String)]
    package let body: Body

    package init(_ status: UInt32, _ fields: [(name: String, value: String)] = [], _ body: Body = .bytes([])) {
        self.status = status
        self.fields = fields
        self.body = body
    }
}

/// The connection over which a stream goes.
@ReactorActor package struct StreamConnection {
    private let connection: OpaquePointer
    private weak var server: HTTPServer?

    init(_ connection: OpaquePointer, of server: HTTPServer) {
        self.connection = connection
        self.server = server
    }

    /// Its socket.
    package var descriptor: CInt { kibo_http_socket(connection) }

    /// Holds the connection, from within ``ReplyStream/read(into:)``, until ``wake()``.
    package func rest() { MHD_suspend_connection(connection) }

    /// Lets a held connection go on.
    package func wake() { server?.resume(connection) }
}
