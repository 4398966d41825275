package wasim.s3;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.aws.s3.S3FileIO;
import org.apache.iceberg.io.OutputFile;
import wasim.recorder.Journal;

/** Iceberg's S3FileIO, with every file written or deleted entered into the journal that `wasim.journal` names. */
public class RecordingS3FileIO extends S3FileIO {
  private String folder; // not the journal: tasks get a copy of this object

  public void initialize(Map properties) {
    super.initialize(properties);
    folder = (String) properties.get("wasim.journal");
  }

  public OutputFile newOutputFile(String path) {
    return new RecordingOutputFile(super.newOutputFile(path), Journal.at(folder));
  }

  public void deleteFile(String path) {
    super.deleteFile(path);
    Journal.at(folder).deleted(path);
  }

  public void deleteFiles(Iterable paths) {
    List listed = new ArrayList();
    for (Iterator each = paths.iterator(); each.hasNext(); ) {
      listed.add(each.next());
    }
    boolean all = false;
    try {
      super.deleteFiles(listed);
      all = true;
    } finally {
      // a failure says how many objects are left, not which
      for (int i = 0; i < listed.size(); i++) {
        String path = (String) listed.get(i);
        if (all || !newInputFile(path).exists()) {
          Journal.at(folder).deleted(path);
        }
      }
    }
  }
}
