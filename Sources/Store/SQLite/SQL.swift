/// The text of one statement. Each is made once, as a `static let` beside the query method that runs it. Each
/// connection keeps its prepared form under the object's identity, so no text is hashed or parsed twice.
final class SQL: Sendable {
    let text: String
    init(_ text: String) { self.text = text }
}
