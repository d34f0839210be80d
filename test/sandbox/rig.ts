import { setTimeout as delay } from 'node:timers/promises';
import { SubmitResponse, TaskResponse } from '../../contracts/gateway/wire';
import { createGatewayClient, GatewayError, type GatewayClient, type GatewayClientOptions } from '../../gateway';
import { startSandbox, type Sandbox, type SandboxOptions } from '../../sandbox';
import { PLAIN } from '../support/pictures';
import { temporaryFolder } from '../support/temporary-folder';

/** Enough for any clip on a busy machine, but less than a test may last, so that the error names the task. */
const PATIENCE_MS = 300_000;

/** How long a machine may stall while tests run. */
export const BUSY_MS = 5_000;

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

interface ErrorBody {
  readonly status: string;
  readonly error: { readonly code: string; readonly message: string; readonly problems?: { parameter: string }[] };
}

const open: Sandbox[] = [];
const clients: GatewayClient[] = [];

afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
  await Promise.all(open.splice(0).map((sandbox) => sandbox.close()));
});

/** Starts a sandbox that ends with the test, in a folder of its own where none is given. */
export async function sandbox(options: Partial<SandboxOptions> = {}): Promise<Sandbox> {
  const started = await startSandbox({ folder: await temporaryFolder(), ...PLAIN, ...options });
  open.push(started);
  return started;
}

/** The client that Dailies itself uses. */
export function clientOf(
  { url }: Sandbox,
  timeouts: NonNullable<GatewayClientOptions['timeouts']> = {},
): GatewayClient {
  const client = createGatewayClient({ baseUrl: url, apiKey: 'a-key', timeouts });
  clients.push(client);
  return client;
}

/** The GatewayError that a call ends in. */
export async function refusalOf(call: Promise<unknown>): Promise<GatewayError> {
  const outcome = await call.catch((error: unknown) => error);
  if (outcome instanceof GatewayError) return outcome;
  throw new Error('The call was not refused', { cause: outcome });
}

export async function closeNow(started: Sandbox): Promise<void> {
  open.splice(open.indexOf(started), 1);
  await started.close();
}

export async function request(address: string, init: RequestInit = {}): Promise<Answer> {
  const headers = { authorization: 'Bearer a-key', ...(init.headers as Record<string, string> | undefined) };
  const response = await fetch(address, { ...init, headers });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) };
}

export async function post(
  { url }: Pick<Sandbox, 'url'>,
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  return await request(url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
}

/** Submits on the unified address and returns the task id. */
export async function submit(
  to: Pick<Sandbox, 'url'>,
  model: string,
  params: Record<string, unknown>,
  headers: Record<string, string> = {},
): Promise<string> {
  const { status, body } = await post(to, '/workflows/v1/models/submit', { params: { model, params } }, headers);
  if (status !== 200) throw new Error(`Submit was answered ${status}: ${JSON.stringify(body)}`);
  return SubmitResponse.parse(body).response.id;
}

export async function read({ url }: Pick<Sandbox, 'url'>, taskId: string): Promise<TaskResponse['response']> {
  const { body } = await request(`${url}/workflows/v1/models/${taskId}/result`);
  return TaskResponse.parse(body).response;
}

/** Reads until a task has ended, and returns every answer on the way. */
export async function watch(from: Pick<Sandbox, 'url'>, taskId: string): Promise<TaskResponse['response'][]> {
  const seen: TaskResponse['response'][] = [];
  const giveUpAt = Date.now() + PATIENCE_MS;
  while (Date.now() < giveUpAt) {
    const now = await read(from, taskId);
    seen.push(now);
    if (now.status === 'COMPLETED' || now.status === 'FAILED') return seen;
    await delay(15);
  }
  throw new Error(`Task ${taskId} has not ended`);
}

export async function finish(from: Pick<Sandbox, 'url'>, taskId: string): Promise<TaskResponse['response']> {
  return (await watch(from, taskId)).at(-1)!;
}

export async function download(address: string): Promise<Buffer> {
  const response = await fetch(address);
  expect(response.status).toBe(200);
  return Buffer.from(await response.arrayBuffer());
}

export function errorOf(answer: Answer): ErrorBody['error'] {
  return (answer.body as ErrorBody).error;
}

/** The quickest task with a file. */
export const IMAGE = { model: 'pixel-image-1', params: { prompt: 'a fox in the snow', width: 160, height: 90 } };

/** The smallest clip there is. */
export const CLIP = { prompt: 'waves', duration: 4, resolution: '480p', colorDepth: '8bit', generateAudio: false };

/** The quickest task of all, for the gateway's client. */
export const POEM = { model: { id: 'quill-text-1' }, parameters: { prompt: 'a fox in the snow' } };
