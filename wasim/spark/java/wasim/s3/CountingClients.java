package wasim.s3;

import java.util.HashMap;
import java.util.Map;
import org.apache.iceberg.aws.AwsClientProperties;
import org.apache.iceberg.aws.HttpClientProperties;
import org.apache.iceberg.aws.s3.S3FileIOAwsClientFactory;
import org.apache.iceberg.aws.s3.S3FileIOProperties;
import software.amazon.awssdk.core.client.config.ClientOverrideConfiguration;
import software.amazon.awssdk.services.s3.S3AsyncClient;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.S3ClientBuilder;
import wasim.recorder.Journal;

/** The clients that S3FileIO makes for itself, with each HTTP request entered into the journal. */
public class CountingClients implements S3FileIOAwsClientFactory {
  private Map properties;

  public void initialize(Map given) {
    properties = new HashMap(given);
  }

  public S3Client s3() {
    AwsClientProperties aws = new AwsClientProperties(properties);
    HttpClientProperties http = new HttpClientProperties(properties);
    S3FileIOProperties s3 = new S3FileIOProperties(properties);
    S3ClientBuilder builder = S3Client.builder();
    aws.applyClientRegionConfiguration(builder);
    aws.applyLegacyMd5Plugin(builder);
    http.applyHttpClientConfigurations(builder);
    s3.applyEndpointConfigurations(builder);
    s3.applyServiceConfigurations(builder);
    s3.applyCredentialConfigurations(aws, builder);
    s3.applySignerConfiguration(builder);
    s3.applyS3AccessGrantsConfigurations(builder);
    s3.applyUserAgentConfigurations(builder);
    s3.applyRetryConfigurations(builder);
    ClientOverrideConfiguration.Builder configuration = builder.overrideConfiguration().toBuilder();
    configuration.addExecutionInterceptor(new RequestCounter(Journal.at((String) properties.get("wasim.journal"))));
    builder.overrideConfiguration((ClientOverrideConfiguration) configuration.build());
    return (S3Client) builder.build();
  }

  public S3AsyncClient s3Async() {
    throw new UnsupportedOperationException("Requests of S3's asynchronous clients are not counted");
  }
}
