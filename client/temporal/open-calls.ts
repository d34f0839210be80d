import {
  InterceptingCall,
  type InterceptingListener,
  type Interceptor,
  ListenerBuilder,
  Metadata,
  RequesterBuilder,
  status,
} from '@grpc/grpc-js';
import { defaultGrpcRetryOptions, makeGrpcRetryInterceptor } from '@temporalio/client';

/** The open calls of a connection. They can be ended before the connection closes. */
export interface OpenCalls {
  readonly interceptors: Interceptor[];
  /** Rejects all calls as cancelled: those in flight, their retries, and new ones. */
  end(): void;
}

const CLOSED = 'the connection to Temporal has been closed';

/**
 * Tracks the calls of a connection and retries them as Temporal's client does.
 *
 * Temporal's client retries from a timer. If the connection is closed by then, the retry throws in the timer, and no
 * caller can catch it. An abort signal does not reach a retried call.
 */
export function openCalls(): OpenCalls {
  const open = new Set<InterceptingCall>();
  let hasEnded = false;
  // This interceptor comes after the retry interceptor, so it sees each attempt.
  const watch: Interceptor = (options, nextCall) => {
    if (hasEnded) return refusedCall();
    const listener = new ListenerBuilder()
      .withOnReceiveStatus((ending, pass) => {
        open.delete(call);
        pass(ending);
      })
      .build();
    const requester = new RequesterBuilder()
      .withStart((metadata, _listener, next) => {
        open.add(call);
        next(metadata, listener);
      })
      .build();
    const call = new InterceptingCall(nextCall(options), requester);
    return call;
  };
  return {
    interceptors: [makeGrpcRetryInterceptor(defaultGrpcRetryOptions()), watch],
    end() {
      hasEnded = true;
      for (const call of open) call.cancelWithStatus(status.CANCELLED, CLOSED);
    },
  };
}

/** A call that ends at once, without a connection. */
function refusedCall(): InterceptingCall {
  return new InterceptingCall({
    start(_metadata, listener?: Partial<InterceptingListener>) {
      // gRPC reports a null message before the status of a call without an answer.
      listener?.onReceiveMessage?.(null);
      listener?.onReceiveStatus?.({ code: status.CANCELLED, details: CLOSED, metadata: new Metadata() });
    },
    cancelWithStatus: () => undefined,
    getPeer: () => '',
    sendMessage: () => undefined,
    sendMessageWithContext: () => undefined,
    startRead: () => undefined,
    halfClose: () => undefined,
    getAuthContext: () => null,
  });
}
