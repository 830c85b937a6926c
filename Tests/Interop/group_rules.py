"""The result of a set of membership entries by docs/PROTOCOL-GROUPS.md alone, followed as plainly as possible.

The document's cases name people and entries by words instead of keys and hashes; all times of a case differ.
"""

ROLES = ["member", "admin", "owner"]
ROUNDS = 32


class Entry:
    """One line of a case."""

    def __init__(self, line):
        self.name, rest = line.split(": ", 1)
        rest, self.time = rest.rsplit(" at ", 1)
        rest, parents = rest.rsplit(" after ", 1)
        self.time = int(self.time)
        self.parents = [] if parents == "-" else parents.split()
        self.author, self.kind, *self.words = rest.split()

    @property
    def added(self):
        """The accounts that it adds, in this order."""
        return ([self.author] if self.kind == "create" else []) + (self.words if self.kind in ("create", "add") else [])


class Member:
    """A member of a group."""

    def __init__(self, since, senior):
        self.role, self.senior = 0, senior
        # The entry that added the member, and for each role the entry since which it has had it, or a higher one,
        # without a break.
        self.grants = {0: since}


class Group:
    """The rules, applied to the entries of one case."""

    def __init__(self, entries):
        self.entries = {entry.name: entry for entry in entries}
        self.pasts, self.judged = {}, {}

    def past(self, name):
        """All entries that an entry follows."""
        if name not in self.pasts:
            parents = self.entries[name].parents
            self.pasts[name] = set(parents).union(*(self.past(parent) for parent in parents))
        return self.pasts[name]

    def own(self, name):
        """What an entry's own past says of it: needed role, grants, void entries, and how it changes a role."""
        if name in self.judged:
            return self.judged[name]
        entry = self.entries[name]
        if entry.kind == "create":
            result = (0, set(), set(), 0)
        else:
            members, voids, _ = self.state(self.past(name))
            needed, change = 0 if entry.kind in ("leave", "device") else 1, 0
            if entry.kind == "remove":
                needed, change = 2 if members[entry.words[0]].role == 2 else 1, -1
            if entry.kind == "role":
                old, new = members[entry.words[0]].role, ROLES.index(entry.words[1])
                needed, change = 2 if 2 in (old, new) else 1, 1 if new > old else -1
            author = members[entry.author]
            if author.role < needed:
                raise ValueError(f"{name} is not allowed")
            result = (needed, {author.grants[0], author.grants[needed]}, voids, change)
        self.judged[name] = result
        return result

    def hits(self, change, other):
        """Whether a removal or demotion hits another entry, and which of the accounts that it adds."""
        nothing = (False, None)
        one, two = self.entries[change], self.entries[other]
        if change == other or other in self.past(change) or self.own(change)[3] != -1:
            return nothing
        if change in self.past(other) and change not in self.own(other)[2]:
            return nothing
        target = one.words[0]
        left = -1 if one.kind == "remove" else ROLES.index(one.words[1])
        whole = two.author == target and two.kind not in ("leave", "device") and self.own(other)[0] > left
        if two.kind == "role" and two.words[0] == target and self.own(other)[3] == 1:
            whole = whole or ROLES.index(two.words[1]) > left
        return whole, target if two.kind == "add" and target in two.words and left < 0 else None

    def judge(self, names):
        """Which entries of a set are void, and which added accounts fall away."""
        foes, seeds = {name: set() for name in names}, {name: [] for name in names}
        for change in names:
            for other in names:
                whole, seed = self.hits(change, other)
                if whole:
                    foes[other].add(change)
                if seed:
                    seeds[other].append((seed, change))
        for name in names:
            for grant in self.own(name)[1]:
                foes[name] |= {change for seed, change in seeds[grant] if seed == self.entries[name].author}
        voids = set()

        def falls(name, counts):
            return any(counts(foe) and foe not in voids for foe in foes[name]) or any(
                counts(grant) and grant in voids for grant in self.own(name)[1]
            )

        def take(part, turn):
            for component in components(part, lambda name: foes[name] | self.own(name)[1]):
                fallen = {name for name in component if falls(name, lambda other: other not in component)}  # pylint: disable=cell-var-from-loop
                voids.update(fallen)
                if len(component) == 1:
                    continue
                if fallen and turn < ROUNDS:
                    take([name for name in component if name not in voids], turn + 1)
                    continue
                for name in self.linear(component):
                    if self.own(name)[1] & voids:
                        voids.add(name)
                for name in self.linear(component):
                    if self.own(name)[3] != -1 and falls(name, lambda _: True):
                        voids.add(name)

        take(list(names), 1)
        return voids, {name: {seed for seed, change in found if change not in voids} for name, found in seeds.items()}

    def linear(self, names):
        """An order in which no entry comes before one that it follows; among several the least time comes first."""
        rest, out = set(names), []
        while rest:
            ready = [name for name in rest if not self.past(name) & rest]
            out.append(min(ready, key=lambda name: self.entries[name].time))
            rest.remove(out[-1])
        return out

    def state(self, names):
        """The members, what is void, and the group's name."""
        voids, gone = self.judge(names)
        members, title = {}, None
        for place, name in enumerate(self.linear(names)):
            entry = self.entries[name]
            if name in voids:
                continue
            for number, person in enumerate(entry.added):
                if person not in gone[name] and person not in members:
                    members[person] = Member(name, (place, number))
            if entry.kind == "create":
                give(members, entry.author, 2, name)
            elif entry.kind in ("remove", "leave"):
                members.pop(entry.words[0] if entry.words else entry.author, None)
            elif entry.kind == "role":
                give(members, entry.words[0], ROLES.index(entry.words[1]), name)
            elif entry.kind == "rename":
                title = entry.words[0]
            if members and all(member.role < 2 for member in members.values()):
                most = max(member.role for member in members.values())
                heirs = [person for person, member in members.items() if member.role == most]
                give(members, min(heirs, key=lambda person: members[person].senior), 2, name)
        return members, voids, title


def give(members, person, role, name):
    """Gives an account a role from an entry on."""
    if person in members:
        member = members[person]
        member.role = role
        member.grants = {level: member.grants.get(level, name) for level in range(role + 1)}


def components(part, edges):
    """The strongly connected components, each after those that it depends on."""
    inside = set(part)

    def reach(start):
        seen, todo = {start}, [start]
        while todo:
            for other in edges(todo.pop()) & inside - seen:
                seen.add(other)
                todo.append(other)
        return seen

    reached = {name: reach(name) for name in part}
    left, out = set(part), []
    while left:
        first = min(left, key=lambda name: len(reached[name] & left))
        component = {name for name in reached[first] & left if first in reached[name]}
        out.append(component)
        left -= component
    return out


def check_case(lines):
    """Checks one case of the document; returns an empty string if the result is the document's."""
    entries = [Entry(line) for line in lines if " at " in line]
    said = dict(line.split(" ", 1) for line in lines if " at " not in line)
    group = Group(entries)
    for entry in entries:
        group.own(entry.name)
    members, voids, title = group.state(set(group.entries))
    shown = " ".join(f"{person}={ROLES[member.role]}" for person, member in sorted(members.items()))
    computed = {"void": " ".join(sorted(voids)) or "-", "members": shown or "-"}
    if "name" in said:
        computed["name"] = title or "-"
    return "" if computed == said else f"{computed} instead of {said}"
