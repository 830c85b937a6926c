/// The head of a request as the parser read it.
package struct RequestHead: Hashable, Sendable {
    /// One field; the name is in lower case.
    package struct Field: Hashable, Sendable {
        package let name: String
        package let value: String

        package init(_ name: String, _ value: String) {
            self.name = name.lowercased()
            self.value = value
        }
    }

    package var method: String
    /// Path and query as they were written.
    package var target: String
    package var version: String
    package var fields: [Field]
    /// Whether it was written as browsers write it, to the byte.
    package var isPlain: Bool
    /// Bytes of the whole head.
    package var size: Int

    package init(
        method: String, target: String, version: String = "HTTP/1.1", fields: [Field], isPlain: Bool = true,
        size: Int = 1_000
    ) {
        self.method = method
        self.target = target
        self.version = version
        self.fields = fields
        self.isPlain = isPlain
        self.size = size
    }

    /// The value of a field; nil if it is not there. The gate has refused heads that have one twice.
    package func value(_ name: String) -> String? { fields.first { $0.name == name }?.value }
}
