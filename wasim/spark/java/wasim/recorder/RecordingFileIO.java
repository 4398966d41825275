package wasim.recorder;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.apache.hadoop.conf.Configuration;
import org.apache.iceberg.CatalogUtil;
import org.apache.iceberg.hadoop.HadoopConfigurable;
import org.apache.iceberg.io.DelegateFileIO;
import org.apache.iceberg.io.FileInfo;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.io.OutputFile;

/**
 * A FileIO around the real one that writes every creation and deletion into the case's journal.
 *
 * Properties: `wasim.journal` (folder of the journal) and `wasim.io-impl` (the real FileIO).
 */
public class RecordingFileIO implements DelegateFileIO, HadoopConfigurable {
  private DelegateFileIO real;
  private HashMap properties = new HashMap();
  private transient Configuration conf;

  public void initialize(Map props) {
    properties = new HashMap(props);
    real = (DelegateFileIO) CatalogUtil.loadFileIO((String) props.get("wasim.io-impl"), props, conf);
  }

  private Journal journal() {
    return Journal.at((String) properties.get("wasim.journal"));
  }

  public Map properties() {
    return properties;
  }

  public InputFile newInputFile(String location) {
    return real.newInputFile(location);
  }

  public InputFile newInputFile(String location, long length) {
    return real.newInputFile(location, length);
  }

  public OutputFile newOutputFile(String location) {
    return new RecordingOutputFile(real.newOutputFile(location), journal());
  }

  public void deleteFile(String location) {
    real.deleteFile(location);
    journal().deleted(location);
  }

  public void deleteFiles(Iterable locations) {
    List all = new ArrayList();
    for (Iterator i = locations.iterator(); i.hasNext(); ) {
      all.add(i.next());
    }
    // a failure throws here, before the journal claims what may still exist: the books then name the file
    real.deleteFiles(all);
    for (Iterator i = all.iterator(); i.hasNext(); ) {
      journal().deleted((String) i.next());
    }
  }

  public Iterable listPrefix(String prefix) {
    return real.listPrefix(prefix);
  }

  public void deletePrefix(String prefix) {
    List all = new ArrayList();
    for (Iterator i = real.listPrefix(prefix).iterator(); i.hasNext(); ) {
      all.add(((FileInfo) i.next()).location());
    }
    real.deletePrefix(prefix);
    for (Iterator i = all.iterator(); i.hasNext(); ) {
      journal().deleted((String) i.next());
    }
  }

  public void setConf(Configuration configuration) {
    conf = configuration;
    if (real instanceof HadoopConfigurable) {
      ((HadoopConfigurable) real).setConf(configuration);
    }
  }

  public Configuration getConf() {
    return real instanceof HadoopConfigurable ? ((HadoopConfigurable) real).getConf() : conf;
  }

  public void serializeConfWith(Function confSerializer) {
    if (real instanceof HadoopConfigurable) {
      ((HadoopConfigurable) real).serializeConfWith(confSerializer);
    }
  }

  public void close() {
    if (real != null) {
      real.close();
    }
  }
}
