package wasim.test;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.ManifestFile;
import org.apache.iceberg.ManifestFiles;
import org.apache.iceberg.ManifestReader;
import org.apache.iceberg.ManifestWriter;
import org.apache.iceberg.RowDelta;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableUtil;
import org.apache.iceberg.io.OutputFile;
import org.apache.iceberg.io.WriteResult;
import org.apache.iceberg.shaded.com.fasterxml.jackson.databind.JsonNode;
import org.apache.iceberg.util.JsonUtil;

/** Commits checkpoints as Flink's committer does: files pass through staged manifests, then one RowDelta. */
public final class Committer {
  private final Table table;
  private final List datas = new ArrayList();
  private final List deletes = new ArrayList();

  public Committer(Table table) {
    this.table = table;
  }

  /** Files that a subtask wrote. */
  public void add(WriteResult result) {
    for (int place = 0; place < result.dataFiles().length; place++) {
      datas.add(result.dataFiles()[place]);
    }
    for (int place = 0; place < result.deleteFiles().length; place++) {
      deletes.add(result.deleteFiles()[place]);
    }
  }

  /** Writes the staged manifests to these places, reads them, and commits what they list with these summary keys. */
  public void commit(String dataPath, String deletePath, String summary) throws IOException {
    int version = TableUtil.formatVersion(table);
    OutputFile dataOutput = table.io().newOutputFile(dataPath);
    ManifestWriter writer = ManifestFiles.write(version, table.spec(), dataOutput, Long.valueOf(0L));
    for (Iterator each = datas.iterator(); each.hasNext(); ) {
      writer.add((DataFile) each.next());
    }
    writer.close();
    OutputFile deleteOutput = table.io().newOutputFile(deletePath);
    ManifestWriter deleteWriter = ManifestFiles.writeDeleteManifest(version, table.spec(), deleteOutput, Long.valueOf(0L));
    for (Iterator each = deletes.iterator(); each.hasNext(); ) {
      deleteWriter.add((DeleteFile) each.next());
    }
    deleteWriter.close();
    RowDelta delta = table.newRowDelta();
    ManifestReader reader = ManifestFiles.read(writer.toManifestFile(), table.io(), table.specs());
    for (Iterator each = reader.iterator(); each.hasNext(); ) {
      delta.addRows((DataFile) each.next());
    }
    reader.close();
    reader = ManifestFiles.readDeleteManifest(deleteWriter.toManifestFile(), table.io(), table.specs());
    for (Iterator each = reader.iterator(); each.hasNext(); ) {
      delta.addDeletes((DeleteFile) each.next());
    }
    reader.close();
    JsonNode keys = (JsonNode) JsonUtil.mapper().readTree(summary);
    for (Iterator names = keys.fieldNames(); names.hasNext(); ) {
      String name = (String) names.next();
      delta.set(name, keys.get(name).asText());
    }
    delta.commit();
    datas.clear();
    deletes.clear();
  }
}
