import CMicrohttpd

extension RequestHead {
    /// The head as the library has read it.
    /// - Parameter limit: the fields that a head may have. One more is read, so that a gate sees that there are too many.
    public init(
        _ connection: OpaquePointer, target: String, method: UnsafePointer<CChar>, version: UnsafePointer<CChar>,
        limit: Int
    ) {
        let capacity = limit + 1
        var fields = [kibo_http_field](repeating: kibo_http_field(), count: capacity)
        let count = kibo_http_fields(connection, &fields, CInt(capacity))
        let isPlain =
            count <= CInt(limit)
            && kibo_http_is_plain(connection, method, target.utf8.count, version, fields, count)
        self.init(
            method: String(cString: method), target: target, version: String(cString: version),
            fields: fields.prefix(max(0, Int(count))).map {
                Field(Self.text($0.name, $0.name_size), Self.text($0.value, $0.value_size))
            },
            isPlain: isPlain, size: kibo_http_head_size(connection))
    }

    /// Bytes that are not UTF-8 become a character that a gate may allow in values, where it matches nothing.
    private static func text(_ start: UnsafePointer<CChar>?, _ size: Int) -> String {
        String(decoding: UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : size), as: UTF8.self)
    }
}
