package wasim.recorder;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.spark.TaskContext;

/**
 * The journal of one case: a line of JSON for every file written or deleted and every commit reported, in the order seen.
 *
 * Each line is one unbuffered write, so a killed process tears at most its last line. It can also hold back the writer
 * after a given commit: that is how a stream is paused for a probe and stopped after exactly N commits.
 *
 * While several writers commit at once, the order of the lines no longer says what belongs to which commit. Each line then names
 * the step `by` which it came, where its thread knows that: a writer's own thread, or one of the tasks that it started.
 */
public final class Journal {
  private static final Map OPEN = new HashMap();
  private static final String STEP_PROPERTY = "wasim.step"; // Spark's local property, which goes with a job to its tasks
  // long[]: number and event time of the step that a thread carries out; not inherited, as the threads of pools would keep it
  private static final ThreadLocal STEP = new ThreadLocal();

  private final String file;
  private FileOutputStream out; // opened by the first line: who only reads a recorded table needs no journal
  private final List seen = new ArrayList(); // of long[]: event time and snapshot id of each commit
  private final Set described = new HashSet(); // paths of files that commits name and nobody wrote
  private long eventMs = 0; // event time of the next commit
  private long everyMs = 0;
  private long streamed = 0; // commits of streams, which alone are held back
  private long pauseAfter = Long.MAX_VALUE;
  private boolean paused = false;
  private volatile boolean together = false;

  private Journal(String folder) {
    // one file per JVM: executors of a cluster write beside the driver, not over it
    this.file = folder + "/" + ManagementFactory.getRuntimeMXBean().getName() + ".jsonl";
  }

  public static Journal at(String folder) {
    synchronized (OPEN) {
      Journal journal = (Journal) OPEN.get(folder);
      if (journal == null) {
        journal = new Journal(folder);
        OPEN.put(folder, journal);
      }
      return journal;
    }
  }

  public static void close(String folder) throws IOException {
    synchronized (OPEN) {
      Journal journal = (Journal) OPEN.remove(folder);
      if (journal != null && journal.out != null) {
        journal.out.close();
      }
    }
  }

  public void written(String location, long bytes, boolean deletes) {
    line("\"do\":\"write\",\"bytes\":" + bytes + (deletes ? ",\"deletes\":true" : "") + ",\"file\":" + quote(location));
  }

  public void deleted(String location) {
    line("\"do\":\"delete\",\"file\":" + quote(location));
  }

  /** One HTTP request to a store, by the name that the store's interface gives it, such as PutObject. */
  public void requested(String request) {
    line("\"do\":\"request\",\"request\":" + quote(request));
  }

  /** A file that a commit names and nobody writes: the ledger counts what its entry claims as written, once. */
  void described(String location, long bytes) {
    synchronized (described) {
      if (!described.add(pathOf(location))) {
        return; // another vector of the same Puffin file
      }
    }
    written(location, bytes, false);
  }

  /** Whether it is a described file that is there to be deleted; it then no longer is, and its deletion is entered. */
  boolean forgets(String location) {
    synchronized (described) {
      if (!described.remove(pathOf(location))) {
        return false;
      }
    }
    deleted(location);
    return true;
  }

  // file:/a, file:///a and /a are one file
  private static String pathOf(String location) {
    return new org.apache.hadoop.fs.Path(location).toUri().getPath();
  }

  void renamed(String from, String to) {
    line("\"do\":\"rename\",\"from\":" + quote(from) + ",\"file\":" + quote(to));
  }

  /**
   * Says which step of the workload begins: its operation, the event time of its first commit, by how much each further
   * commit of it is later, and how many rows each brings.
   */
  public void step(long number, String operation, long eventMs, long everyMs, long rows) {
    if (together) {
      STEP.set(new long[] {number, eventMs});
    }
    synchronized (seen) {
      this.eventMs = eventMs;
      this.everyMs = everyMs;
    }
    line(
        "\"do\":\"step\",\"step\":" + number + ",\"operation\":" + quote(operation) + ",\"event_ms\":" + eventMs
            + ",\"every_ms\":" + everyMs + ",\"rows\":" + rows);
  }

  /** Says that the step under way is done, and how many snapshots the table then has. */
  public void done(long snapshots) {
    line("\"do\":\"done\",\"snapshots\":" + snapshots);
  }

