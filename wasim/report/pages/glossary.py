"""The words of a report, each in a sentence: (anchor, word, meaning). docs/glossary.md is made from them."""

GLOSSARY = (
    (
        "case",
        "scenario, case, run",
        "A scenario is the question in a file, a case one point of its sweep: a table, a workload, a writer and one "
        "commit interval. A run is all cases of a scenario, measured or simulated once, and its folder.",
    ),
    (
        "engine",
        "engine, profile",
        "What commits: Spark (spark), Iceberg's library alone (core), or the simulator, exact or in sums over a long "
        "horizon. A profile says how a writer names, sizes and summarises what it commits.",
    ),
    (
        "interval",
        "commit interval, horizon",
        "Seconds of event time per commit, and the event time that a case covers. Under the virtual clock commits run "
        "back to back, so event time passes faster than the clock on the wall.",
    ),
    (
        "metadata",
        "metadata, data",
        "Data files, position and equality deletes and deletion vectors are data. Everything else that the table "
        "consists of is metadata: metadata.json, manifest lists, manifests, statistics and the version hint.",
    ),
    (
        "wa",
        "WA_data, WA_metadata, WA_total",
        "Write amplification: bytes of data, of metadata and of both written over the stated horizon, divided by the "
        "data bytes that the same rows take at the longest interval of the sweep: one denominator for all its "
        "cases. WA_total = WA_data + WA_metadata. WA_metadata grows with the horizon: compare it only "
        "with one over the same horizon.",
    ),
    (
        "neither",
        "counted as neither",
        "The .crc twins that Hadoop's local file system leaves next to files, and the checkpoints of a stream.",
    ),
    (
        "manifest",
        "manifest, manifest list",
        "A manifest lists data files; a manifest list lists the manifests of one snapshot.",
    ),
    (
        "pending",
        "pending manifest",
        "A live manifest that no merge has taken yet. Once commit.manifest.min-count-to-merge of them fit together, "
        "the next merging commit writes them as one.",
    ),
    (
        "snapshot",
        "snapshot, commit",
        "A commit replaces metadata.json; nearly every commit adds a snapshot, one state of the table with a manifest "
        "list of its own. An attempt that loses to another commit is retried, and its files are discarded.",
    ),
    (
        "metadata_json",
        "metadata.json, metadata log",
        "The file that a commit replaces: schemas, properties, every retained snapshot with its summary, and the names "
        "of the files that it replaced, the metadata log. Expiry shortens it and deletes none of the older ones.",
    ),
    (
        "retained",
        "live, retained, in the log, orphan",
        "Live is what the current snapshot needs, retained what an older snapshot does, in the log what the metadata "
        "log names; nothing that the table knows leads to an orphan.",
    ),
    (
        "append",
        "fast append, merging append",
        "A fast append adds its manifests to those that are there. A merging append also merges small manifests into "
        "larger ones, once there are commit.manifest.min-count-to-merge of them.",
    ),
    (
        "maintenance",
        "maintenance: expiry, compaction, manifest rewriting, orphan removal",
        "expire_snapshots, rewrite_data_files, rewrite_manifests, remove_orphan_files. Delete-after-commit is none of "
        "them: a table property by which each commit deletes what leaves the metadata log.",
    ),
    (
        "event",
        "event, cycle",
        "An event changes a table other than by an append: a merge, a maintenance job, a statement. A cycle is the "
        "time between two events of a kind; what it writes changes slowly from one to the next.",
    ),
    (
        "settled",
        "settled, most",
        "Settled is a table over the last full cycle of all its jobs, once they keep its size; most is the largest "
        "value in it, of a run that in the later half of the horizon, of metadata a day what the worst 24 hours write.",
    ),
    (
        "limit",
        "limit, threshold, finding, remedy",
        "A limit is the bound that a scenario or plan must keep, a threshold the size above which inspecting a table "
        "makes a finding, and a remedy a setting or statement that makes metadata smaller.",
    ),
    (
        "forecast",
        "forecast",
        "A table simulated beyond what was measured: its first day, month and year, from its present state or its "
        "first commit.",
    ),
    (
        "planning",
        "load, planning, execution",
        "Load is reading metadata.json through the catalog; planning is what Iceberg's ScanReport calls total planning "
        "duration; execution is the rest of the query. Cold means a fresh process, warm the same one again. What other "
        "readers' times hold is said with them.",
    ),
    (
        "opened",
        "scanned, skipped, opened",
        "Manifests whose entries a reader looked at, that it skipped by their partition ranges, and that it read from "
        "storage: with a cache it scans manifests without opening them. Opened counts manifests of deletes too; a dash "
        "is what cannot be seen.",
    ),
    (
        "step",
        "step",
        "What one commit costs its writer, from the previous commit's report to its own, with pauses taken out. An "
        "interval is sustainable while its steps are shorter than it.",
    ),
    (
        "keeps_up",
        "keeps up",
        "A writer keeps up as long as a commit takes less time than the commit interval. Commits become slower as "
        "metadata.json and the manifest list grow, so a short interval may keep up for days only.",
    ),
    (
        "band",
        "band",
        "What follows a ±. Of a simulation: how far the true figure may lie, by what was approximated. Of a fit: the "
        "uncertainty of its coefficients alone, at 95 %.",
    ),
    (
        "constant",
        "one constant per commit",
        "The naive model: every commit costs the mean of those measured. It cannot know that metadata.json grows.",
    ),
    (
        "r2",
        "R², rms",
        "The share of the variance that the fit explains, and the root of its mean squared error per commit. Where "
        "every commit writes the same there is nothing to explain: R² then reads “constant”.",
    ),
)


def render_glossary() -> str:
    """The glossary as docs/glossary.md has it."""
    entries = (f"**{word}**: {meaning}\n" for _, word, meaning in GLOSSARY)
    return "\n".join(("# Glossary\n\nThe words of the documents and of every report.\n", *entries))
