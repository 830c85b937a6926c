import Vocabulary

extension Catalogue {
    private static let name = ValueType.label(minimum: 1, maximum: SharedLimits.groupNameCharacters)
    private static let description = FieldSpec.optional(
        "description", .text(.characters(SharedLimits.groupDescriptionCharacters)), "what it is for; empty for none")
    private static let avatar = FieldSpec.optional(
        "avatarPath", .emptyOr(.file),
        "a PNG, JPEG, GIF or WebP of at most 64 MiB and 40 million pixels, cropped to a square; empty for none")
    private static let history = FieldSpec.optional(
        "history", .integer(0...Int64(SharedLimits.groupHistory)),
        "how many of the last messages a new member sees; 0: only what is written after they join")
    private static let id = FieldSpec.required("id", .uuid, "the group")
    private static let avatarErrors: [Reason] = [.typeNotAllowed, .noSpace]

    static let groupMethods: [MethodSpec] = [
        MethodSpec(
            "group.create",
            "Creates a group with this account as its owner. Its conversation is in `conversation.list`.",
            [
                .required("name", name, "what it is called"),
                .required(
                    "members", .list(.account, minimum: 0, maximum: SharedLimits.groupMembers - 1),
                    "friends, who become members at once"),
                description, avatar, history,
            ],
            effect: .writes, result: .object("Group"),
            errors: [.notFound, .notFriends, .blocked, .keyChanged, .tooLarge, .invalid, .offline] + avatarErrors),
        MethodSpec(
            "group.get", "One group.", [id], effect: .reads, whileLocked: .history, result: .object("Group"),
            errors: [.notFound]),
        MethodSpec(
            "group.list", "All groups, including those that this account is no longer a member of.",
            effect: .reads, whileLocked: .history,
            result: .fields([.required("groups", .results(.object("Group")), "sorted by name")])),
        MethodSpec(
            "group.update", "Changes what a group is called, what it is for, or what new members see.",
            [id, .optional("name", name, "what it is called"), description, avatar, history],
            atLeastOne: [["name", "description", "avatarPath", "history"]], effect: .writes, result: .object("Group"),
            errors: [.notFound, .notAllowed, .tooLarge, .invalid, .busy] + avatarErrors),
        MethodSpec(
            "group.add", "Adds friends to a group, at once. Those who are already members stay as they are.",
            [
                id,
                .required(
                    "members", .list(.account, minimum: 1, maximum: SharedLimits.groupMembers - 1),
                    "the friends to add"),
            ],
            effect: .writes, result: .object("Group"),
            errors: [.notFound, .notAllowed, .notFriends, .blocked, .keyChanged, .tooLarge, .invalid, .offline, .busy]),
        MethodSpec(
            "group.remove", "Removes a member from a group. Members who know about it send nothing more to them.",
            [id, .required("member", .account, "the member to remove")], effect: .writes, result: .object("Group"),
            errors: [.notFound, .notAllowed, .invalid, .busy]),
        MethodSpec(
            "group.setRole", "Changes what a member may do.",
            [
                id, .required("member", .account, "the member"),
                .required("role", .choice(of: GroupRole.self), "their role from now on"),
            ],
            effect: .writes, result: .object("Group"), errors: [.notFound, .notAllowed, .invalid, .busy]),
        MethodSpec(
            "group.leave",
            "Leaves a group. Its messages stay here. If this account was the last owner, the longest-standing admin "
                + "becomes owner, or, without admins, the longest-standing member.",
            [id], effect: .writes, result: .object("Group"), errors: [.notFound, .invalid, .notAllowed, .busy]),
    ]
}
