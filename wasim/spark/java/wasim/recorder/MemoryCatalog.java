package wasim.recorder;

import java.lang.reflect.Field;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.conf.Configurable;
import org.apache.hadoop.conf.Configuration;
import org.apache.iceberg.CatalogUtil;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.hadoop.HadoopFileIO;
import org.apache.iceberg.inmemory.InMemoryCatalog;

/**
 * Iceberg's InMemoryCatalog with its files in a store, and its tables' names shared by all that open the same warehouse.
 *
 * Iceberg's own keeps its files in memory too, whatever `io-impl` says, and each opening is a catalog of its own; Spark opens
 * one for every session.
 */
public class MemoryCatalog extends InMemoryCatalog implements Configurable {
  private static final Map SHARED = new HashMap(); // names of tables by warehouse

  private Configuration configuration;

  public void setConf(Configuration conf) {
    configuration = conf;
  }

  public Configuration getConf() {
    return configuration;
  }

  public void initialize(String name, Map properties) {
    super.initialize(name, properties);
    String impl = (String) properties.get("io-impl");
    put("io", CatalogUtil.loadFileIO(impl == null ? HadoopFileIO.class.getName() : impl, properties, configuration));
    put("tables", tablesOf((String) properties.get("warehouse")));
  }

  /** Whether a namespace exists: always. As in the JDBC catalog, none has to be made before its tables. */
  public boolean namespaceExists(Namespace namespace) {
    return true;
  }

  /** Closing one opening leaves the others their tables. */
  public void close() {}

  /** Forgets the names of a warehouse's tables. */
  public static void forget(String warehouse) {
    synchronized (SHARED) {
      SHARED.remove(warehouse);
    }
  }

  private static Object tablesOf(String warehouse) {
    synchronized (SHARED) {
      Object tables = SHARED.get(warehouse);
      if (tables == null) {
        tables = new ConcurrentHashMap();
        SHARED.put(warehouse, tables);
      }
      return tables;
    }
  }

  private void put(String field, Object value) {
    try {
      Field found = InMemoryCatalog.class.getDeclaredField(field);
      found.setAccessible(true);
      found.set(this, value);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("Iceberg's InMemoryCatalog has no field " + field + " any more", e);
    }
  }
}
