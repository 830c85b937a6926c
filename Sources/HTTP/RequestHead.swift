/// The head of a request as the parser read it.
public struct RequestHead: Hashable, Sendable {
    /// One field; the name is in lower case.
    public struct Field: Hashable, Sendable {
        public let name: String
        public let value: String

        public init(_ name: String, _ value: String) {
            self.name = name.lowercased()
            self.value = value
        }
    }

    public var method: String
    /// Path and query as they were written.
    public var target: String
    public var version: String
    public var fields: [Field]
    /// Whether it was written as browsers write it, to the byte.
    public var isPlain: Bool
    /// Bytes of the whole head.
    public var size: Int

    public init(
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
    public func value(_ name: String) -> String? { fields.first { $0.name == name }?.value }
}
