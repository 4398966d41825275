package wasim.recorder;

import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.apache.hadoop.conf.Configuration;
import org.apache.iceberg.CatalogUtil;
import org.apache.iceberg.hadoop.HadoopConfigurable;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.io.OutputFile;

/**
 * The FileIO that `wasim.counted-io-impl` names, with manifests counted each time that one is opened to be read.
 *
 * The count is one for the whole JVM: what a scan opens is the difference between two readings. Streams are the real ones.
 */
public class CountingFiles implements FileIO, HadoopConfigurable {
  public static final String REAL = "wasim.counted-io-impl";

  private static final AtomicLong MANIFESTS = new AtomicLong();

  private FileIO real;
  private transient Configuration configuration; // for the real one to be made with; it keeps its own

  /** Manifests opened so far in this JVM, by any opening of any table. */
  public static long manifestsOpened() {
    return MANIFESTS.get();
  }

  static void opened(String location) {
    if (RecordingStream.isManifest(location)) {
      MANIFESTS.incrementAndGet();
    }
  }

  public void setConf(Configuration conf) {
    configuration = conf;
  }

  public Configuration getConf() {
    return real instanceof HadoopConfigurable ? ((HadoopConfigurable) real).getConf() : configuration;
  }

  public void serializeConfWith(Function serializer) {
    if (real instanceof HadoopConfigurable) {
      ((HadoopConfigurable) real).serializeConfWith(serializer);
    }
  }

  public void initialize(Map properties) {
    real = CatalogUtil.loadFileIO((String) properties.get(REAL), properties, configuration);
  }

  public Map properties() {
    return real.properties();
  }

  public InputFile newInputFile(String path) {
    return new CountedInput(real.newInputFile(path));
  }

  public InputFile newInputFile(String path, long length) {
    return new CountedInput(real.newInputFile(path, length));
  }

  public OutputFile newOutputFile(String path) {
    return real.newOutputFile(path);
  }

  public void deleteFile(String path) {
    real.deleteFile(path);
  }

  public void close() {
    real.close();
  }
}
