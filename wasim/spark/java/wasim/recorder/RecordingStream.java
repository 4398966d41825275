package wasim.recorder;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.apache.iceberg.io.PositionOutputStream;

/** A stream that enters its file into the journal when it closes, once: writers may close twice. */
class RecordingStream extends PositionOutputStream {
  // Avro header entry "content" → "deletes": length-prefixed (zig-zag 7 = 0x0e), and only manifests of delete files hold it
  private static final String DELETES = "\u000econtent\u000edeletes";
  private static final int HEADER_LIMIT = 1 << 20;

  private final PositionOutputStream real;
  private final String location;
  private final Journal journal;
  private ByteArrayOutputStream header;
  private boolean closed = false;

  RecordingStream(PositionOutputStream real, String location, Journal journal) {
    this.real = real;
    this.location = location;
    this.journal = journal;
    // a manifest's name does not tell data from deletes, and a merged-away manifest is gone before anyone can look
    boolean manifest = location.endsWith(".avro") && !location.substring(location.lastIndexOf('/') + 1).startsWith("snap-");
    this.header = manifest && location.contains("/metadata/") ? new ByteArrayOutputStream() : null;
  }

  public void write(int b) throws IOException {
    real.write(b);
    if (header != null && header.size() < HEADER_LIMIT) {
      header.write(b);
    }
  }

  public void write(byte[] bytes, int offset, int length) throws IOException {
    real.write(bytes, offset, length);
    if (header != null && header.size() < HEADER_LIMIT) {
      header.write(bytes, offset, length);
    }
  }

  public void flush() throws IOException {
    real.flush();
  }

  public long getPos() throws IOException {
    return real.getPos();
  }

  public long storedLength() throws IOException {
    return real.storedLength();
  }

  public void close() throws IOException {
    if (closed) {
      real.close();
      return;
    }
    closed = true;
    long bytes = real.storedLength();
    real.close();
    boolean deletes = header != null && new String(header.toByteArray(), StandardCharsets.ISO_8859_1).contains(DELETES);
    header = null;
    journal.written(location, bytes, deletes);
  }
}
