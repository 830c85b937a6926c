import Vocabulary

/// Where a request to be friends comes from.
package struct RequestOrigin: Hashable, Sendable {
    /// An IPv4 address, an IPv6 network or a link; nil if it is not known.
    package var source: String?
    package var asker: Asker
    /// Whether another request of this source may be taken now.
    package var mayAsk: Bool

    package init(source: String? = nil, asker: Asker = .faraway, mayAsk: Bool = true) {
        self.source = source
        self.asker = asker
        self.mayAsk = mayAsk
    }
}
