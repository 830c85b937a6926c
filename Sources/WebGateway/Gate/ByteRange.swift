/// The part of a file that a browser asks for (RFC 9110 §14).
package enum ByteRange: Hashable, Sendable {
    /// The whole file: the browser asked for no range, or for one that we don't read (several parts, other units).
    case whole
    case part(first: Int64, count: Int64)
    /// It lies outside.
    case outside

    /// Reads the field `Range` for a file of that many bytes.
    package init(_ field: String?, size: Int64) {
        guard let field, field.hasPrefix("bytes="), !field.contains(",") else {
            self = .whole
            return
        }
        let ends = field.dropFirst("bytes=".count).split(separator: "-", omittingEmptySubsequences: false).map(
            String.init)
        guard ends.count == 2 else {
            self = .whole
            return
        }
        switch (Route.number(ends[0]), Route.number(ends[1])) {
        case (let first?, let last?) where first <= last: self = Self.part(first, last, size)
        case (let first?, nil) where ends[1].isEmpty: self = Self.part(first, size - 1, size)
        case (nil, let count?) where ends[0].isEmpty:
            self = count == 0 || size == 0 ? .outside : .part(first: max(0, size - count), count: min(count, size))
        default: self = .whole
        }
    }

    private static func part(_ first: Int64, _ last: Int64, _ size: Int64) -> ByteRange {
        guard first < size else { return .outside }
        return .part(first: first, count: min(last, size - 1) - first + 1)
    }
}
