package wasim.recorder;

import java.io.IOException;
import java.util.Iterator;
import org.apache.iceberg.AppendFiles;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.Table;
import org.apache.iceberg.util.ThreadPools;

/** Commits appends of files that nobody wrote, in a loop inside the JVM: calls over py4j would take longer than commits. */
public final class Appends {
  private Appends() {}

  /** One append for every line of `commits`, each a DescribedCommit. */
  public static void commit(Table table, String commits, boolean merges, String journalFolder) throws IOException {
    Journal journal = Journal.at(journalFolder);
    String[] lines = commits.split("\n");
    for (int i = 0; i < lines.length; i++) {
      DescribedCommit commit = new DescribedCommit(lines[i]);
      AppendFiles append = merges ? table.newAppend() : table.newFastAppend();
      commit.prepare(append);
      for (Iterator files = commit.files(table, journal).iterator(); files.hasNext(); ) {
        append.appendFile((DataFile) files.next());
      }
      append.writeManifestsWith(DescribedCommit.HERE, ThreadPools.WORKER_THREAD_POOL_SIZE);
      append.commit();
    }
  }
}
