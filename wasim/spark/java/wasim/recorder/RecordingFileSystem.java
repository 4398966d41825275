package wasim.recorder;

import java.io.IOException;
import java.net.URI;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.LocalFileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.util.Progressable;

/**
 * The local file system, with every creation, rename and deletion entered into the journal that `wasim.journal` names.
 *
 * It stands below Iceberg's HadoopFileIO, which stays as it is: a FileIO around HadoopFileIO would take Parquet off its Hadoop
 * path, on which each data file then costs a parse of Hadoop's XML defaults.
 */
public class RecordingFileSystem extends LocalFileSystem {
  // two threads may move or delete files of the same name: the journal must tell it in the order in which it happened
  private static final Object ORDER = new Object();

  private Journal journal;

  public RecordingFileSystem() {
    super(new LocalFiles());
  }

  public void initialize(URI uri, Configuration conf) throws IOException {
    super.initialize(uri, conf);
    journal = Journal.at(conf.get("wasim.journal"));
  }

  public FSDataOutputStream create(
      Path path,
      FsPermission permission,
      boolean overwrite,
      int bufferSize,
      short replication,
      long blockSize,
      Progressable progress)
      throws IOException {
    FSDataOutputStream real =
        super.create(path, permission, overwrite, bufferSize, replication, blockSize, progress);
    return new FSDataOutputStream(new RecordingStream(real, path.toString(), journal), null);
  }

  public boolean rename(Path from, Path to) throws IOException {
    synchronized (ORDER) {
      boolean replaces = exists(to) && getFileStatus(to).isFile();
      boolean done = super.rename(from, to);
      if (done && replaces) {
        journal.deleted(to.toString());
      }
      if (done) {
        journal.renamed(from.toString(), to.toString());
      }
      return done;
    }
  }

  public boolean delete(Path path, boolean recursive) throws IOException {
    FileStatus[] files = recursive && exists(path) && getFileStatus(path).isDirectory() ? listStatus(path) : null;
    if (files != null) {
      for (int i = 0; i < files.length; i++) {
        delete(files[i].getPath(), true);
      }
      return super.delete(path, true);
    }
    synchronized (ORDER) {
      boolean done = super.delete(path, recursive);
      if (done) {
        journal.deleted(path.toString());
      }
      return done || journal.forgets(path.toString());
    }
  }
}
