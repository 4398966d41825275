"""What stands where in the machine's flat arrays; all numbers are floats, and counts are whole."""

from typing import NamedTuple

Column = list[float]
Matrix = list[list[float]]
"""Columns by rows; arrays of two dimensions where compiled."""
Cube = list[list[list[float]]]

DATA, DELETES = range(2)  # groups of manifests, and of the files that they list
SCRATCH = 2  # a third matrix of manifests, for one that is being made

# Manifests, oldest first: a row for each, or for `COUNT` equal ones in a row. Live entries are of files as they arrived
# (FRESH), rewritten ones that compaction takes (PARTIAL), and those that it leaves alone (SETTLED). Of the fresh ones
# SORTED are in the order of their partitions; of delete files, they follow another of the same statement. SIBLINGS is
# the share that another manifest of the same commit stands next to. GONE entries and NEW are of the commit under way.
COUNT, BYTES, FRESH, PARTIAL, SETTLED, SORTED, SIBLINGS, GONE_FRESH, GONE_COMPACTED, NEW = range(10)
MANIFEST_COLUMNS = 10

# Cohorts of partitions that were opened at the same time, oldest first; files and their rows in each of them
PARTITIONS, SMALL_FILES, SMALL_ROWS, PARTIAL_FILES, PARTIAL_ROWS = range(5)
COHORT_COLUMNS = 5

# Sums over manifests: how many, their bytes and live entries; how many have a sibling; how many list rewritten files
# alone; those that list live files, which scans read
LISTED, LISTED_BYTES, ENTRIES, WITH_SIBLING, REWRITTEN, SCANNED, SCANNED_BYTES = range(7)
SUMS = 7

# The state, apart from those
COMMITS = 0  # of the writer
ROWS_OF = 1  # rows of manifests in use: of data, of deletes
OPEN = 3  # the first row of the newest bin, by group; bins before it hold one manifest each
RESTART = 5  # whether the next merge packs from the oldest manifest on, by group
FROZEN = 7  # SUMS over the rows before OPEN, of data, then of deletes
COHORTS = 21  # in use
COUNTED = 22  # commits whose files were dealt out to cohorts
SETTLED_FILES, SETTLED_ROWS = 23, 24  # files that no compaction takes
LEFT_FILES = 25  # among those, small ones in partitions where no compaction has anything to do any more
ADDS_ANYWHERE = 26  # whether statements leave files where they are and write others, in any partition
DEAD = 27  # rows deleted by position, by class of data file
HELD = 30  # data files that delete files name, by class
EDGE_FILES, EDGE_ROWS = 33, 34  # what the last statement on the newest, or the oldest, rows wrote
SQUARES = 35  # of the live rows of each rewritten file, added up
SMALL_SEEN = 36  # files as they arrived, when the last statement had run
GONE = 37  # rows that were deleted as the oldest
NET = 38  # rows that statements brought, less those that they deleted anywhere else
NEWEST_COMMIT, NEWEST_FILES, NEWEST_BYTES = 39, 40, 41  # of the last statement's delete files
SEED = 42  # three numbers
EVENTS = 45
COMPACTED_MORE = 46  # bytes of an entry of a rewritten file beyond those of one as it arrived
SAMPLED = 47  # rows of samples
PEAK_MANIFESTS, PEAK_DELETES, MANIFEST_COMMITS = 48, 49, 50  # since the last sample; the last one a sum over commits
CHECKPOINT = 51  # the next one
LAST_SAMPLE = 52  # the commit after which maintenance was sampled last
STATE = 53

# Flows: sums since CREATE TABLE. Pairs count files, then bytes; fours do so of data, then of deletes. WASTED manifests
# were written and deleted by one commit; REPLACED ones left the current snapshot; REMOVED content files did
SNAPSHOTS = 0
SNAPSHOT_JSON_BYTES = 1  # of all snapshots that were ever made, as metadata.json holds them
LIST_BYTES = 2
WRITTEN_MANIFESTS = 3
WASTED_MANIFESTS = 7
REPLACED_MANIFESTS = 11
WRITTEN_FILES = 15
REMOVED_FILES = 19
ROWS = 23  # live, in all data files
POSITION_DELETES = 24
EQUALITY_DELETES = 25
FLOWS = 26

# Samples: the table after a commit, then the flows
SAMPLE_STATE = 12
SAMPLE_COLUMNS = SAMPLE_STATE + FLOWS

