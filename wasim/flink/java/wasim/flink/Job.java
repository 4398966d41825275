package wasim.flink;

import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.connector.datagen.source.DataGeneratorSource;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.apache.hadoop.conf.Configuration;
import org.apache.iceberg.PartitionSpecParser;
import org.apache.iceberg.Schema;
import org.apache.iceberg.SchemaParser;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.SupportsNamespaces;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.flink.CatalogLoader;
import org.apache.iceberg.flink.FlinkSchemaUtil;
import org.apache.iceberg.flink.TableLoader;
import org.apache.iceberg.flink.sink.IcebergSink;
import wasim.recorder.Journal;

/** A job in a Flink of this JVM: a table made, and rows written to it, as many at each checkpoint. */
public final class Job {
  private static final long PAUSE_MS = 200; // between checkpoints; ten empty ones in a row would make an empty commit
  private static final long LAST_MS = 1000; // in which the committer deletes what it staged last

  private final CatalogLoader loader;
  private final TableIdentifier id;

  public Job(Map properties, Map hadoop, String namespace, String name) {
    Configuration conf = new Configuration();
    for (Iterator keys = hadoop.keySet().iterator(); keys.hasNext(); ) {
      String key = (String) keys.next();
      conf.set(key, (String) hadoop.get(key));
    }
    this.loader = CatalogLoader.custom("wasim", properties, conf, "org.apache.iceberg.jdbc.JdbcCatalog");
    this.id = TableIdentifier.of(new String[] {namespace, name});
  }

  public void create(String schema, String spec, String location, Map properties) {
    Catalog catalog = loader.loadCatalog();
    ((SupportsNamespaces) catalog).createNamespace(Namespace.of(new String[] {"db"}));
    Schema parsed = SchemaParser.fromJson(schema);
    catalog.buildTable(id, parsed)
        .withPartitionSpec(PartitionSpecParser.fromJson(parsed, spec))
        .withLocation(location)
        .withProperties(properties)
        .create();
  }

  /** Returns when `commits` commits have been reported, or with the job's failure. The table's properties say how. */
  public void write(String rows, int perCommit, int commits, int subtasks, String journal)
      throws Exception {
    Schema schema = loader.loadCatalog().loadTable(id).schema();
    StreamExecutionEnvironment flink =
        StreamExecutionEnvironment.createLocalEnvironment(
            subtasks, new org.apache.flink.configuration.Configuration());
    flink.enableCheckpointing(PAUSE_MS);
    flink.getCheckpointConfig().setMinPauseBetweenCheckpoints(PAUSE_MS);
    DataGeneratorSource numbers = new DataGeneratorSource(new Number(), commits, new Turns(journal), Types.LONG);
    // one subtask gives rows, so that a checkpoint cannot fall between those of several; they are dealt to the writers in turn, or by key
    DataStream stream =
        flink
            .fromSource(numbers, WatermarkStrategy.noWatermarks(), "commits")
            .setParallelism(1)
            .flatMap(new Rows(rows, schema, perCommit))
            .returns(InternalTypeInfo.of(FlinkSchemaUtil.convert(schema)))
            .setParallelism(1)
            .rebalance();
    IcebergSink.forRowData(stream)
        .tableLoader(TableLoader.fromCatalog(loader, id))
        .writeParallelism(subtasks)
        .append();
    JobClient job = flink.executeAsync("wasim");
    CompletableFuture result = job.getJobExecutionResult();
    while (Journal.at(journal).snapshotsSince(Long.MIN_VALUE).length < commits && !result.isDone()) {
      Thread.sleep(20);
    }
    if (result.isDone()) {
      result.get(); // throws why it failed
    } else {
      Thread.sleep(LAST_MS);
      job.cancel().get();
    }
  }
}
