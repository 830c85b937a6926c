import ControlProtocol

// The wire and the control interface use the same words for roles and states of groups; these are the control interface's.

/// What a client is told that a member may do.
typealias ShownGroupRole = GroupRole
/// What a client is told of how this account stands to a group.
typealias ShownGroupState = GroupState