# Jobs, in the order in which they are carried out
KIND, EVERY_US, TURNS, NEXT, LEAST, PARTS, BY_CHANCE, AIM, WANTED_ROWS, SHARE, PLACE, NEW_ROWS, ON_READ = range(13)
JOB_COLUMNS = 13
UPDATE, DELETE, MERGE, STATIC_OVERWRITE, DYNAMIC_OVERWRITE, COMPACT, REWRITE_MANIFESTS = range(7)
SCATTERED, NEWEST, OLDEST, OLDEST_COMMITS = range(4)

# What a summary counts of a commit
(
    ADDED_FILES, ADDED_RECORDS, ADDED_BYTES, ADDED_POSITION_FILES, ADDED_VECTORS, ADDED_POSITIONS,
    REMOVED_DATA_FILES, REMOVED_RECORDS, REMOVED_BYTES, REMOVED_POSITION_FILES, REMOVED_VECTORS, REMOVED_POSITIONS,
) = range(12)  # fmt: skip
COUNTED_IF_ANY = 12
CREATED, KEPT, REPLACED, CHANGED_PARTITIONS = range(12, 16)  # always, and then what the table has in all
COUNTERS = 16
MERGE_COPIED, MERGE_UPDATED, MERGE_INSERTED = 16, 17, 18
NUMBERS = 19
# Operations that summaries tell apart
APPENDED, DELETED, OVERWRITTEN, REPLACED_FILES, REPLACED_MANIFESTS_ONLY = range(5)
WITH_MERGE, WITH_PARTITIONS = 5, 10  # added to those: a MERGE's counts; that partitions were replaced
OPERATIONS = 15

# Settings
(
    INTERVAL_US, APPENDS_MERGE, MERGE_ENABLED, LEAST_MERGED, MANIFEST_TARGET, FILES, ROWS_PER_COMMIT, OPEN_PARTITIONS,
    PARTITIONS_TOUCHED, LIFETIME_COMMITS, HAS_RULE, TARGET, MIN_INPUT, SETTLES, FILE_BYTES, NEW_SHARE, LIST_SLOPE,
    LIST_LAST, SIBLING_SAVING, REWRITTEN_MORE, NEW_DATA, STAGED_DATA, NEW_DELETES, STAGED_DELETES, SORTED_MORE_DATA,
    SORTED_MORE_DELETES, FIRST_MORE, FURTHER_MORE, SHORTEST, EPOCHS, SEQUENCES, COUNTS_MANIFESTS, HAS_ROW_IDS,
    DELETES_BY_KEY, DELTA_FILES, DELTA_BYTES, DELTA_KEYS, DELTA_POSITIONS, FIRST_FILES, FIRST_BYTES, SORTS, COPIES,
    CHANGES_ROWS, USES_VECTORS, BY_PARTITION, PATH_BYTES, AROUND_BYTES, VECTOR_FOOTER, REPLACED_PER_COMMIT, TASKS,
    IN_TURN, TARGET_FILE, IS_PARTITIONED, UPSERTS, UPSERTS_NEWEST, UPSERTS_ON_READ, WRITES_SMALL, FILES_BY_CHANCE,
    SPACING,
) = range(59)  # fmt: skip
SETTINGS = 59

# Hits: the data files that a statement touches, by class, and how many live rows it touches in them
HIT_FILES, HIT_SHARES, HIT_ROW_SHARES, HIT_ROWS = 0, 3, 6, 9
SQUARES_LEFT, TOGETHER, IN_STEP = 12, 13, 14
WRITTEN_AGAIN = 15  # manifests
HITS = 16
CLASS_FILES, CLASS_RECORDS, CLASS_LIVE = range(3)
SMALL, PARTIAL_CLASS, SETTLED_CLASS = range(3)


class Laws(NamedTuple):
    """What does not change over a history: settings, sizes and jobs."""

    settings: Column
    list_sums: Column  # bytes of lists of 1, 2 … manifests, added up
    list_counts: Column
    list_sizes: Column
    data_counts: Column  # bytes of manifests by their entries
    data_sizes: Column
    delete_counts: Column
    delete_sizes: Column
    log_rows: Column  # logarithms of bytes of data files by those of their rows
    log_bytes: Column
    log_compacted: Column
    around: Column  # bytes of a snapshot by its operation, with no digit of a number
    key_bytes: Column  # of each counter that a summary names if there is any, and how often it names the number
    key_numbers: Column
    chances: Matrix  # that 0, 1 … commits bring at least as many files


class Table(NamedTuple):
    """The table as it is."""

    manifests: Cube  # of data, of deletes, and scratch: each columns by rows
    cohorts: Matrix
    state: Column
    flows: Column
    samples: Matrix  # rows by columns
    jobs: Matrix  # by columns
    numbers: Column  # of the commit under way
    hits: Column
    classes: Matrix  # by class of file: files, records, live rows
    sums: Column
    places: Column  # commits to sample at
