import { createHmac, timingSafeEqual } from 'node:crypto';
import { type ServerResponse } from 'node:http';
import { type BatchNotice, type Notice, type ProductionNotice } from '../../contracts/notice';
import { type Arrived, type ScriptedGateway, startScriptedGateway } from './scripted-gateway';

export const NOTIFY_SECRET = `whsec_${Buffer.from('a secret that must never be seen').toString('base64')}`;

/** A notice as it arrived. */
export interface Told<Data = ProductionNotice> extends Omit<Notice, 'data'> {
  readonly data: Data;
  /** From the headers, which may differ from the body. */
  readonly webhookId: string;
  readonly isSigned: boolean;
}

/** A real receiver of hooks, which checks signatures as Standard Webhooks requires. */
export interface HookReceiver {
  readonly url: string;
  readonly server: ScriptedGateway;
  /** Everything that was posted, in order, whatever the answer was. */
  told(): readonly Told[];
  /** The notices about a batch. */
  toldOfBatch(id: string): readonly Told<BatchNotice>[];
  close(): Promise<void>;
}

/** @param answers the answers to the next posts; 204 when they are used up. */
export async function startReceiver(...answers: ((response: ServerResponse) => void)[]): Promise<HookReceiver> {
  const server = await startScriptedGateway((_request, response) => {
    const answer = answers.shift();
    if (answer === undefined) response.writeHead(204).end();
    else answer(response);
  });
  return {
    url: `${server.url}/hooks/token-in-the-path`,
    server,
    told: () => server.posts().map((post) => read<ProductionNotice>(post)),
    toldOfBatch: (id) =>
      server
        .posts()
        .map((post) => read<BatchNotice>(post))
        .filter(({ data }) => data.batch === id),
    close: () => server.close(),
  };
}

function read<Data>(post: Arrived): Told<Data> {
  const body = JSON.parse(post.body) as Omit<Told<Data>, 'webhookId' | 'isSigned'>;
  return { ...body, webhookId: String(post.headers['webhook-id']), isSigned: isSigned(post) };
}

/** Written from the text of the standard, independently of the code that signs. */
export function isSigned({ headers, body }: Arrived, secret = NOTIFY_SECRET): boolean {
  const [id, timestamp] = [String(headers['webhook-id']), String(headers['webhook-timestamp'])];
  if (Math.abs(Date.now() / 1000 - Number(timestamp)) > 300) return false;
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest();
  return String(headers['webhook-signature'])
    .split(' ')
    .filter((one) => one.startsWith('v1,'))
    .map((one) => Buffer.from(one.slice(3), 'base64'))
    .some((one) => one.length === expected.length && timingSafeEqual(one, expected));
}
