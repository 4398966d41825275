"""What the machine knows of a table: how large its files are, and its state in rows of numbers."""

from dataclasses import dataclass

from wasim.years.flows import WIDTH, Flow

NEGLIGIBLE = 1e-9
MOST_KINDS = 16  # of manifests between two events: the most similar ones count as equal
MANY_KINDS = 40  # of appends that bring several manifests each
ROOM = 192  # rows of manifests: a merge may part each that there is in three
MOST_COHORTS = 80  # partitions that closed earlier count as equal
MANY_LEFT = 8.0  # emptied manifests
MEDIAN = 0.5  # a mean count of files by this much below a whole one is that one or more, as often as not
FEW_COMMITS = 8  # between two firings: of so few, chance decides how many it takes
TURNS = 24  # firings that wait each for another share of all that chance may bring
STRIDE = 17  # from one firing's share to the next one's, in 24ths: shares that follow each other lie apart
FEW_LEFT_BEHIND = 1 / 16  # of delete files, by compaction: all others are replaced by later ones
SMOOTHED = 0.2  # of what is averaged over the last statements, the last one's part
SEEN = 0.92  # of what a list saves by a commit's second manifest, what deflate finds further up: else 1 % is missing

# A row of manifests. Its entries are of files as they arrived, of compacted ones that are still too small, and of those
# that stay; of the fresh ones some are sorted by partition. `SIBLINGS` is the share of manifests that stand behind
# another one of the same commit and group, `WITH_DATA` of deletes' behind one of data alone. The next three
# are of the commit under way. `MISSED` is of manifests of deletes: which share of all rows statements on scattered rows
# have missed since their entries were made.
COUNT, BYTES, FRESH, PARTIAL, SETTLED, SORTED, SIBLINGS, WITH_DATA = range(8)
GONE_FRESH, GONE_COMPACTED, IS_NEW, MISSED, COLUMNS = range(8, 13)
# A row of partitions: the files below the target in each, as they came or compacted, and the rows in them; then the
# same of the compacted ones by their size, in the order in which they are read
PARTITIONS, SMALL_FILES, SMALL_ROWS, PARTIAL_FILES, PARTIAL_ROWS, SIZED_FILES = range(6)
MOST_SIZES, MOST_IN_FRONT = 12, 2
(
    UNEVEN,  # the variance of how many of all files each of the partitions has
    # Since when there is data: how many rows scattered statements had missed by then, and delete files written by then
    SINCE, DELETES_BEFORE,
    # Of a statement on scattered rows: how many of these partitions it hits, and how many rows it writes into them
    HIT_PARTITIONS, ROWS_WRITTEN,
    WRITTEN_AT,  # the commit after which a statement wrote data files into them last
    MEAN_SINCE,  # as `SINCE`, on average over these partitions, where that is of the oldest
    IS_MUCH_DELETED,  # whether compaction takes a file in each of them for the deleted rows in it, whatever its size
    IN_FRONT,  # of how many sizes files are that statements wrote since the last compaction, which are read first
    ROW_OF_PARTITIONS,
) = range(SIZED_FILES + 2 * MOST_SIZES, SIZED_FILES + 2 * MOST_SIZES + 10)  # fmt: skip
# Files that stay, by when their rows were there: how many, their rows, and since when, as `SINCE` and `DELETES_BEFORE`
STAY_FILES, STAY_ROWS, STAY_SINCE, STAY_DELETES, ROW_OF_STAYING = range(5)
MOST_STAYING = 64  # of those: each two that follow each other become one
MOST_COUNTED = 1024  # parts of all open partitions of which the files are counted: of fewer, each is one of them
# Of such a part: files of each partition, after how many commits its last compaction was, whether the next one takes
# it, files that were compacted, and since when the oldest is there, as `SINCE` and `DELETES_BEFORE` have it
FILES_THERE, COMPACTED_SINCE, IS_TAKEN, COMPACTED_FILES, THERE_SINCE, DELETES_THERE, ROW_OF_COUNTED = range(7)
SAME_SIZE = 1e-3  # of their rows, by which files of one size differ at most
# Jobs, as rows of a schedule: commits of nothing have two rows more
COMPACTION, REWRITE, IDLE = range(3)
MOST_AT_ONCE = 10  # samples around one commit
# Single numbers of a table
(
    COMMITS, DEALT, SETTLED_FILES, SETTLED_ROWS, LEFT_FILES, COHORTS, SAMPLED, NEXT_STOP,
    NEXT_RUN, _, _,  # of each job
    JOBS, EVERY,  # jobs carried out, and every how many of them samples are taken
    # What statements have left: files and live rows that the last one on the newest, or the oldest, rows wrote; squares
    # of the live rows of each rewritten file, added up; files as they arrived when the last statement had run; the
    # number of the last row deleted as one of the oldest; rows that they brought, less those deleted anywhere else
    EDGE_FILES, EDGE_ROWS, SQUARES, SMALL_SEEN, GONE_ROWS, NET_ROWS,
    EDGE_END, OTHER_FILES, OTHER_ROWS, OTHER_SEEN,  # which end the edge is, 1 the newest; and of the other
    EDGE_SINCE,  # the first of the newest rows that the last statement on them touched, while that is not compacted
    NEWEST_COMMIT, NEWEST_FILES, NEWEST_BYTES,  # delete files of the last statement
    STATEMENTS_WRITE, ADDS_ANYWHERE,  # all files; and where others stay, in any partition
    ARRIVED_LIVE, REWRITTEN_LIVE,  # share of rows that no delete file names, of files as they arrived and others
    LIVE_WHERE_DEAD, _,  # the same of all partitions
    IS_SCATTERED, IS_NEWEST, SQUARES_LEFT, TOGETHER, IN_STEP,  # of what a statement hits: `touched`
    NEXT_TURN, _, _, _,  # of each of four statements
    HIT_BY_CHANCE, _, _, _,  # how many of each of those have touched a row so far, on average
    # Files and rows that a statement on scattered rows writes for new ones, of open partitions
    NEW_CELLS, NEW_CELL_ROWS,
    # DELETE of the newest rows: which it has deleted through, and from which on no file is left that holds those
    DELETED_THROUGH, CLEARED_FROM,
    SQUARES_TWICE,  # of the files that a statement hits and another would hit again
    LARGE, HIT_OF_LARGE, HIT_OF_OTHERS,  # rewritten files, and which share is hit: `hit_of_kinds`
    TOUCHED_ROWS,  # the oldest, by the last statement, which wrote them again into the newest files
    TOUCHES,  # of scattered rows: a statement's share
    EVENLY,  # whether the rows that a statement hits lie at even distances in partitions by time, one open at a time
    KEPT_SQUARES,  # of files as they arrived when the last statement had run: the squares of the shares of rows left
    OPEN_FILES, OPEN_SQUARES,  # the same, of such a partition that is open: its files, the squares of their rows
    # Statements on the oldest rows: the first row that they leave, and through which row what they have written goes
    OLDEST_ROW, OLDEST_THROUGH,
    CLOSED_FILES,  # that a statement writes, at the target size
    MISSED_BY,  # −log of the share of all rows that scattered statements on read have missed so far
    COMPACTED_AT,  # commits when data files were compacted last
    OWN_DELETES, _,  # bytes of the delete file of a file that compaction takes and has one: as it came, compacted
    UNCOUNTED,  # commits since files were counted by partition
    RANDOM,  # the last random number that was drawn
    AS_CAME,  # of the entries that stay, the share of files as they arrived, which are too few to be compacted
    # Of rewritten files that are listed: how many jobs made, and what an entry of such a one takes more, or of others
    OF_JOBS, OF_JOBS_MORE, OF_STATEMENTS_MORE,
    LAST_MADE,  # data files that the last statement wrote
    # Data files that delete files named once the last statement had run, and which share compaction left until the next
    NAMED_THEN, NAMED_LEFT,
    STAYING,  # rows of files that stay
    NUMBERS,
) = range(78)  # fmt: skip
# Classes of data files: as they arrived, rewritten, and beyond what a compaction takes
ARRIVED, REWRITTEN, BEYOND = range(3)
FILES, RECORDS, LIVE = range(3)  # of a class
HIT_FILES, HIT_SHARES, HIT_ROW_SHARES, HIT_ROWS = range(4)  # of what a statement hits, by class
DEAD, HELD = range(2)  # by class: rows deleted by position, and the data files that delete files name
# Statements: kinds, where the rows are that they touch, and columns of a row of `changes`
UPDATE, DELETE, MERGE, OVERWRITE, UPSERT = range(5)
SCATTERED, NEWEST, OLDEST, OLDEST_COMMITS = range(4)
IS_THERE, EVERY_US, RUNS, PLACE, ON_READ, ROWS_WANTED, SHARE_WANTED, NEW_ROWS, IS_DYNAMIC, CHANGE = range(10)
# Snapshots of statements, by operation
APPENDS, DELETES, OVERWRITES = range(3)
# Counters of a summary: before `LEFT_OUT`, it leaves out what there is none of; the others count manifests
(
    NEW_FILES, GONE_FILES, NEW_RECORDS, GONE_RECORDS, NEW_BYTES, GONE_BYTES,
    NEW_DELETES, GONE_DELETES, NEW_POSITIONS, GONE_POSITIONS,
    CREATED, KEPT, REPLACED, CHANGED, COUNTERS,
) = range(15)  # fmt: skip
LEFT_OUT = CREATED
# Running sums, by name: a compiled function reads globals, not attributes of a class
COMPACTIONS = Flow.COMPACTIONS
EQUALITY_DELETES = Flow.EQUALITY_DELETES
LIST_BYTES = Flow.LIST_BYTES
MERGED_AGAIN = Flow.MERGED_AGAIN
POSITION_DELETES = Flow.POSITION_DELETES
REMOVED_FILES = Flow.REMOVED_FILES
REPLACED_MANIFESTS = Flow.REPLACED_MANIFESTS
REWRITES = Flow.REWRITES
ROWS = Flow.ROWS
SNAPSHOTS = Flow.SNAPSHOTS
SNAPSHOT_JSON_BYTES = Flow.SNAPSHOT_JSON_BYTES
MORE_COMPRESSED = Flow.MORE_COMPRESSED
WASTED_MANIFESTS = Flow.WASTED_MANIFESTS
WRITTEN_FILES = Flow.WRITTEN_FILES
WRITTEN_MANIFESTS = Flow.WRITTEN_MANIFESTS
# What a compaction does in all partitions
(
    TOOK_SMALL, TOOK_PARTIAL, TOOK_BYTES,  # files taken, as they came and compacted, their bytes
    MADE_PARTIAL, MADE_SETTLED, MADE_BYTES,  # files made, below the target and beyond it, their bytes
    GROUPS, MADE_SQUARES,  # the squares of the rows of each file made below the target, added up
    TOOK_DEAD, _,  # rows that were deleted by position, or the files that hold them, as they came and compacted
    LEFT_THERE, _,  # files that it leaves, as they came and compacted
    TAKES_NEWER, _,  # above 0 where those that it takes are in partitions opened later
    LEFT_SINCE, DELETES_BEFORE_LEFT,  # since when what is left is there: the least SINCE and DELETES_BEFORE
    DONE,
) = range(17)  # fmt: skip
# What a sample holds before the flows
OF_TABLE = 9
SAMPLE = OF_TABLE + WIDTH


