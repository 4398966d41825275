package wasim.recorder;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import org.apache.iceberg.io.PositionOutputStream;

/** A stream that enters its file into the journal when it closes, once: writers may close twice. */
public class RecordingStream extends PositionOutputStream {
  // Avro header entry "content" → "deletes": length-prefixed (zig-zag 7 = 0x0e), and only manifests of delete files hold it
  private static final String DELETES = "\u000econtent\u000edeletes";
  // the same in a Parquet footer, as Thrift writes two strings of seven letters (v4)
  private static final String PARQUET_DELETES = "\u0018\u0007content\u0018\u0007deletes";
  private static final int HEADER_LIMIT = 1 << 20;

  private final OutputStream real;
  private final String location;
  private final Journal journal;
  private final boolean isParquet;
  private ByteArrayOutputStream header; // of Avro the beginning, of Parquet the end
  private long position = 0;
  private boolean closed = false;

  public RecordingStream(OutputStream real, String location, Journal journal) {
    this.real = real;
    this.location = location;
    this.journal = journal;
    // a manifest's name does not tell data from deletes, and a merged-away manifest is gone before anyone can look
    this.isParquet = location.endsWith(".parquet");
    this.header = isManifest(location) ? new ByteArrayOutputStream() : null;
  }

  /** Whether the file of this name is a manifest: in Avro, or in Parquet, as format version 4 has it. */
  static boolean isManifest(String location) {
    String name = location.substring(location.lastIndexOf('/') + 1);
    if (name.endsWith(".parquet")) {
      return name.matches("optimized-m-[0-9a-f-]+\\.parquet|[0-9a-f-]{36}-m[0-9]+\\.parquet");
    }
    return name.endsWith(".avro") && !name.startsWith("snap-");
  }

  public long getPos() {
    return position;
  }

  public void write(int b) throws IOException {
    real.write(b);
    position += 1;
    if (header != null) {
      keep(new byte[] {(byte) b}, 0, 1);
    }
  }

  public void write(byte[] bytes, int offset, int length) throws IOException {
    real.write(bytes, offset, length);
    position += length;
    if (header != null) {
      keep(bytes, offset, length);
    }
  }

  private void keep(byte[] bytes, int offset, int length) {
    if (isParquet && header.size() > HEADER_LIMIT) {
      byte[] sofar = header.toByteArray();
      header.reset();
      header.write(sofar, sofar.length - HEADER_LIMIT / 2, HEADER_LIMIT / 2);
    }
    if (isParquet || header.size() < HEADER_LIMIT) {
      header.write(bytes, offset, length);
    }
  }

  public void flush() throws IOException {
    real.flush();
  }

  public void close() throws IOException {
    if (closed) {
      return;
    }
    closed = true;
    real.close();
    String sought = isParquet ? PARQUET_DELETES : DELETES;
    boolean deletes = header != null && new String(header.toByteArray(), StandardCharsets.ISO_8859_1).contains(sought);
    header = null;
    journal.written(location, position, deletes);
  }
}
