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
  private static final int HEADER_LIMIT = 1 << 20;

  private final OutputStream real;
  private final String location;
  private final Journal journal;
  private ByteArrayOutputStream header;
  private long position = 0;
  private boolean closed = false;

  public RecordingStream(OutputStream real, String location, Journal journal) {
    this.real = real;
    this.location = location;
    this.journal = journal;
    // a manifest's name does not tell data from deletes, and a merged-away manifest is gone before anyone can look
    String name = location.substring(location.lastIndexOf('/') + 1);
    boolean manifest = name.endsWith(".avro") && !name.startsWith("snap-");
    this.header = manifest ? new ByteArrayOutputStream() : null;
  }

  public long getPos() {
    return position;
  }

  public void write(int b) throws IOException {
    real.write(b);
    position += 1;
    if (header != null && header.size() < HEADER_LIMIT) {
      header.write(b);
    }
  }

  public void write(byte[] bytes, int offset, int length) throws IOException {
    real.write(bytes, offset, length);
    position += length;
    if (header != null && header.size() < HEADER_LIMIT) {
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
    boolean deletes = header != null && new String(header.toByteArray(), StandardCharsets.ISO_8859_1).contains(DELETES);
    header = null;
    journal.written(location, position, deletes);
  }
}
