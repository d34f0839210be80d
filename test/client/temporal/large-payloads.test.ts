import { createHash } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import { DATA_CONVERTER } from '../../../client/temporal/large-payloads';
import { type AssetRef } from '../../../contracts/asset';
import { MOST_SHOTS, MOST_TAKES } from '../../../contracts/render/plan';
import { type TakeProgress } from '../../../contracts/render/take';
import { betaShot, film, planOf } from '../../support/rig';

const [codec] = DATA_CONVERTER.payloadCodecs ?? [];

const HALF_OF_THE_LIMIT = 1024 * 1024;

async function sent(value: unknown): Promise<Payload> {
  const [payload] = await codec!.encode([defaultPayloadConverter.toPayload(value)]);
  return payload!;
}

async function received(payload: Payload): Promise<unknown> {
  const [decoded] = await codec!.decode([payload]);
  return defaultPayloadConverter.fromPayload(decoded!);
}

const hash = (text: string): string => createHash('sha256').update(text).digest('hex');

function assetOf(name: string): AssetRef {
  const sha256 = hash(name);
  return {
    sha256,
    sizeBytes: parseInt(sha256.slice(0, 5), 16),
    mediaType: 'video/mp4',
    durationSeconds: 5.041667,
    width: 1920,
    height: 1080,
  };
}

/** The largest possible take. */
function take(shot: number, number: number, state: 'completed' | 'failed'): TakeProgress {
  const name = `${shot}/${number}`;
  const hasLeft = state === 'completed';
  const taskId = hash(name).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5');
  return {
    take: number,
    takeKey: hash(`key ${name}`),
    state,
    taskId,
    credits: 40,
    asset: hasLeft ? assetOf(`clip ${name}`) : null,
    firstFrame: hasLeft ? assetOf(`first ${name}`) : null,
    lastFrame: hasLeft ? { asset: assetOf(`last ${name}`), source: 'gateway' } : null,
    warnings: hasLeft ? ['asked for 5 s, and is 5.04 s long'] : [],
  };
}

describe('payloads', () => {
  it('stay as they are if they are small', async () => {
    const value = Array.from({ length: 200 }, (_, n) => take(n, 1, 'completed'));
    const payload = await sent(value);
    expect(Buffer.from(payload.metadata!['encoding']!).toString()).toBe('json/plain');
    expect(await received(payload)).toEqual(value);
  });

  it('are compressed if they are large: those of the largest production stay below half of the limit', async () => {
    const perShot = MOST_TAKES / MOST_SHOTS;
    const shots = Array.from({ length: MOST_SHOTS }, (_, n) => ({
      id: `shot-${n}`,
      model: 'beta-2.5',
      state: 'completed',
      reason: null,
      parked: null,
      review: null,
      takes: Array.from({ length: 2 * perShot }, (__, k) => take(n, k + 1, k < perShot ? 'failed' : 'completed')),
      earlier: Array.from({ length: 10 * perShot }, (__, k) => [k + 1, 40]),
      filmTake: 2 * perShot,
      startedAt: `2026-01-01T00:00:${n % 60}.${n}Z`,
      endedAt: `2026-01-01T01:00:${n % 60}.${n}Z`,
      run: null,
    }));
    const { shots: planned } = planOf(
      film(
        'large',
        shots.map(({ id }) => betaShot(id)),
      ),
    );
    const value = { plan: planned, carried: { shots } };
    const payload = await sent(value);
    expect(payload.data!.length).toBeLessThan(HALF_OF_THE_LIMIT);
    expect(await received(payload)).toEqual(value);
  });

  it('are refused if they decompress to far more than any production', async () => {
    const crafted = {
      metadata: { encoding: Buffer.from('binary/zlib') },
      data: deflateSync(Buffer.alloc(65 * 1024 ** 2)),
    };
    expect(crafted.data.length).toBeLessThan(HALF_OF_THE_LIMIT);
    await expect(codec!.decode([crafted])).rejects.toThrow('larger than');
  });
});
