package wasim.recorder;

import java.util.Map;
import org.apache.iceberg.metrics.CommitReport;
import org.apache.iceberg.metrics.CommitReportParser;
import org.apache.iceberg.metrics.MetricsReport;
import org.apache.iceberg.metrics.MetricsReporter;

/** Enters every CommitReport into the journal named by the catalog property `wasim.journal`. */
public class JournalReporter implements MetricsReporter {
  private Journal journal;

  public void initialize(Map properties) {
    journal = Journal.at((String) properties.get("wasim.journal"));
  }

  public void report(MetricsReport report) {
    if (report instanceof CommitReport) {
      CommitReport commit = (CommitReport) report;
      journal.reported(CommitReportParser.toJson(commit), commit.snapshotId());
    }
  }

  public void close() {}
}
