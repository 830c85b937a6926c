import CMicrohttpd
import Glibc
import Reactor

/// Hands an answer to the library.
@ReactorActor enum Answer {
    /// - Parameter slowReaderSeconds: seconds without a byte after which an answer ends that is read as it is played.
    /// - Returns: false if it can't be sent, so that the connection ends.
    static func queue(
        _ reply: Reply, on connection: OpaquePointer, of server: HTTPServer, slowReaderSeconds: UInt32
    ) -> Bool {
        guard let response = response(reply.body) else { return false }
        defer { MHD_destroy_response(response) }
        let names = Set(reply.fields.map { $0.name.lowercased() })
        for field in server.common.filter({ !names.contains($0.name.lowercased()) }) + reply.fields {
            guard MHD_add_response_header(response, field.name, field.value) == .YES else { return false }
        }
        switch reply.body {
        case .bytes: break
        case .file: kibo_http_set_timeout(connection, slowReaderSeconds)
        case .stream(let stream):
            kibo_http_set_timeout(connection, slowReaderSeconds)
            stream.goes(over: StreamConnection(connection, of: server))
        }
        return MHD_queue_response(connection, reply.status, response) == .YES
    }

    /// The stream as the library holds it: a pointer needs a class.
    private final class HeldStream {
        let stream: any ReplyStream
        init(_ stream: any ReplyStream) { self.stream = stream }
    }

    private static func response(_ body: Reply.Body) -> OpaquePointer? {
        switch body {
        case .bytes(let bytes):
            return bytes.withUnsafeBytes {
                MHD_create_response_from_buffer(
                    $0.count, UnsafeMutableRawPointer(mutating: $0.baseAddress), .RESPMEM_MUST_COPY)
            }
        case .file(let descriptor, let offset, let count):
            let response = MHD_create_response_from_fd_at_offset64(
                UInt64(clamping: count), descriptor, UInt64(clamping: offset))
            if response == nil { close(descriptor) }
            return response
        case .stream(let stream):
            // The size is not known: UINT64_MAX (MHD_SIZE_UNKNOWN).
            return MHD_create_response_from_callback(
                UInt64.max, 32 << 10,
                { context, _, buffer, most in
                    Lent((context, buffer)).onReactor { context, buffer in
                        guard let context, let buffer else { return -1 }
                        let held = Unmanaged<HeldStream>.fromOpaque(context).takeUnretainedValue()
                        return held.stream.read(into: UnsafeMutableRawBufferPointer(start: buffer, count: most))
                    }
                },
                Unmanaged.passRetained(HeldStream(stream)).toOpaque(),
                { context in
                    Lent(context).onReactor { context in
                        guard let context else { return }
                        Unmanaged<HeldStream>.fromOpaque(context).takeRetainedValue().stream.close()
                    }
                })
        }
    }
}