@dataclass(slots=True, kw_only=True)
class Laws:
    """What a table's files take, and how its writer and its maintenance work. Bytes, commits; flags are 0 or 1.

    Lists of sizes have as many places as any table needs; beyond those in use they are not looked at.
    """

    # the writer
    filters: int  # whether its commits leave out manifests without live entries
    merges: int  # whether they merge
    packs: int  # whether the commits of jobs do
    files: float  # of a commit
    rows_per_commit: float
    file_bytes: float
    settles: int  # whether no compaction takes its files for their size
    settled_files: float  # files of a commit that none takes for their size, and their rows
    settled_rows: float
    closed_share: float  # of those that it does take, files that a task closed at the target size, and rows of each
    closed_rows: float
    new_small: float  # files of a commit that are too small, for which compaction by count waits
    new_kinds: int  # of its manifests of one commit, newest first: how many of each, their files and bytes
    new_counts: list[float]
    new_files: list[float]
    new_bytes: list[float]
    staged: list[float]  # manifests that it writes and deletes at once, of data and of deletes
    # equality deletes: delete files of a commit, their bytes, keys and positions; files and bytes of the first commit
    deletes: int
    delta_files: float
    delta_bytes: float
    keys: float
    positions: float
    first_files: float
    first_bytes: float
    delete_manifest: float
    # merging
    target: float
    least: float
    # manifests: bytes by entries, of data and of deletes, and what compacted and sorted entries take more
    entries_known: list[int]
    entry_counts: list[list[float]]
    entry_bytes: list[list[float]]
    compacted_more: list[float]
    together_more: float  # of data, as a further one of the same compaction in a partition
    sorted_more: list[float]
    in_partition: float  # of deletes, once sorted: the share of that, less `each_partition` of a statement
    each_partition: float
    first_more: float  # of a file that a statement writes: the first one, and further ones
    further_more: float
    # manifest lists: bytes by manifests, and their sums over the first counts
    lists_known: int
    list_counts: list[float]
    list_bytes: list[float]
    list_sums: list[float]
    sibling_saving: float
    partly_saved: float
    rewritten_more: float
    deletes_more: float
    # data files: logarithms of bytes by logarithms of rows
    rows_known: int
    log_rows: list[float]
    log_bytes: list[float]
    # compacted files that say where rows came from: a footer; steps back and commits, each of a row; bytes of each
    lineage_footer: float
    steps_back: float
    commits_of_row: float
    row_id_bytes: float
    step_bytes: float
    lineage_bytes: float
    changed_at_bytes: float
    # partitions
    partitions: float
    open_partitions: float
    walked: float  # the share of these that a commit's rows may fall into
    # where commits walk through them: of so many equal parts of all, each takes so many that follow the last one's
    walk_parts: int
    walk_step: int
    lifetime: float  # commits
    straddling: float  # the share of commits whose rows fall into partitions of two times
    uneven: float  # the variance of how many files of a commit each of them has
    # compaction
    compacts: int
    compaction_target: float
    min_input_files: float
    small_rows: float  # of the largest file that it takes as too small, and of the smallest as too large
    large_rows: float
    most_rows: float  # of a file that it writes
    new_share: float
    parts: int
    by_chance: int
    # jobs by count: files, manifests; infinite for one that is not
    least_files: float
    least_manifests: float
    # rewrite_manifests
    sorts: int
    together: float  # entries of a commit
    copies: int
    # snapshots in metadata.json
    shortest: float  # a writer's whose growing numbers have one digit each
    epochs: int
    sequences: int
    has_row_ids: int
    counts_manifests: int
    compaction_json: float  # around its numbers
    counter_json: list[float]  # of each counter that is left out where there is none, without its number
    rewrite_json: float
    names_manifests: int  # whether a job's summary counts manifests
    nothing_json: float  # a writer's without rows, around its numbers
    # statements: how many there are, a row each, and what a snapshot takes around its numbers, by operation
    changes_rows: int
    interval_us: int  # between two commits
    changes: list[list[float]]
    change_json: list[list[float]]
    upserts: int  # whether the writer's commits, but the first, are each one MERGE INTO
    replaced_per_commit: float  # rows
    new_rows: float  # of a commit, that replace none
    deals_in_turn: int  # whether rows are, to the files of a commit
    tasks_in_order: float  # of a commit, that take rows which follow each other; one, where rows are dealt out
    knows_rows: int  # whether files say which rows they hold, so that metadata alone may delete them
    is_partitioned: int
    tasks: float
    file_rows: float  # at which a task closes a file
    # delete files of positions: whether they are vectors, or one for each partition; of a path, around the vectors of a
    # file and for each of them
    uses_vectors: int
    by_partition: int
    path_bytes: float
    around_vectors: float
    vector_footer: float


