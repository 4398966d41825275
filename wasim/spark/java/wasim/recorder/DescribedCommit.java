package wasim.recorder;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import org.apache.iceberg.ContentFile;
import org.apache.iceberg.ContentFileParser;
import org.apache.iceberg.SnapshotUpdate;
import org.apache.iceberg.Table;
import org.apache.iceberg.relocated.com.google.common.util.concurrent.MoreExecutors;
import org.apache.iceberg.shaded.com.fasterxml.jackson.databind.JsonNode;
import org.apache.iceberg.util.JsonUtil;

/**
 * A commit as a line of JSON: the `summary` keys that the writer adds, the data `files` and `deletes` that it brings, in the
 * REST specification's JSON for content files, the keys of those that it has `removed`, and the `way` in which it is committed.
 */
final class DescribedCommit {
  // Iceberg asks its worker pool every 10 ms whether it is done, which would be most of a commit of few files
  static final ExecutorService HERE = MoreExecutors.newDirectExecutorService();

  private final JsonNode json;

  DescribedCommit(String line) throws java.io.IOException {
    json = (JsonNode) JsonUtil.mapper().readTree(line);
  }

  /** The operation of Iceberg's that commits it; appends have none. */
  String way() {
    return json.get("way").asText();
  }

  /** The row numbers, from the first to before the last, of which it drops all files. */
  long[] rows() {
    JsonNode rows = json.get("rows");
    return new long[] {((JsonNode) rows.get(0)).asLong(), ((JsonNode) rows.get(1)).asLong()};
  }

  /** How many commits were made since its work was planned. */
  int plannedBefore() {
    return json.get("planned_before").asInt();
  }

  /** Its new data files, each entered into the journal. */
  List files(Table table, Journal journal) {
    return contentFiles("files", table, journal);
  }

  /** Its new delete files, each entered into the journal. */
  List deletes(Table table, Journal journal) {
    return contentFiles("deletes", table, journal);
  }

  private List contentFiles(String name, Table table, Journal journal) {
    List files = new ArrayList();
    for (Iterator each = json.get(name).elements(); each.hasNext(); ) {
      ContentFile file = (ContentFile) ContentFileParser.fromJson((JsonNode) each.next(), table.specs());
      journal.described(file.location(), file.fileSizeInBytes());
      files.add(file);
    }
    return files;
  }

  /** Keys of the files that it takes out: offset of the content or a dash, tab, location. */
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
