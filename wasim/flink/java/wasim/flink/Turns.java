package wasim.flink;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.flink.api.connector.source.util.ratelimit.RateLimiter;
import org.apache.flink.api.connector.source.util.ratelimit.RateLimiterStrategy;
import wasim.recorder.Journal;

/** Lets a source go on when the commit of what it gave before has been reported: a commit's rows never meet another's. */
public class Turns implements RateLimiterStrategy {
  private final String journal;

  public Turns(String journal) {
    this.journal = journal;
  }

  public RateLimiter createRateLimiter(int parallelism) {
    return new Turn(journal);
  }

  public static class Turn implements RateLimiter {
    private final String journal;
    private int given = 0;

    Turn(String journal) {
      this.journal = journal;
    }

    public CompletionStage acquire() {
      return acquire(1);
    }

    public CompletionStage acquire(int requests) {
      final int before = given;
      given = given + requests;
      final CompletableFuture turn = new CompletableFuture();
      final String folder = journal;
      Thread waiting =
          new Thread() {
            public void run() {
              try {
                while (Journal.at(folder).snapshotsSince(Long.MIN_VALUE).length < before) {
                  Thread.sleep(5);
                }
                turn.complete(null);
              } catch (InterruptedException e) {
                turn.completeExceptionally(e);
              }
            }
          };
      waiting.setDaemon(true);
      waiting.start();
      return turn;
    }
  }
}
