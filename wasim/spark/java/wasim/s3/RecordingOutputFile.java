package wasim.s3;

import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.io.OutputFile;
import org.apache.iceberg.io.PositionOutputStream;
import wasim.recorder.Journal;
import wasim.recorder.RecordingStream;

/** An output file whose streams enter it into the journal. */
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
