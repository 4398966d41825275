package wasim.recorder;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFiles;
import org.apache.iceberg.ManifestFile;
import org.apache.iceberg.ManifestFiles;
import org.apache.iceberg.ManifestReader;
import org.apache.iceberg.RewriteFiles;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;

/** Commits that take out files that nobody wrote, through the operations that Spark's actions and statements use. */
public final class Changes {
  private Changes() {}

  /** Locations of the table's live data files, a line each, in the order of its manifests. */
  public static String live(Table table) throws IOException {
    table.refresh();
    StringBuilder lines = new StringBuilder();
    for (Iterator files = liveFiles(table, null).iterator(); files.hasNext(); ) {
      lines.append(((DataFile) files.next()).location()).append('\n');
    }
    return lines.toString();
  }

  /** RewriteFiles: rows keep the age that they had when the work was planned, which is now. */
  public static void rewrite(Table table, String change, String journalFolder) throws IOException {
    DescribedCommit commit = new DescribedCommit(change);
    Snapshot planned = table.currentSnapshot();
    RewriteFiles rewrite = table.newRewrite().validateFromSnapshot(planned.snapshotId());
    rewrite.dataSequenceNumber(planned.sequenceNumber());
    commit.prepare(rewrite);
    for (Iterator files = liveFiles(table, commit.removed()).iterator(); files.hasNext(); ) {
      rewrite.deleteFile((DataFile) files.next());
    }
    for (Iterator files = commit.files(table, Journal.at(journalFolder)).iterator(); files.hasNext(); ) {
      rewrite.addFile((DataFile) files.next());
    }
    rewrite.commit();
  }

  /** DeleteFiles: whole files go, by metadata alone. */
  public static void delete(Table table, String change) throws IOException {
    DescribedCommit commit = new DescribedCommit(change);
    DeleteFiles delete = table.newDelete();
    commit.prepare(delete);
    for (Iterator files = liveFiles(table, commit.removed()).iterator(); files.hasNext(); ) {
      delete.deleteFile((DataFile) files.next());
    }
    delete.commit();
  }

  /** The live data files at these locations, or all of them. */
  private static List liveFiles(Table table, Set locations) throws IOException {
    List found = new ArrayList();
    Snapshot snapshot = table.currentSnapshot();
    if (snapshot == null) {
      return found;
    }
    for (Iterator manifests = snapshot.dataManifests(table.io()).iterator(); manifests.hasNext(); ) {
      ManifestReader reader = ManifestFiles.read((ManifestFile) manifests.next(), table.io(), table.specs());
      try {
        for (Iterator files = reader.iterator(); files.hasNext(); ) {
          DataFile file = (DataFile) files.next();
          if (locations == null || locations.contains(file.location())) {
            found.add(file.copyWithoutStats()); // the reader fills one object again and again
          }
        }
      } finally {
        reader.close();
      }
    }
    return found;
  }
}
