import type { Socket } from 'node:net';
import type { Announcement } from './part-process';
import type { SetIdentity } from './set-plan';

/** Messages between a command and the embedded set's supervisor: one JSON value per line, over TCP on 127.0.0.1. */

/** A command's first line. The token proves that the command can read the lock, and so runs as the same user. */
export interface Hello {
  readonly token: string;
  readonly identity: SetIdentity;
  /** True for the command that started the supervisor. Its IPC channel keeps the set alive until this message. */
  readonly starter: boolean;
}

/**
 * A command sends `leave` to leave the set and to learn whether that stopped the set. Closing the connection, for
 * example by a kill, has the same effect without an answer.
 */
export type CommandMessage = Hello | 'leave';

export type SupervisorMessage =
  | { readonly kind: 'notice'; readonly line: string }
  | { readonly kind: 'ready'; readonly facts: Announcement }
  /** The set is being stopped. A command can start a new set when the lock is free. */
  | { readonly kind: 'stopping' }
  | { readonly kind: 'mismatch'; readonly running: SetIdentity }
  /** The set failed or was terminated. */
  | { readonly kind: 'failed'; readonly reason: string }
  /** The answer to `leave`. If `stopped` is true, the connection closes when the whole set has ended. */
  | { readonly kind: 'left'; readonly stopped: boolean };

/** Far longer than any message. */
const MAX_LINE_BYTES = 64 * 1024;

export function send(socket: Socket, message: CommandMessage | SupervisorMessage): void {
  if (!socket.writable) return;
  socket.write(`${JSON.stringify(message)}\n`);
}

/**
 * Calls `onMessage` with each line's message.
 *
 * Destroys the connection if a line is too long or not a message, because the sender is then not Dailies. Reads nothing
 * more from a destroyed connection.
 */
export function receive(socket: Socket, onMessage: (message: object | 'leave') => void): void {
  let rest = Buffer.alloc(0);
  socket.on('data', (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk]);
    while (!socket.destroyed) {
      const end = rest.indexOf('\n');
      if ((end === -1 ? rest.length : end) > MAX_LINE_BYTES) {
        socket.destroy();
        return;
      }
      if (end === -1) return;
      const message = parse(rest.subarray(0, end).toString());
      rest = rest.subarray(end + 1);
      if (message === undefined) socket.destroy();
      else onMessage(message);
    }
  });
}

function parse(line: string): object | 'leave' | undefined {
  try {
    const message: unknown = JSON.parse(line);
    return message === 'leave' || (typeof message === 'object' && message !== null) ? message : undefined;
  } catch {
    return undefined;
  }
}
