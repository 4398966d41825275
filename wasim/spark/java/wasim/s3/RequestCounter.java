package wasim.s3;

import software.amazon.awssdk.core.interceptor.Context;
import software.amazon.awssdk.core.interceptor.ExecutionAttributes;
import software.amazon.awssdk.core.interceptor.ExecutionInterceptor;
import software.amazon.awssdk.core.interceptor.SdkExecutionAttribute;
import wasim.recorder.Journal;

/** Enters each HTTP request to S3 into the journal, a repeated one each time that it is sent. */
class RequestCounter implements ExecutionInterceptor {
  private final Journal journal;

  RequestCounter(Journal journal) {
    this.journal = journal;
  }

  public void beforeTransmission(Context.BeforeTransmission context, ExecutionAttributes attributes) {
    journal.requested((String) attributes.getAttribute(SdkExecutionAttribute.OPERATION_NAME));
  }
}
