package wasim.recorder;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import org.apache.hadoop.fs.FSDataOutputStream;

/** A stream that enters its file into the journal when it closes, once: writers may close twice. */
class RecordingStream extends OutputStream {
  // Avro header entry "content" → "deletes": length-prefixed (zig-zag 7 = 0x0e), and only manifests of delete files hold it
  private static final String DELETES = "\u000econtent\u000edeletes";
  private static final int HEADER_LIMIT = 1 << 20;

  private final FSDataOutputStream real;
  private final String location;
  private final Journal journal;
  private ByteArrayOutputStream header;
  private boolean closed = false;

  RecordingStream(FSDataOutputStream real, String location, Journal journal) {
    this.real = real;
    this.location = location;
    this.journal = journal;
    // a manifest's name does not tell data from deletes, and a merged-away manifest is gone before anyone can look
    String name = location.substring(location.lastIndexOf('/') + 1);
    boolean manifest = name.endsWith(".avro") && !name.startsWith("snap-") && location.contains("/metadata/");
    this.header = manifest ? new ByteArrayOutputStream() : null;
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

  public void close() throws IOException {
    if (closed) {
      return;
    }
    closed = true;
    long bytes = real.getPos();
    real.close();
    boolean deletes = header != null && new String(header.toByteArray(), StandardCharsets.ISO_8859_1).contains(DELETES);
    header = null;
    journal.written(location, bytes, deletes);
  }
}
