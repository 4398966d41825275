package wasim.test;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.PartitionKey;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.StructLike;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableUtil;
import org.apache.iceberg.data.GenericFileWriterFactory;
import org.apache.iceberg.data.GenericRecord;
import org.apache.iceberg.data.InternalRecordWrapper;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.deletes.DeleteGranularity;
import org.apache.iceberg.io.BaseTaskWriter;
import org.apache.iceberg.io.FileWriterFactory;
import org.apache.iceberg.io.OutputFileFactory;
import org.apache.iceberg.io.PartitioningDVWriter;
import org.apache.iceberg.io.WriteResult;
import org.apache.iceberg.shaded.com.fasterxml.jackson.databind.JsonNode;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.TypeUtil;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.util.DateTimeUtil;
import org.apache.iceberg.util.JsonUtil;

/**
 * One subtask that upserts, by Iceberg's own writers of deltas and Parquet: what Flink's sink does in a subtask, with
 * generic records in the place of Flink's rows.
 */
public final class DeltaWriter {
  private final Table table;
  private final Schema schema;
  private final Schema keySchema;
  private final OutputFileFactory files;
  private final FileWriterFactory writers;
  private Delta delta;

  public DeltaWriter(Table table, int task) {
    this.table = table;
    this.schema = table.schema();
    Set ids = schema.identifierFieldIds();
    this.keySchema = TypeUtil.select(schema, ids);
    int[] numbers = new int[ids.size()];
    int place = 0;
    for (Iterator each = ids.iterator(); each.hasNext(); ) {
      numbers[place++] = ((Integer) each.next()).intValue();
    }
    this.files = OutputFileFactory.builderFor(table, task, 0L).format(FileFormat.PARQUET).build();
    this.writers =
        new GenericFileWriterFactory.Builder(table)
            .dataSchema(schema)
            .equalityFieldIds(numbers)
            .equalityDeleteRowSchema(keySchema)
            .build();
    this.delta = open();
  }

  private Delta open() {
    return new Delta(table.spec(), writers, files, table, schema, keySchema);
  }

  /** The files of one checkpoint: rows as a JSON array of arrays, timestamps in microseconds. */
  public WriteResult checkpoint(String rows) throws IOException {
    for (Iterator each = ((JsonNode) JsonUtil.mapper().readTree(rows)).elements(); each.hasNext(); ) {
      delta.write(record((JsonNode) each.next()));
    }
    WriteResult result = delta.complete();
    delta = open();
    return result;
  }

  private Record record(JsonNode values) {
    Record record = GenericRecord.create(schema);
    for (int place = 0; place < schema.columns().size(); place++) {
      Type type = ((Types.NestedField) schema.columns().get(place)).type();
      record.set(place, value((JsonNode) values.get(place), type));
    }
    return record;
  }

  private static Object value(JsonNode value, Type type) {
    switch (type.typeId()) {
      case LONG:
        return Long.valueOf(value.asLong());
      case INTEGER:
        return Integer.valueOf(value.asInt());
      case DOUBLE:
        return Double.valueOf(value.asDouble());
      case TIMESTAMP:
        return DateTimeUtil.timestamptzFromMicros(value.asLong());
      case DATE:
        return DateTimeUtil.dateFromDays(value.asInt());
      default:
        return value.asText();
    }
  }

  /** Stands where Flink's writers of deltas stand: a delta for each partition, in Java's hash map. */
  private static final class Delta extends BaseTaskWriter {
    private final Schema schema;
    private final Schema keySchema;
    private final InternalRecordWrapper wrapper;
    private final InternalRecordWrapper keyWrapper;
    private final PartitionKey partition;
    private final Map byPartition = new HashMap();
    private final List keyNames = new ArrayList();

    Delta(PartitionSpec spec, FileWriterFactory writers, OutputFileFactory files, Table table, Schema schema, Schema keySchema) {
      super(spec, FileFormat.PARQUET, writers, files, table.io(), 1L << 29, TableUtil.formatVersion(table) > 2);
      this.schema = schema;
      this.keySchema = keySchema;
      this.wrapper = new InternalRecordWrapper(schema.asStruct());
      this.keyWrapper = new InternalRecordWrapper(keySchema.asStruct());
      this.partition = new PartitionKey(spec, schema);
      for (Iterator each = keySchema.columns().iterator(); each.hasNext(); ) {
        keyNames.add(((Types.NestedField) each.next()).name());
      }
      if (spec.isUnpartitioned()) {
        byPartition.put(null, new OfPartition(null, dvFileWriter()));
      }
    }

    public void write(Object row) throws IOException {
      Record key = GenericRecord.create(keySchema);
      for (Iterator names = keyNames.iterator(); names.hasNext(); ) {
        String name = (String) names.next();
        key.setField(name, ((Record) row).getField(name));
      }
      OfPartition writer = route((Record) row);
      writer.deleteKey(key);
      writer.write(row);
    }

    private OfPartition route(Record row) {
      if (spec().isUnpartitioned()) {
        return (OfPartition) byPartition.get(null);
      }
      partition.partition(wrapper.wrap(row));
      OfPartition writer = (OfPartition) byPartition.get(partition);
      if (writer == null) {
        PartitionKey copied = partition.copy();
        writer = new OfPartition(copied, dvFileWriter());
        byPartition.put(copied, writer);
      }
      return writer;
    }

    public void close() throws IOException {
      if (spec().isPartitioned()) {
        super.close();
      }
      for (Iterator each = byPartition.values().iterator(); each.hasNext(); ) {
        ((OfPartition) each.next()).close();
      }
      byPartition.clear();
      if (spec().isUnpartitioned()) {
        super.close();
      }
    }

    private final class OfPartition extends BaseTaskWriter.BaseEqualityDeltaWriter {
      OfPartition(PartitionKey partition, PartitioningDVWriter vectors) {
        super(partition, Delta.this.schema, Delta.this.keySchema, DeleteGranularity.FILE, vectors);
      }

      protected StructLike asStructLike(Object row) {
        return Delta.this.wrapper.wrap((Record) row);
      }

      protected StructLike asStructLikeKey(Object key) {
        return Delta.this.keyWrapper.wrap((Record) key);
      }
    }
  }
}
