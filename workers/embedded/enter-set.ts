import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Hold } from './embedded-set';
import { EmbeddedSetFailed, EmbeddedSetMismatch } from './errors';
import type { Holder } from './lock';
import { receive, send, type Hello, type SupervisorMessage } from './messages';
import { isAlive, isHere } from './process-identity';
import type { SetIdentity } from './set-plan';

const POLL_INTERVAL_MS = 10;

/**
 * Attaches to the embedded set whose supervisor holds the lock. Waits until the set is running.
 *
 * @returns undefined if the set is being stopped, or if the supervisor dies or cannot be reached. The caller then reads
 * the lock again.
 * @throws EmbeddedSetMismatch if the set serves another account, gateway or Temporal server; EmbeddedSetFailed if the
 *   set does not start.
 */
export function enterSet(
  holder: Holder,
  hello: Omit<Hello, 'token'>,
  onNotice: (line: string) => void,
): Promise<Omit<Hold, 'started'> | undefined> {
  const socket = connect({ host: '127.0.0.1', port: holder.port });
  const closed = new Promise<void>((resolve) => {
    socket.once('close', () => {
      resolve();
    });
  });
  let failure: string | undefined;
  let leaving: Promise<{ stopped: boolean }> | undefined;
  let answerLeave: (stopped: boolean) => void = () => undefined;
  const leaveAnswer = new Promise<boolean>((resolve) => (answerLeave = resolve));
  let lose: (reason: string) => void = () => undefined;
  const lost = new Promise<string>((resolve) => (lose = resolve));

  const leave = async () => {
    send(socket, 'leave');
    // A supervisor that has ended cannot answer. It has stopped the set, or the set has died with it.
    const stopped = await Promise.race([leaveAnswer, closed.then(() => true)]);
    await closed;
    if (stopped) await untilEnded(holder);
    return { stopped };
  };

  return new Promise((resolve, reject) => {
    socket.on('error', () => undefined);
    socket.once('connect', () => {
      send(socket, { token: holder.token, ...hello });
    });
    void closed.then(() => {
      if (failure === undefined) resolve(undefined);
      else reject(new EmbeddedSetFailed(failure));
      if (leaving === undefined)
        lose('The supervisor of the embedded set has died. Nothing is lost: type the same command again to go on.');
    });
    receive(socket, (received) => {
      const message = received as SupervisorMessage;
      switch (message.kind) {
        case 'notice':
          onNotice(message.line);
          break;
        case 'ready':
          resolve({
            facts: message.facts,
            leave: () => (leaving ??= leave()),
            onLost: (callback) => void lost.then(callback),
          });
          break;
        case 'failed':
          failure = message.reason;
          lose(message.reason);
          break;
        case 'mismatch':
          reject(new EmbeddedSetMismatch(describeMismatch(message.running, hello.identity)));
          break;
        case 'left':
          answerLeave(message.stopped);
          break;
        case 'stopping':
          break;
      }
    });
  });
}

/** Waits until the supervisor has ended. It is the last process of the set to end. */
async function untilEnded({ process }: Holder): Promise<void> {
  while (isHere(process) && isAlive(process)) await delay(POLL_INTERVAL_MS);
}

function describeMismatch(running: SetIdentity, wanted: SetIdentity): string {
  return (
    `The embedded set that runs in this store serves ${describe(running)}; this command wants ${describe(wanted)}. ` +
    'Stop it first (Ctrl-C where it was started), or give this command a store of its own with DAILIES_STORE.'
  );
}

function describe({ gatewayAccount, gatewayUrl, temporalAddress }: SetIdentity): string {
  const gateway = gatewayUrl === null ? 'the sandbox' : `the gateway ${gatewayUrl}`;
  const temporal = temporalAddress === null ? '' : ` on the Temporal server ${temporalAddress}`;
  return `${gateway} (account "${gatewayAccount}")${temporal}`;
}
