import Vocabulary

/// How the backups of this account are: the last one, and one that goes on.
public struct BackupStatus: ContractObject {
    /// A backup that counts.
    public struct Last: ContractObject, Hashable {
        public var madeAt: Int64 = 0
        public var name = ""
        public var path: String?
        public var bytes: Int64 = 0
        public var takesPassphrase = false
        public var takesCode = false

        public static let contractName = "BackupStatus.last"

        public init() {}

        public mutating func describe(_ fields: inout ObjectFields) throws(ShapeError) {
            try fields.field("madeAt", &madeAt, as: .time, "when it was made")
            try fields.field("name", &name, as: .line, "the name of the file")
            try fields.nullable("path", &path, as: .path, "the file")
            try fields.field("bytes", &bytes, as: .bytes, "its size")
            try fields.field("takesPassphrase", &takesPassphrase, "whether a passphrase of its own opens it")
            try fields.field("takesCode", &takesCode, "whether the account's recovery code opens it")
        }
    }

    /// What a backup that goes on is doing.
    public enum Step: String, ContractWord {
        /// Rows are written into a file.
        case writing
        /// A file is read: one that was just written, one that is looked at, or one that is restored.
        case reading
        /// What was restored is put in order.
        case finishing
    }

    /// How far a backup is that is made, looked at or restored.
    public struct Running: ContractObject, Hashable {
        public var step = Step.writing
        public var done: Int64 = 0
        public var total: Int64 = 0

        public init(step: Step, done: Int64, total: Int64) { (self.step, self.done, self.total) = (step, done, total) }

        public static let contractName = "BackupStatus.running"

        public init() {}

        public mutating func describe(_ fields: inout ObjectFields) throws(ShapeError) {
            try fields.field(
                "step", &step,
                "`writing` rows into a file; `reading` a file; `finishing`: what was restored is put in order")
            try fields.field("done", &done, as: .count, "what is done of this step")
            try fields.field("total", &total, as: .count, "the whole step; 0: it is not known")
        }
    }

    public var last: Last?
    public var due = false
    public var codeShownAt: Int64?
    public var running: Running?

    public static let contractName = "BackupStatus"

    public init() {}

    public mutating func describe(_ fields: inout ObjectFields) throws(ShapeError) {
        try fields.nullable(
            "last", &last, as: Last.contractType, "the last backup known here; null: none was ever made")
        try fields.field("due", &due, "whether there is none, or the last is older than 30 days")
        try fields.nullable(
            "codeShownAt", &codeShownAt, as: .time, "when the recovery code was last shown; null: never")
        try fields.nullable(
            "running", &running, as: Running.contractType, "one that is being made, looked at or restored now")
    }
}
