package wasim.recorder;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.Properties;
import org.apache.iceberg.rest.RESTCatalog;

/** Iceberg's REST catalog, with the properties of the file that `wasim.secrets` names: Spark's settings never hold them. */
public class GuardedRestCatalog extends RESTCatalog {
  public void initialize(String name, Map properties) {
    Map all = new HashMap(properties);
    Properties secrets = new Properties();
    try {
      FileInputStream file = new FileInputStream((String) properties.get("wasim.secrets"));
      try {
        secrets.load(file);
      } finally {
        file.close();
      }
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot read the credentials of the REST catalog", e);
    }
    for (Iterator keys = secrets.stringPropertyNames().iterator(); keys.hasNext(); ) {
      String key = (String) keys.next();
      all.put(key, secrets.getProperty(key));
    }
    super.initialize(name, all);
  }
}
