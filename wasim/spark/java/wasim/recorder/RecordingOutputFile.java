package wasim.recorder;

import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.io.OutputFile;
import org.apache.iceberg.io.PositionOutputStream;

/** An OutputFile whose stream enters its length into the journal when it closes. */
class RecordingOutputFile implements OutputFile {
  private final OutputFile real;
  private final Journal journal;

  RecordingOutputFile(OutputFile real, Journal journal) {
    this.real = real;
    this.journal = journal;
  }

  public PositionOutputStream create() {
    return new RecordingStream(real.create(), real.location(), journal);
  }

  public PositionOutputStream createOrOverwrite() {
    return new RecordingStream(real.createOrOverwrite(), real.location(), journal);
  }

  public String location() {
    return real.location();
  }

  public InputFile toInputFile() {
    return real.toInputFile();
  }
}
