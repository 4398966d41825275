package wasim.recorder;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import org.apache.iceberg.ContentFile;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.ManifestContent;
import org.apache.iceberg.ManifestFile;
import org.apache.iceberg.ManifestFiles;
import org.apache.iceberg.ManifestReader;
import org.apache.iceberg.OverwriteFiles;
import org.apache.iceberg.ReplacePartitions;
import org.apache.iceberg.RewriteFiles;
import org.apache.iceberg.RowDelta;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.SnapshotUpdate;
import org.apache.iceberg.Table;
import org.apache.iceberg.expressions.Expressions;
import org.apache.iceberg.util.DataFileSet;
import org.apache.iceberg.util.DeleteFileSet;

/** Commits changes of files that nobody wrote, through the operations that Spark's statements and actions use. */
public final class Changes {
  private static final String NONE = "-";

  private Changes() {}

  /**
   * The table's live files, a line each, in the order of its manifests: content, partition spec, data sequence number, first
   * row id, offset of its content, location; what a file does not have is a dash.
   */
  public static String live(Table table) throws IOException {
    table.refresh();
    StringBuilder lines = new StringBuilder();
    for (Iterator files = liveFiles(table, null).iterator(); files.hasNext(); ) {
      ContentFile file = (ContentFile) files.next();
      lines.append(file instanceof DataFile ? "data" : "deletes").append('\t').append(file.specId());
      lines.append('\t').append(text(file.dataSequenceNumber())).append('\t').append(text(file.firstRowId()));
      lines.append('\t').append(text(offset(file))).append('\t').append(file.location()).append('\n');
    }
    return lines.toString();
  }

  /** Commits a DescribedCommit to the table as it now is, which is as it was when the commit was described. */
  public static void commit(Table table, String change, String journalFolder) throws IOException {
    DescribedCommit commit = new DescribedCommit(change);
    Journal journal = Journal.at(journalFolder);
    SnapshotUpdate operation = operation(table, commit, journal);
    commit.prepare(operation);
    operation.commit();
  }

  private static SnapshotUpdate operation(Table table, DescribedCommit commit, Journal journal) throws IOException {
    String way = commit.way();
    if (way.equals("delete_files")) {
      long[] rows = commit.rows();
      return table.newDelete().deleteFromRowFilter(
          Expressions.and(
              Expressions.greaterThanOrEqual("event_id", Long.valueOf(rows[0])),
              Expressions.lessThan("event_id", Long.valueOf(rows[1]))));
    } else if (way.equals("overwrite_files")) {
      return overwriteFiles(table, commit, journal);
    } else if (way.equals("overwrite_all")) {
      OverwriteFiles overwrite = table.newOverwrite().overwriteByRowFilter(Expressions.alwaysTrue());
      for (Iterator files = commit.files(table, journal).iterator(); files.hasNext(); ) {
        overwrite.addFile((DataFile) files.next());
      }
      return overwrite;
    } else if (way.equals("replace_partitions")) {
      ReplacePartitions replace = table.newReplacePartitions();
      for (Iterator files = commit.files(table, journal).iterator(); files.hasNext(); ) {
        replace.addFile((DataFile) files.next());
      }
      return replace;
    } else if (way.equals("row_delta")) {
      return rowDelta(table, commit, journal);
    } else if (way.equals("rewrite_files")) {
      return rewriteFiles(table, commit, journal);
    }
    throw new IllegalArgumentException("No operation of Iceberg's is called " + way);
  }

  /** Copy-on-write: files go, and what is left of their rows comes. */
  private static OverwriteFiles overwriteFiles(Table table, DescribedCommit commit, Journal journal) throws IOException {
    OverwriteFiles overwrite = table.newOverwrite();
    DataFileSet removed = DataFileSet.create();
    DeleteFileSet deletes = DeleteFileSet.create();
    for (Iterator files = liveFiles(table, commit.removed()).iterator(); files.hasNext(); ) {
      ContentFile file = (ContentFile) files.next();
      if (file instanceof DataFile) {
        removed.add((DataFile) file);
      } else {
        deletes.add((DeleteFile) file);
      }
    }
    overwrite.deleteFiles(removed, deletes);
    for (Iterator files = commit.files(table, journal).iterator(); files.hasNext(); ) {
      overwrite.addFile((DataFile) files.next());
    }
    return overwrite;
  }

  /** Merge-on-read: rows come, and delete files; older ones that those take over go. */
  private static RowDelta rowDelta(Table table, DescribedCommit commit, Journal journal) throws IOException {
    RowDelta delta = table.newRowDelta();
    if (table.currentSnapshot() != null) {
      // else vectors are held against those of all snapshots, as if they had come at once
      delta.validateFromSnapshot(table.currentSnapshot().snapshotId());
    }
    for (Iterator files = commit.files(table, journal).iterator(); files.hasNext(); ) {
      delta.addRows((DataFile) files.next());
    }
    for (Iterator files = commit.deletes(table, journal).iterator(); files.hasNext(); ) {
      delta.addDeletes((DeleteFile) files.next());
    }
    for (Iterator files = liveFiles(table, commit.removed()).iterator(); files.hasNext(); ) {
      delta.removeDeletes((DeleteFile) files.next());
    }
    return delta;
  }

  /** Compaction: rows keep the age that they had when the work was planned, now or some commits ago. */
  private static RewriteFiles rewriteFiles(Table table, DescribedCommit commit, Journal journal) throws IOException {
    Snapshot planned = table.currentSnapshot();
    for (int since = 0; since < commit.plannedBefore(); since += 1) {
      planned = table.snapshot(planned.parentId().longValue());
    }
    RewriteFiles rewrite = table.newRewrite().validateFromSnapshot(planned.snapshotId());
    rewrite.dataSequenceNumber(planned.sequenceNumber());
    for (Iterator files = liveFiles(table, commit.removed()).iterator(); files.hasNext(); ) {
      ContentFile file = (ContentFile) files.next();
      if (file instanceof DataFile) {
        rewrite.deleteFile((DataFile) file);
      } else {
        rewrite.deleteFile((DeleteFile) file);
      }
    }
    for (Iterator files = commit.files(table, journal).iterator(); files.hasNext(); ) {
      rewrite.addFile((DataFile) files.next());
    }
    return rewrite;
  }

  /** The live files with these keys, as `key` has them, or all of them: those of data, then those of deletes. */
  private static List liveFiles(Table table, Set keys) throws IOException {
    List found = new ArrayList();
    Snapshot snapshot = table.currentSnapshot();
    if (snapshot == null) {
      return found;
    }
    for (Iterator each = snapshot.allManifests(table.io()).iterator(); each.hasNext(); ) {
      ManifestFile manifest = (ManifestFile) each.next();
      ManifestReader reader =
          manifest.content() == ManifestContent.DATA
              ? ManifestFiles.read(manifest, table.io(), table.specs())
              : ManifestFiles.readDeleteManifest(manifest, table.io(), table.specs());
      try {
        for (Iterator files = reader.iterator(); files.hasNext(); ) {
          ContentFile file = (ContentFile) files.next();
          if (keys == null || keys.contains(key(file))) {
            found.add(file.copyWithoutStats()); // the reader fills one object again and again
          }
        }
      } finally {
        reader.close();
      }
    }
    return found;
  }

  /** What tells a file from all others: vectors share their location. */
  private static String key(ContentFile file) {
    return text(offset(file)) + "\t" + file.location();
  }

  private static Long offset(ContentFile file) {
    return file instanceof DeleteFile ? ((DeleteFile) file).contentOffset() : null;
  }

  private static String text(Long number) {
    return number == null ? NONE : number.toString();
  }
}
