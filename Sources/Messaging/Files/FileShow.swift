import Store

/// What is shown of a single file that is offered.
package struct FileShow: Sendable {
    /// The type by content, where that says more than the name.
    package var type: MediaType
    /// A small JPEG or PNG.
    package var preview: [UInt8]?
    /// How long audio or video lasts, in milliseconds.
    package var duration: Int64?

    package init(type: MediaType, preview: [UInt8]? = nil, duration: Int64? = nil) {
        self.type = type
        self.preview = preview
        self.duration = duration
    }
}
