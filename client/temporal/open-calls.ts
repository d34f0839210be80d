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

/** The calls of a connection, retried as Temporal's client does, that can be ended before the connection closes. */
export interface OpenCalls {
  readonly interceptors: Interceptor[];
  /** Rejects calls that are in flight or about to be retried as cancelled. */
  end(): void;
}

const CLOSED = 'the connection to Temporal has been closed';

/**
 * Tracks the calls of a connection.
 *
 * Temporal's client retries calls from a timer. On a closed connection the retry throws there, and no caller can catch
 * it, and an abort signal does not reach a retried call.
 */
export function openCalls(): OpenCalls {
  const open = new Set<InterceptingCall>();
  let isOver = false;
  // Comes after the retry interceptor, so it sees each attempt.
  const watch: Interceptor = (options, nextCall) => {
    if (isOver) return refusedCall();
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
      isOver = true;
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
