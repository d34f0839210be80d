import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { createInterface } from 'node:readline';
import { buffer, text } from 'node:stream/consumers';
import { type Stage } from '../../drill/stage';
import { DAILIES, environmentOf, startNode } from '../command';

/** A process of `dailies studio`, with the session cookie that its token was exchanged for. */
export interface StudioProcess {
  readonly origin: string;
  readonly cookie: { readonly name: string; readonly value: string };
  readonly pid: number;
  /** Requests a path as a browser that accepts gzip. @throws Error if the status is not 200. */
  ask(path: string): Promise<Answer>;
  close(): Promise<void>;
}

export interface Answer {
  /** The body as it was sent. */
  readonly body: Buffer;
  /** From the request to the last byte. */
  readonly ms: number;
}

/**
 * Starts `dailies studio` with the servers and store of `stage`. If BENCH_PROFILE names a folder, the process writes
 * its V8 CPU profile there.
 *
 * @throws Error with the process's stderr if the process ends before it serves.
 */
export async function startStudioProcess(stage: Stage): Promise<StudioProcess> {
  const profile = process.env['BENCH_PROFILE'];
  const nodeOptions = profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`];
  const child = startNode([...nodeOptions, DAILIES, 'studio', '--no-open'], environmentOf(stage));
  const ended = once(child, 'exit');
  const said = text(child.stderr);
  const address = await addressIn(child.stdout);
  if (address === undefined) throw new Error(`the studio ended: ${await said}`);
  const { origin } = new URL(address);
  const agent = new Agent({ keepAlive: true });
  async function close(): Promise<void> {
    agent.destroy();
    child.kill('SIGINT');
    await ended;
  }
  try {
    const [name = '', value = ''] = (await enter(address)).split('=');
    const ask = (path: string): Promise<Answer> => answerOf(`${origin}${path}`, `${name}=${value}`, agent);
    return { origin, cookie: { name, value }, pid: child.pid ?? NaN, ask, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function addressIn(stdout: NodeJS.ReadableStream): Promise<string | undefined> {
  for await (const line of createInterface(stdout)) {
    const [address] = /http:\S+/.exec(line) ?? [];
    if (address !== undefined) return address;
  }
  return undefined;
}

/** Exchanges the token in the address for a cookie. */
async function enter(address: string): Promise<string> {
  const { headers } = await fetch(address);
  const [cookie = ''] = headers.getSetCookie();
  return cookie.split(';')[0] ?? '';
}

async function answerOf(url: string, cookie: string, agent: Agent): Promise<Answer> {
  const begun = performance.now();
  const request = get(url, { agent, headers: { cookie, accept: 'text/html', 'accept-encoding': 'gzip' } });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  const body = await buffer(response);
  if (response.statusCode !== 200) throw new Error(`the studio answered ${response.statusCode ?? 0} for ${url}`);
  return { body, ms: performance.now() - begun };
}
