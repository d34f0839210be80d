import type { Socket } from 'node:net';
import { createInterface } from 'node:readline';
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

export function send(socket: Socket, message: CommandMessage | SupervisorMessage): void {
  if (!socket.writable) return;
  socket.write(`${JSON.stringify(message)}\n`);
}

export function receive(socket: Socket, onMessage: (message: unknown) => void): void {
  createInterface({ input: socket }).on('line', (line) => {
    onMessage(JSON.parse(line));
  });
}
