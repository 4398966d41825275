package wasim.recorder;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import org.apache.iceberg.ContentFileParser;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.SnapshotUpdate;
import org.apache.iceberg.Table;
import org.apache.iceberg.relocated.com.google.common.util.concurrent.MoreExecutors;
import org.apache.iceberg.shaded.com.fasterxml.jackson.databind.JsonNode;
import org.apache.iceberg.util.JsonUtil;

/**
 * A commit as a line of JSON: the `summary` keys that the writer adds, the `files` that it brings, in the REST specification's
 * JSON for content files, and the locations of those that it has `removed`.
 */
final class DescribedCommit {
  // Iceberg asks its worker pool every 10 ms whether it is done, which would be most of a commit of few files
  static final ExecutorService HERE = MoreExecutors.newDirectExecutorService();

  private final JsonNode json;

  DescribedCommit(String line) throws java.io.IOException {
    json = (JsonNode) JsonUtil.mapper().readTree(line);
  }

  /** Its new data files, each entered into the journal. */
  List files(Table table, Journal journal) {
    List files = new ArrayList();
    for (Iterator each = json.get("files").elements(); each.hasNext(); ) {
      DataFile file = (DataFile) ContentFileParser.fromJson((JsonNode) each.next(), table.specs());
      journal.described(file.location(), file.fileSizeInBytes());
      files.add(file);
    }
    return files;
  }

  /** Locations of the files that it takes out. */
  Set removed() {
    Set removed = new HashSet();
    for (Iterator each = json.get("removed").elements(); each.hasNext(); ) {
      removed.add(((JsonNode) each.next()).asText());
    }
    return removed;
  }

  /** Gives an operation the summary keys, and does its work in this thread. */
  void prepare(SnapshotUpdate operation) {
    JsonNode summary = json.get("summary");
    for (Iterator keys = summary.fieldNames(); keys.hasNext(); ) {
      String key = (String) keys.next();
      operation.set(key, summary.get(key).asText());
    }
    operation.scanManifestsWith(HERE);
  }
}
