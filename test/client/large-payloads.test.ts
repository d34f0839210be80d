import { createHash } from 'node:crypto';
import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import { DATA_CONVERTER } from '../../client/large-payloads';

const [codec] = DATA_CONVERTER.payloadCodecs ?? [];

async function sent(value: unknown): Promise<Payload> {
  const [payload] = await codec!.encode([defaultPayloadConverter.toPayload(value)]);
  return payload!;
}

async function received(payload: Payload): Promise<unknown> {
  const [decoded] = await codec!.decode([payload]);
  return defaultPayloadConverter.fromPayload(decoded!);
}

const hashes = (count: number): readonly object[] =>
  Array.from({ length: count }, (_, n) => ({
    takeKey: createHash('sha256').update(String(n)).digest('hex'),
    state: 'completed',
    warnings: ['é'],
  }));

describe('payloads', () => {
  it('stay as they are if they are small', async () => {
    const payload = await sent(hashes(1_000));
    expect(Buffer.from(payload.metadata!['encoding']!).toString()).toBe('json/plain');
    expect(await received(payload)).toEqual(hashes(1_000));
  });

  it('are compressed if they are large, and come back as they were', async () => {
    const value = hashes(10_000);
    const payload = await sent(value);
    expect(payload.data!.length).toBeLessThan(JSON.stringify(value).length / 2);
    expect(await received(payload)).toEqual(value);
  });
});
