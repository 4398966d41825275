"""Bytes of files by what they list or hold, and digits of numbers."""

from math import ceil, exp, log

from wasim.years.growth import TABULATED
from wasim.years.machine.tables import AS_CAME, NEGLIGIBLE, Laws, Table


def is_any(amount: float) -> bool:
    """Whether there is any of it on average: what is left of a difference may be none but for rounding."""
    return amount > NEGLIGIBLE


def digits(value: float) -> int:
    """Digits of the nearest whole number; one of a number below zero."""
    found, power = 1, 10.0
    while value + 0.5 >= power:
        found += 1
        power *= 10.0
    return found


def digits_through(start: float, step: float, count: float) -> float:
    """Digits of start + step, start + 2 · step … in all, for the first `count` of them; `step` is not negative."""
    least = digits(start + step)
    total, power = least * count, 10.0**least
    while start + step * count >= power:
        first = ceil((power - start) / step)  # from here on they have one digit more
        total += max(0.0, count - max(0.0, first - 1.0))
        power *= 10.0
    return total


def at(value: float, known: list[float], sizes: list[float], count: int) -> float:
    """Between measured sizes, and beyond them, linear."""
    low, high = 0, count - 1
    if high < 1:
        return sizes[0]
    while high - low > 1:
        middle = (low + high) // 2
        if known[middle] <= value:
            low = middle
        else:
            high = middle
    return sizes[low] + (sizes[low + 1] - sizes[low]) / (known[low + 1] - known[low]) * (value - known[low])


def through(laws: Laws, count: float) -> float:
    """Bytes of lists of 1, 2 … count manifests, together."""
    if count < TABULATED:
        whole = int(count)
        return laws.list_sums[whole] + (count - whole) * (laws.list_sums[whole + 1] - laws.list_sums[whole])
    beyond, last = count - TABULATED, laws.lists_known - 1
    rise = laws.list_bytes[last] - laws.list_bytes[last - 1]
    slope = rise / (laws.list_counts[last] - laws.list_counts[last - 1])
    first = at(float(TABULATED), laws.list_counts, laws.list_bytes, laws.lists_known)
    return laws.list_sums[TABULATED] + beyond * first + slope * beyond * (beyond + 1) / 2


def manifest_bytes(
    table: Table, laws: Laws, group: int, fresh: float, compacted: float, settled: float, by_partition: float
) -> float:
    """Bytes of a manifest by its entries, also of files that stay."""
    came = 0.0 if group else settled * table.numbers[AS_CAME]
    fresh, compacted = fresh + came, compacted + settled - came
    beside_others = compacted + (fresh - 1 if group else min(0.0, fresh - 1))
    more = table.compacted_more[group] * max(0.0, beside_others) + laws.sorted_more[group] * by_partition
    return at(fresh + compacted, laws.entry_counts[group], laws.entry_bytes[group], laws.entries_known[group]) + more


def bytes_of_rows(laws: Laws, rows: float) -> float:
    """Bytes of a data file."""
    most = laws.log_rows[laws.rows_known - 1]
    return exp(at(min(log(max(rows, 1.0)), most), laws.log_rows, laws.log_bytes, laws.rows_known))


def is_rewritten_for_size(laws: Laws, rows: float) -> bool:
    """Whether a compaction takes a file of so many rows, as it is too small or too large."""
    return rows < laws.small_rows or rows > laws.large_rows


def compacted_bytes(laws: Laws, rows: float) -> float:
    """Bytes of a file that compaction made; in format version 3 it says of each row where it came from."""
    size = bytes_of_rows(laws, rows)
    if laws.lineage_footer == 0:
        return size
    commits = max(1.0, rows * laws.commits_of_row)
    last, bits = max(0, ceil(commits) - 1), 0
    while last > 0:
        last //= 2
        bits += 1
    ids = rows * (laws.row_id_bytes + laws.step_bytes * laws.steps_back)
    changed_at = laws.changed_at_bytes * commits + min(rows * bits / 8, 2 * (commits - 1))
    return size + laws.lineage_footer + laws.lineage_bytes + ids + changed_at
