/// Why a peer's words are not taken now.
public enum PutOffReason: String, ContractWord {
    /// They have said as much today as `messages.dailyBytes` allows.
    case day
    /// The disk is nearly full, and they have used their part of what is left.
    case room
}

extension DaemonStatus {
    /// Somebody whose words are not taken now. The words wait on their side and are sent again by themselves.
    public struct PutOff: ContractObject {
        public var account = ""
        public var name: String?
        public var reason = PutOffReason.day
        public var since: Int64 = 0

        public init(account: String, name: String?, reason: PutOffReason, since: Int64) {
            self.account = account
            self.name = name
            self.reason = reason
            self.since = since
        }

        public static let contractName = "system.status.putOff"

        public init() {}

        public mutating func describe(_ fields: inout ObjectFields) throws(ShapeError) {
            try fields.field(
                "account", &account, as: .account,
                "the account; for group members who aren't contacts, whoever added them, which may be this account")
            try fields.optional("name", &name, as: .name, "the contact's name, if it is one")
            try fields.field(
                "reason", &reason,
                "`day`: they have sent as much today as `messages.dailyBytes` allows; `room`: the disk is nearly full")
            try fields.field("since", &since, as: .time, "since when")
        }
    }
}
