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

/** The calls of one connection, tried again as Temporal's client does, which can be ended before it is closed. */
export interface OpenCalls {
  readonly interceptors: Interceptor[];
  /** Ends what is in flight, and what is about to be tried again: each call is refused as cancelled. */
  end(): void;
}

/** What is said of a call that was still open. */
const CLOSED = 'the connection to Temporal has been closed';

/**
 * Watches over the calls of a connection.
 *
 * Temporal's client tries a call again out of a timer: out of a closed connection it throws there, where nobody can catch
 * it, and an abort signal does not reach a call that was tried again.
 */
export function openCalls(): OpenCalls {
  const open = new Set<InterceptingCall>();
  let isOver = false;
  // Within the retries: what it sees is each single attempt.
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

/** A call that ends as it begins, without a connection. */
function refusedCall(): InterceptingCall {
  return new InterceptingCall({
    start(_metadata, listener?: Partial<InterceptingListener>) {
      // As of any call without an answer: a message that is none comes first.
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
