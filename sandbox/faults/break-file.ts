import type { Socket } from 'node:net';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { Wire } from './wire';

/** A task's file, or the requested range of it, about to be sent. */
export interface FileScene {
  readonly wire: Wire;
  /** URL of the request. */
  readonly url: string;
  readonly answer: Response;
}

/** Bytes announced in addition to the real length. */
const MISSING_BYTES = 1000;

/** Number of pieces in which `trickle` sends a file. */
const PIECES = 20;

/**
 * Delay before a reset, so that the caller first reads the bytes. An earlier reset looks like a normal end of the body.
 */
const RESET_AFTER_MS = 50;

/** Query of an address that redirects to itself. */
const REDIRECTING = '?redirecting';

export function isRedirecting(url: string): boolean {
  return new URL(url).search === REDIRECTING;
}

/** Redirects to an address that always redirects to itself. */
export function redirectForEver({ url }: Pick<FileScene, 'url'>): Response {
  return new Response(null, { status: 302, headers: { location: new URL(url).pathname + REDIRECTING } });
}

export function empty({ answer }: FileScene): Response {
  const type = answer.headers.get('content-type') ?? 'application/octet-stream';
  return new Response(null, { headers: { 'content-type': type, 'content-length': '0' } });
}

export async function truncate(scene: FileScene): Promise<Response> {
  const bytes = await bytesOf(scene);
  return send(scene, bytes.length, half(bytes), hangUp);
}

export async function announceTooMuch(scene: FileScene): Promise<Response> {
  const bytes = await bytesOf(scene);
  return send(scene, bytes.length + MISSING_BYTES, bytes, hangUp);
}

export async function announceTooLittle(scene: FileScene): Promise<Response> {
  const bytes = await bytesOf(scene);
  return send(scene, half(bytes).length, bytes, hangUp);
}

export async function reset(scene: FileScene): Promise<Response> {
  const bytes = await bytesOf(scene);
  return send(scene, bytes.length, half(bytes), resetLater);
}

export async function stall(scene: FileScene): Promise<Response> {
  const bytes = await bytesOf(scene);
  return send(scene, bytes.length, half(bytes), () => undefined);
}

export async function trickle(scene: FileScene, seconds: number): Promise<Response> {
  const { wire } = scene;
  const bytes = await bytesOf(scene);
  const step = Math.ceil(bytes.length / PIECES);
  writeHead(scene, bytes.length);
  for (let from = 0; from < bytes.length && !wire.outgoing.destroyed; from += step) {
    wire.outgoing.write(bytes.subarray(from, from + step));
    await wire.wait(seconds / PIECES);
  }
  wire.outgoing.end();
  return RESPONSE_ALREADY_SENT;
}

/** Writes to the socket response directly: Hono would not send a body that differs from its announced length. */
function send(scene: FileScene, announcedBytes: number, bytes: Buffer, then: (socket: Socket) => void): Response {
  const { outgoing } = scene.wire;
  const { socket } = outgoing;
  writeHead(scene, announcedBytes);
  outgoing.write(bytes, () => {
    if (socket) then(socket);
  });
  return RESPONSE_ALREADY_SENT;
}

function writeHead({ wire, answer }: FileScene, announcedBytes: number): void {
  const announced = { 'content-length': String(announcedBytes), connection: 'close' };
  wire.outgoing.writeHead(answer.status, { ...Object.fromEntries(answer.headers), ...announced });
}

async function bytesOf({ answer }: FileScene): Promise<Buffer> {
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
