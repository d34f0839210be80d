import type { Socket } from 'node:net';
import type { Announcement } from './part-process';
import type { SetIdentity } from './set-plan';

/** What a command and the supervisor say to each other: one JSON object a line, over TCP on 127.0.0.1. */

/** The first line of a command. The token shows that it can read the lock, so that it belongs to the same user. */
export interface Hello {
  readonly token: string;
  readonly identity: SetIdentity;
  /** Whether it is the command that started the supervisor, and so far held the set by its IPC channel. */
  readonly starter: boolean;
}

/** A command says `leave` to hear how it ended; closing the connection, as by a kill, counts the same. */
export type CommandMessage = Hello | 'leave';

export type SupervisorMessage =
  | { readonly kind: 'notice'; readonly line: string }
  | { readonly kind: 'ready'; readonly facts: Announcement }
  /** The set is being stopped; a new one can be started once the lock is free. */
  | { readonly kind: 'stopping' }
  | { readonly kind: 'mismatch'; readonly running: SetIdentity }
  /** The set did not come up, or was given up. */
  | { readonly kind: 'failed'; readonly reason: string }
  /** The answer to `leave`; where it stopped the set, the connection closes when all of it has ended. */
  | { readonly kind: 'left'; readonly stopped: boolean };

/** Many times what a part announces, an address, or a line for a person. */
const MAX_LINE_BYTES = 64 * 1024;

export function send(socket: Socket, message: CommandMessage | SupervisorMessage): void {
  if (!socket.writable) return;
  socket.write(`${JSON.stringify(message)}\n`);
}

/**
 * Calls `onMessage` with each line's message.
 *
 * Whoever sends anything else is no part of Dailies: the connection is closed, and nothing more of it is read. So it is
 * once `onMessage` has closed it.
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
