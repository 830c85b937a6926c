"""Figures and the table they go into, for Benchmarks/web.py."""

import pathlib


def percentile(values, percent):
    """By nearest rank."""
    ranked = sorted(values)
    return ranked[max(0, -(-len(ranked) * percent // 100) - 1)]


class Table:
    """What was measured, beside its bound."""

    def __init__(self):
        self.rows = []

    def add(self, what, bound, value, unit, least=False, note=""):
        """`value` has to be the bound at most; with `least` at least."""
        fits = value >= bound if least else value <= bound
        digits = 0 if value >= 100 else 1
        sign = "≥" if least else "≤"
        self.rows.append((what, f"{sign} {bound} {unit}", f"{value:.{digits}f} {unit}{note}", "yes" if fits else "NO"))
        print("    {:58} {:>14}   {:24} {}".format(*self.rows[-1]), flush=True)


def peak(pids):
    """The most memory that processes have had resident, in MiB."""
    return fields(pids, "status", "VmHWM")


def memory(pids):
    """Resident memory of processes, in MiB. What they share, with each other or with other programs, counts by its share."""
    return fields(pids, "smaps_rollup", "Pss")


def fields(pids, file, name):
    total = 0
    for pid in pids:
        for line in pathlib.Path(f"/proc/{pid}/{file}").read_text().splitlines():
            if line.startswith(name + ":"):
                total += int(line.split()[1])
    return total / 1024


def wakeups(pids):
    """How often the threads of processes were woken so far."""
    total = 0
    for pid in pids:
        for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
            for line in (task / "status").read_text().splitlines():
                if line.startswith("voluntary_ctxt_switches"):
                    total += int(line.split()[1])
    return total
