package wasim.s3;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.Properties;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;

/** Credentials from the file that `client.credentials-provider.file` names: Spark's settings never hold them. */
public class FileCredentials implements AwsCredentialsProvider {
  private final String path;

  private FileCredentials(String path) {
    this.path = path;
  }

  public static FileCredentials create(Map properties) {
    return new FileCredentials((String) properties.get("file"));
  }

  public AwsCredentials resolveCredentials() {
    Properties secrets = new Properties();
    try {
      FileInputStream file = new FileInputStream(path);
      try {
        secrets.load(file);
      } finally {
        file.close();
      }
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot read the credentials of the S3 endpoint", e);
    }
    return AwsBasicCredentials.create(secrets.getProperty("access_key_id"), secrets.getProperty("secret_access_key"));
  }
}
