import type { Socket } from 'node:net';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { Wire } from './wire';

/** The answer to a request for a task's file, not yet sent. */
export interface FileTarget {
  readonly wire: Wire;
  /** URL of the request. */
  readonly url: string;
  readonly answer: Response;
}

/** Bytes announced in addition to the real length. */
const MISSING_BYTES = 1000;

/** Maximum number of pieces in which `trickle` sends a file. */
const PIECES = 20;

/** Delay before a reset, so that the caller first receives the bytes. */
const RESET_AFTER_MS = 50;

/** Query string of an address that redirects to itself. */
const REDIRECTING = '?redirecting';

export function isRedirecting(url: string): boolean {
  return new URL(url).search === REDIRECTING;
}

/** Redirects to an address that always redirects to itself. */
export function redirectForEver({ url }: Pick<FileTarget, 'url'>): Response {
  return new Response(null, { status: 302, headers: { location: new URL(url).pathname + REDIRECTING } });
}

export function empty({ answer }: FileTarget): Response {
  const type = answer.headers.get('content-type') ?? 'application/octet-stream';
  return new Response(null, { headers: { 'content-type': type, 'content-length': '0' } });
}

export async function truncate(target: FileTarget): Promise<Response> {
  const bytes = await bytesOf(target);
  return send(target, bytes.length, half(bytes), hangUp);
}

export async function announceTooMuch(target: FileTarget): Promise<Response> {
  const bytes = await bytesOf(target);
  return send(target, bytes.length + MISSING_BYTES, bytes, hangUp);
}

export async function announceTooLittle(target: FileTarget): Promise<Response> {
  const bytes = await bytesOf(target);
  return send(target, half(bytes).length, bytes, hangUp);
}

export async function reset(target: FileTarget): Promise<Response> {
  const bytes = await bytesOf(target);
  return send(target, bytes.length, half(bytes), resetLater);
}

export async function stall(target: FileTarget): Promise<Response> {
  const bytes = await bytesOf(target);
  return send(target, bytes.length, half(bytes), () => undefined);
}

export async function trickle(target: FileTarget, seconds: number): Promise<Response> {
  const { wire } = target;
  const bytes = await bytesOf(target);
  const step = Math.ceil(bytes.length / PIECES);
  writeHead(target, bytes.length);
  for (let from = 0; from < bytes.length && !wire.outgoing.destroyed; from += step) {
    wire.outgoing.write(bytes.subarray(from, from + step));
    await wire.wait(seconds / PIECES);
  }
  wire.outgoing.end();
  return RESPONSE_ALREADY_SENT;
}

/** Writes to Node's response directly, because the faults announce a wrong length or need the socket. */
function send(
  target: FileTarget,
  announcedBytes: number,
  bytes: Buffer,
  afterwards: (socket: Socket) => void,
): Response {
  const { outgoing } = target.wire;
  const { socket } = outgoing;
  writeHead(target, announcedBytes);
  outgoing.write(bytes, () => {
    if (socket) afterwards(socket);
  });
  return RESPONSE_ALREADY_SENT;
}

function writeHead({ wire, answer }: FileTarget, announcedBytes: number): void {
  const announced = { 'content-length': String(announcedBytes), connection: 'close' };
  wire.outgoing.writeHead(answer.status, { ...Object.fromEntries(answer.headers), ...announced });
}

async function bytesOf({ answer }: FileTarget): Promise<Buffer> {
  return Buffer.from(await answer.arrayBuffer());
}

function half(bytes: Buffer): Buffer {
  return bytes.subarray(0, Math.ceil(bytes.length / 2));
}

function resetLater(socket: Socket): void {
  setTimeout(() => socket.resetAndDestroy(), RESET_AFTER_MS);
}

function hangUp(socket: Socket): void {
  socket.destroySoon();
}