@dataclass(slots=True, kw_only=True)
class Table:
    """A table's state; all but the shapes of its arrays changes."""

    rows: list[list[list[float]]]  # of manifests of data, and of deletes
    used: list[int]  # how many rows of each are in use
    spare: list[list[float]]
    places: list[int]  # of the manifests in the open bin
    counts: list[float]
    cohorts: list[list[float]]
    staying: list[list[float]]
    counted: list[list[float]]  # of each of the newest partitions, of which there are few: `FILES_THERE` and so on
    numbers: list[float]
    flows: list[float]
    before: list[float]  # numbers in snapshots
    after: list[float]
    sums: list[float]
    done: list[float]  # by a compaction
    sizes: list[list[float]]  # of the files that it takes of a partition: how many, bytes and live rows of each
    tasks: list[list[float]]  # that it has begun: how many files, bytes and rows
    compacted_more: list[float]  # what an entry of a rewritten file takes more, of data and of deletes
    deleted: list[list[float]]
    classes: list[list[float]]
    hits: list[list[float]]
    likely: list[list[float]]  # by class, as `rows_in_files` has them
    queue: list[list[float]]  # files of an end of the table, in order: their class, how many, live rows
    # of each row of manifests: entries that go, by kind, and the manifests, where these are known
    gone: list[list[float]]
    counters: list[float]
