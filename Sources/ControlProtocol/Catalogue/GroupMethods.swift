import Vocabulary

extension Catalogue {
    private static let name = ValueType.label(minimum: 1, maximum: SharedLimits.groupNameCharacters)
    private static let description = FieldSpec.optional(
        "description", .text(.characters(SharedLimits.groupDescriptionCharacters)), "what it is for; empty for none")
    private static let avatar = FieldSpec.optional(
        "avatarPath", .emptyOr(.file),
        "a PNG, JPEG, GIF or WebP of at most 64 MiB and 40 million pixels, of which a square is made; empty for none")
    private static let history = FieldSpec.optional(
        "history", .integer(0...Int64(SharedLimits.groupHistory)),
        "how many of the last messages a new member sees; 0: only what comes after them")
    private static let id = FieldSpec.required("id", .uuid, "the group")
    private static let avatarErrors: [Reason] = [.typeNotAllowed, .noSpace]

    static let groupMethods: [MethodSpec] = [
        MethodSpec(
            "group.create",
            "Makes a group of which this account is the owner. Its conversation is in `conversation.list`.",
            [
                .required("name", name, "what it is called"),
                .required(
                    "members", .list(.account, minimum: 0, maximum: SharedLimits.groupMembers - 1),
                    "friends, who are in it at once"),
                description, avatar, history,
            ],
            effect: .writes, result: .object("Group"),
            errors: [.notFound, .notFriends, .blocked, .keyChanged, .tooLarge, .invalid, .offline] + avatarErrors),
        MethodSpec(
            "group.get", "One group.", [id], effect: .reads, whileLocked: .history, result: .object("Group"),
            errors: [.notFound]),
        MethodSpec(
            "group.list", "All groups, also those that this account is no member of any more.",
            effect: .reads, whileLocked: .history,
            result: .fields([.required("groups", .results(.object("Group")), "in order of their names")])),
        MethodSpec(
            "group.update", "Changes what a group is called, what it is for, or what new members see.",
            [id, .optional("name", name, "what it is called"), description, avatar, history],
            atLeastOne: [["name", "description", "avatarPath", "history"]], effect: .writes, result: .object("Group"),
            errors: [.notFound, .notAllowed, .tooLarge, .invalid, .busy] + avatarErrors),
        MethodSpec(
            "group.add", "Puts friends into a group, at once; those who are in it already stay as they are.",
            [
                id,
                .required("members", .list(.account, minimum: 1, maximum: SharedLimits.groupMembers - 1), "whom"),
            ],
            effect: .writes, result: .object("Group"),
            errors: [.notFound, .notAllowed, .notFriends, .blocked, .keyChanged, .tooLarge, .invalid, .offline, .busy]),
        MethodSpec(
            "group.remove", "Takes somebody out of a group: nothing is sent to them any more by whoever knows of it.",
            [id, .required("member", .account, "whom")], effect: .writes, result: .object("Group"),
            errors: [.notFound, .notAllowed, .invalid, .busy]),
        MethodSpec(
            "group.setRole", "Says what a member may do.",
            [
                id, .required("member", .account, "who"),
                .required("role", .choice(of: GroupRole.self), "what they are from now on"),
            ],
            effect: .writes, result: .object("Group"), errors: [.notFound, .notAllowed, .invalid, .busy]),
        MethodSpec(
            "group.leave",
            "Leaves a group. What was said stays here. If this account was its last owner, the longest-standing admin, else member, "
                + "becomes one.",
            [id], effect: .writes, result: .object("Group"), errors: [.notFound, .invalid, .notAllowed, .busy]),
    ]
}
