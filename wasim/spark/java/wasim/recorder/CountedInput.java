package wasim.recorder;

import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.io.SeekableInputStream;

/** An input file whose every opening counts. */
class CountedInput implements InputFile {
  private final InputFile real;

  CountedInput(InputFile real) {
    this.real = real;
  }

  public SeekableInputStream newStream() {
    CountingFiles.opened(real.location());
    return real.newStream();
  }

  public long getLength() {
    return real.getLength();
  }

  public String location() {
    return real.location();
  }

  public boolean exists() {
    return real.exists();
  }
}
