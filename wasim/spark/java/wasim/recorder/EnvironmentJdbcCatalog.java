package wasim.recorder;

import java.util.HashMap;
import java.util.Map;
import org.apache.iceberg.jdbc.JdbcCatalog;

/** Iceberg's JDBC catalog, with its user and password from the environment: Spark's settings never hold them. */
public class EnvironmentJdbcCatalog extends JdbcCatalog {
  public void initialize(String name, Map properties) {
    Map all = new HashMap(properties);
    add(all, "jdbc.user", "WASIM_JDBC_USER");
    add(all, "jdbc.password", "WASIM_JDBC_PASSWORD");
    super.initialize(name, all);
  }

  private static void add(Map properties, String key, String variable) {
    String value = System.getenv(variable);
    if (value != null) {
      properties.put(key, value);
    }
  }
}
