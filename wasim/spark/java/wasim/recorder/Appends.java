package wasim.recorder;

import java.io.IOException;
import java.util.Iterator;
import java.util.concurrent.ExecutorService;
import org.apache.iceberg.AppendFiles;
import org.apache.iceberg.ContentFileParser;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.Table;
import org.apache.iceberg.relocated.com.google.common.util.concurrent.MoreExecutors;
import org.apache.iceberg.shaded.com.fasterxml.jackson.databind.JsonNode;
import org.apache.iceberg.util.JsonUtil;
import org.apache.iceberg.util.ThreadPools;

/** Commits appends of files that nobody wrote, in a loop inside the JVM: calls over py4j would take longer than commits. */
public final class Appends {
  private Appends() {}

  /**
   * One append for every line of `commits`: an object with the `summary` keys that the writer adds, and the `files` in the
   * REST specification's JSON for content files.
   */
  public static void commit(Table table, String commits, boolean merges, String journalFolder) throws IOException {
    Journal journal = Journal.at(journalFolder);
    // Iceberg asks its worker pool every 10 ms whether it is done, which would be most of a commit of few files
    ExecutorService here = MoreExecutors.newDirectExecutorService();
    String[] lines = commits.split("\n");
    for (int i = 0; i < lines.length; i++) {
      JsonNode commit = (JsonNode) JsonUtil.mapper().readTree(lines[i]);
      AppendFiles append = merges ? table.newAppend() : table.newFastAppend();
      JsonNode summary = commit.get("summary");
      for (Iterator keys = summary.fieldNames(); keys.hasNext(); ) {
        String key = (String) keys.next();
        append.set(key, summary.get(key).asText());
      }
      for (Iterator files = commit.get("files").elements(); files.hasNext(); ) {
        DataFile file = (DataFile) ContentFileParser.fromJson((JsonNode) files.next(), table.specs());
        // the ledger counts what entries claim as data written
        journal.written(file.location(), file.fileSizeInBytes(), false);
        append.appendFile(file);
      }
      append.scanManifestsWith(here);
      append.writeManifestsWith(here, ThreadPools.WORKER_THREAD_POOL_SIZE);
      append.commit();
    }
  }
}
