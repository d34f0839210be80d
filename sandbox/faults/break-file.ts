import type { Socket } from 'node:net';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { Wire } from './wire';

/** A task's file, or the range of it that was asked for, about to be answered. */
export interface FileScene {
  readonly wire: Wire;
  /** Of the request. */
  readonly url: string;
  readonly answer: Response;
}

/** How much more is announced than there is, in bytes. */
const MISSING_BYTES = 1000;

/** In so many pieces a slow file comes. */
const PIECES = 20;

/** A reset that comes with the bytes looks like a plain end to a caller who has not read them yet. */
const RESET_AFTER_MS = 50;

/** Query of an address that redirects to itself. */
const REDIRECTING = '?redirecting';

export function isRedirecting(url: string): boolean {
  return new URL(url).search === REDIRECTING;
}

/** Leads to an address that leads to itself, however often it is asked. */
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

/** Answers by hand: no server lets a body differ from its announced length by itself. */
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
