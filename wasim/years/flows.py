"""What a history accumulates, by name: sums since CREATE TABLE, on average, so floats."""


class Flow:
    """Places in a list of running sums. Each pair or group of four counts files, then bytes, of data, then of deletes.

    `WASTED` manifests were written and deleted by one commit; `REPLACED` ones left the current snapshot; `REMOVED`
    content files did. Plain ints: a list is read ten times as fast by one as by a member of an enum.
    """

    SNAPSHOTS = 0
    SNAPSHOT_JSON_BYTES = 1  # of all snapshots that were ever made, as metadata.json holds them
    LIST_BYTES = 2
    WRITTEN_MANIFESTS = 3  # data files, data bytes, delete files, delete bytes; so the next four groups
    WASTED_MANIFESTS = 7
    REPLACED_MANIFESTS = 11
    WRITTEN_FILES = 15
    REMOVED_FILES = 19
    ROWS = 23  # live, in all data files
    POSITION_DELETES = 24
    EQUALITY_DELETES = 25
    MERGED_AGAIN = 26  # manifests of data, and of deletes, that a merge began with: what earlier ones had made
    MORE_COMPRESSED = 30  # bytes by which snapshots count for more than their own where metadata.json is compressed
    COMPACTIONS = 31  # that began; of rewrites those that had manifests to write
    REWRITES = 32


WIDTH = Flow.REWRITES + 1
DATA, DELETES = 0, 2  # what to add to the place of a group
