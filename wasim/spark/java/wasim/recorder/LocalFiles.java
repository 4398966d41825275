package wasim.recorder;

import java.io.IOException;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.fs.permission.FsPermission;

/** Hadoop's local files; with `wasim.permissions` false, new ones keep the permissions that the process gives them. */
class LocalFiles extends RawLocalFileSystem {
  public void setPermission(Path path, FsPermission permission) throws IOException {
    // without Hadoop's native library this starts a chmod process, several times for each file
    if (getConf().getBoolean("wasim.permissions", true)) {
      super.setPermission(path, permission);
    }
  }
}
