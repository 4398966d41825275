package wasim.flink;

import org.apache.flink.connector.datagen.source.GeneratorFunction;

/** Numbers of commits as they are. */
public class Number implements GeneratorFunction {
  public Object map(Object number) {
    return number;
  }
}
