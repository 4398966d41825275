package wasim.flink;

import java.io.BufferedReader;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.functions.FlatMapFunction;
import org.apache.flink.table.data.DecimalData;
import org.apache.flink.table.data.GenericArrayData;
import org.apache.flink.table.data.GenericMapData;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.data.TimestampData;
import org.apache.flink.util.Collector;
import org.apache.iceberg.Schema;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;

/**
 * The rows of a case, one a line of a text file with tabs between values, commit by commit. All of a commit leave in one
 * call, so that no checkpoint comes between them.
 */
public class Rows implements FlatMapFunction {
  private static final Map READ = new HashMap(); // by file: subtasks of one JVM share what was read

  private final String file;
  private final Schema schema;
  private final int perCommit;

  public Rows(String file, Schema schema, int perCommit) {
    this.file = file;
    this.schema = schema;
    this.perCommit = perCommit;
  }

  public void flatMap(Object number, Collector out) throws Exception {
    int first = ((Long) number).intValue() * perCommit;
    for (int line = first; line < first + perCommit; line++) {
      out.collect(value(schema.asStruct(), Arrays.asList(((String) lines(file).get(line)).split("\t", -1)).iterator()));
    }
  }

  private static List lines(String file) throws Exception {
    synchronized (READ) {
      List found = (List) READ.get(file);
      if (found == null) {
        found = new ArrayList();
        BufferedReader reader = Files.newBufferedReader(Paths.get(file), StandardCharsets.UTF_8);
        for (String line = reader.readLine(); line != null; line = reader.readLine()) {
          found.add(line);
        }
        reader.close();
        READ.put(file, found);
      }
      return found;
    }
  }

  /** The value of the type that the next texts spell: of a list or a map, how many it holds comes first. */
  private static Object value(Type type, Iterator texts) {
    if (type.isStructType()) {
      List fields = type.asStructType().fields();
      GenericRowData row = new GenericRowData(fields.size());
      for (int i = 0; i < fields.size(); i++) {
        row.setField(i, value(((Types.NestedField) fields.get(i)).type(), texts));
      }
      return row;
    }
    String text = (String) texts.next();
    if (type.isListType()) {
      Object[] items = new Object[Integer.parseInt(text)];
      for (int i = 0; i < items.length; i++) {
        items[i] = value(type.asListType().elementType(), texts);
      }
      return new GenericArrayData(items);
    }
    if (type.isMapType()) {
      Map items = new LinkedHashMap();
      for (int left = Integer.parseInt(text); left > 0; left--) {
        Object key = value(type.asMapType().keyType(), texts);
        items.put(key, value(type.asMapType().valueType(), texts));
      }
      return new GenericMapData(items);
    }
    return primitive(type.toString(), text);
  }

  private static Object primitive(String type, String text) {
    if (type.startsWith("decimal")) {
      String[] digits = type.substring(8, type.length() - 1).split(",");
      return DecimalData.fromBigDecimal(
          new BigDecimal(text), Integer.parseInt(digits[0].trim()), Integer.parseInt(digits[1].trim()));
    }
    if (type.equals("boolean")) {
      return Boolean.valueOf(text);
    }
    if (type.equals("int") || type.equals("date")) {
      return Integer.valueOf(text);
    }
    if (type.equals("long")) {
      return Long.valueOf(text);
    }
    if (type.equals("float")) {
      return Float.valueOf(text);
    }
    if (type.equals("double")) {
      return Double.valueOf(text);
    }
    if (type.startsWith("timestamp")) {
      long us = Long.parseLong(text);
      return TimestampData.fromEpochMillis(Math.floorDiv(us, 1000L), (int) Math.floorMod(us, 1000L) * 1000);
    }
    if (type.equals("binary")) {
      byte[] bytes = new byte[text.length() / 2];
      for (int i = 0; i < bytes.length; i++) {
        bytes[i] = (byte) Integer.parseInt(text.substring(2 * i, 2 * i + 2), 16);
      }
      return bytes;
    }
    return StringData.fromString(text);
  }
}