  /** Says that several writers begin to commit, each in a thread of its own that names its steps. */
  public void together() {
    line("\"do\":\"together\"");
    together = true;
  }

  /** Says that all of them are done. */
  public void apart() {
    together = false;
    line("\"do\":\"apart\"");
  }

  /** Says that the commit of this thread's step has failed for good, with this error. */
  public void failed(String error) {
    line("\"do\":\"failed\",\"error\":" + quote(error));
  }

  void reported(String report, long snapshotId) {
    line("\"do\":\"commit\",\"report\":" + report);
    long[] mine = together ? (long[]) STEP.get() : null;
    synchronized (seen) {
      seen.add(new long[] {mine == null ? eventMs : mine[1], snapshotId, System.currentTimeMillis()});
      eventMs += everyMs;
    }
    // only a stream cannot be told how many commits to make; whoever maintains its table must not be held back
    if (Thread.currentThread().getName().startsWith("stream execution thread")) {
      holdBack();
    }
  }

  /** Ids of the snapshots that were committed at this event time or later, oldest first. */
  public long[] snapshotsSince(long sinceMs) {
    synchronized (seen) {
      int first = firstSince(sinceMs);
      long[] ids = new long[seen.size() - first];
      for (int i = 0; i < ids.length; i++) {
        ids[i] = ((long[]) seen.get(first + i))[1];
      }
      return ids;
    }
  }

  /** When the last snapshot before this event time was reported, by the wall clock; 0 where there is none. */
  public long reportedBefore(long sinceMs) {
    synchronized (seen) {
      int first = firstSince(sinceMs);
      return first == 0 ? 0L : ((long[]) seen.get(first - 1))[2];
    }
  }

  int firstSince(long sinceMs) {
    int first = seen.size();
    while (first > 0 && ((long[]) seen.get(first - 1))[0] >= sinceMs) {
      first -= 1;
    }
    return first;
  }

  // explicit locks: Janino turns private methods into static ones, on which `synchronized` would lock the class
  void holdBack() {
    synchronized (this) {
      streamed += 1;
      if (streamed < pauseAfter) {
        return;
      }
      paused = true;
      notifyAll();
      try {
        while (paused) {
          wait();
        }
      } catch (InterruptedException e) {
        // StreamingQuery.stop interrupts the writer: it must see so, and end
        Thread.currentThread().interrupt();
      }
    }
    line("\"do\":\"resume\"");
  }

  /** Commits that streams have reported so far. */
  public synchronized long streamed() {
    return streamed;
  }

  /** Lets a stream that is held back go on, until it has reported `commit` commits in all. */
  public synchronized void runUntil(long commit) {
    pauseAfter = commit;
    paused = false;
    notifyAll();
  }

  /** Waits until the writer is held back; false when `millis` pass first. */
  public synchronized boolean awaitPause(long millis) throws InterruptedException {
    long deadline = System.currentTimeMillis() + millis;
    while (!paused) {
      long left = deadline - System.currentTimeMillis();
      if (left <= 0) {
        return false;
      }
      wait(left);
    }
    return true;
  }

  private void line(String fields) {
    String text = "{\"at_us\":" + nowMicros() + by() + "," + fields + "}\n";
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    synchronized (file) {
      try {
        if (out == null) {
          out = new FileOutputStream(file, true);
        }
        out.write(bytes);
      } catch (IOException e) {
        throw new UncheckedIOException("Cannot write the journal " + file, e);
      }
    }
  }

  /** The step that this thread works for, where several are under way. */
  private String by() {
    TaskContext task = TaskContext.get();
    if (task != null) {
      String step = task.getLocalProperty(STEP_PROPERTY);
      return step == null ? "" : ",\"by\":" + step;
    }
    long[] mine = together ? (long[]) STEP.get() : null;
    return mine == null ? "" : ",\"by\":" + mine[0];
  }

  private static long nowMicros() {
    java.time.Instant now = java.time.Instant.now();
    return now.getEpochSecond() * 1000000L + now.getNano() / 1000;
  }

  private static String quote(String text) {
    StringBuilder quoted = new StringBuilder("\"");
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"' || c == '\\') {
        quoted.append('\\').append(c);
      } else if (c < ' ') {
        quoted.append(String.format("\\u%04x", new Object[] {Integer.valueOf(c)}));
      } else {
        quoted.append(c);
      }
    }
    return quoted.append('"').toString();
  }
}
