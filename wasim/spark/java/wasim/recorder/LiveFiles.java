package wasim.recorder;

import java.io.IOException;
import java.util.HashSet;
import java.util.Iterator;
import java.util.Set;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.ManifestFile;
import org.apache.iceberg.ManifestFiles;
import org.apache.iceberg.ManifestReader;
import org.apache.iceberg.Table;
import org.apache.iceberg.util.ScanTaskUtil;

/** What the files are that a table's current snapshot reaches. */
public class LiveFiles {
  /** Bytes of its delete files, and what a summary counts of them: of several deletion vectors in a file each one. */
  public static long[] deleteBytes(Table table) throws IOException {
    long[] bytes = new long[2];
    Set seen = new HashSet();
    Iterator manifests = table.currentSnapshot().deleteManifests(table.io()).iterator();
    while (manifests.hasNext()) {
      ManifestReader reader =
          ManifestFiles.readDeleteManifest((ManifestFile) manifests.next(), table.io(), table.specs());
      try {
        Iterator files = reader.iterator();
        while (files.hasNext()) {
          DeleteFile file = (DeleteFile) files.next();
          bytes[0] += seen.add(file.location()) ? file.fileSizeInBytes() : 0;
          bytes[1] += ScanTaskUtil.contentSizeInBytes(file);
        }
      } finally {
        reader.close();
      }
    }
    return bytes;
  }
}
