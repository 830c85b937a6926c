import ControlProtocol

/// Fills one page of a list: as many objects as were asked for, and not more JSON than a client reads in one go.
///
/// A client that gets less than it asked for learns that there is more, and asks for the next page.
package struct PageBuilder {
    private let limit: Int
    private var bytes = 0
    package private(set) var objects: [JSONValue] = []

    package init(limit: Int) { self.limit = limit }

    /// How many objects to read next: few enough that memory holds them all, however long they are.
    var wanted: Int { min(limit - objects.count, ControlLimits.listPiece) }

    var isFull: Bool { objects.count >= limit }

    /// - Returns: false if the object is for the next page. The first one is taken, however large it is.
    package mutating func accept(_ object: JSONValue) -> Bool {
        guard !isFull else { return false }
        var object = object
        object.encodeOnce()
        let (sum, overflow) = bytes.addingReportingOverflow(object.encodedCount + 1)
        guard !overflow, objects.isEmpty || sum <= ControlLimits.listBytes else { return false }
        bytes = sum
        objects.append(object)
        return true
    }
}
