import { EventEmitter } from 'node:events';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { Refused } from '../../../client';
import { isBegunVersion } from '../../../client/records/same-version';
import { readConfig } from '../../../scripts/process/command-config';
import { within } from '../../../scripts/process/surroundings';
import { batchToEnd } from '../../../scripts/renders/batch-to-end';
import { renderToEnd } from '../../../scripts/renders/render-to-end';
import { betaShot, film, planOf, type Rig, rigEnv, startRig } from '../../support/rig';
import { temporaryFolder } from '../../support/temporary-folder';
import { environmentOf } from '../command';

type Start = (begin: () => Promise<void>, isInterrupted: boolean) => Promise<number>;

describe('a command that starts a render or batch', () => {
  let rig: Rig;
  let folder: string;
  const nothing = (isInterrupted: boolean) => ({
    signal: isInterrupted ? AbortSignal.abort() : new AbortController().signal,
    interrupted: isInterrupted ? Promise.resolve('interrupted' as const) : new Promise<never>(() => undefined),
  });
  const STARTS: readonly [string, Start][] = [
    [
      'a batch',
      (begin, isInterrupted) =>
        batchToEnd(readConfig(), rig.store, { batchId: 'rows', begin }, nothing(isInterrupted), { wait: false }),
    ],
    [
      'a render',
      (begin, isInterrupted) =>
        renderToEnd(
          readConfig(),
          rig.store,
          {
            productionId: 'film',
            command: () => Promise.resolve('dailies render film.yaml'),
            begin,
            isRecorded: () => Promise.resolve(false),
          },
          nothing(isInterrupted),
          { wait: false },
        ),
    ],
  ];

  beforeAll(async () => {
    rig = await startRig({}, { inProcess: false });
    folder = await temporaryFolder();
  });
  afterAll(() => rig.close());

  async function told(work: () => Promise<unknown>): Promise<string> {
    const stderr = new PassThrough();
    const env = environmentOf({ folder, env: rigEnv(rig) });
    const streams = { stdin: new PassThrough(), stdout: new PassThrough(), stderr };
    await within({ cwd: folder, env, ...streams, signals: new EventEmitter() }, work);
    stderr.end();
    return text(stderr);
  }

  it.each(STARTS)('does not say that %s goes on if its start is refused', async (_what, start) => {
    const refusal = new Refused('it is paused');
    const words = await told(() => expect(start(() => Promise.reject(refusal), false)).rejects.toBe(refusal));
    expect(words).not.toMatch(/Detached|Leaving|Stopped/);
  });

  it.each<[string, string, string, (out: string) => object]>([
    ['notes the folder of --out if it', 'Sea', 'sandbox', (out) => ({ named: out })],
    ['keeps the folder of a render of another version if its own start', 'Fog', 'sandbox', () => ({ named: '/old' })],
    ['keeps the folder of a render of another account if its own start', 'Sea', 'other', () => ({ named: '/old' })],
  ])('%s is interrupted while the start waits', async (_what, prompt, account, noted) => {
    const id = `waits-${prompt}-${account}`;
    const wanted = film(id, [betaShot('a', { parameters: { prompt: 'Sea' } })]);
    const recorded = await rig.store.putJson(film(id, [betaShot('a', { parameters: { prompt } })]));
    const request = { productionId: id, production: await rig.store.putJson(wanted), plan: planOf(wanted) };
    await rig.store.outPlaces.noteFolder(id, '/old');
    const abort = new AbortController();
    const interrupted = new Promise<'interrupted'>((resolve) => {
      abort.signal.addEventListener('abort', () => {
        resolve('interrupted');
      });
    });
    const begin = async (): Promise<void> => {
      const basis = { plan: await rig.store.putJson(request.plan), written: recorded };
      const begun = { renderId: 'r', production: recorded, account, at: new Date().toISOString() };
      await rig.store.productions.begin(id, { ...begun, ...basis });
      abort.abort();
      return new Promise(() => undefined);
    };
    const rendering = {
      productionId: id,
      command: () => Promise.resolve('dailies render waits.yaml'),
      begin,
      isRecorded: () => isBegunVersion(rig.store, 'sandbox', request),
    };
    const out = join(folder, 'named');
    await told(async () => {
      const ended = renderToEnd(readConfig(), rig.store, rendering, { signal: abort.signal, interrupted }, { out });
      await expect(ended).resolves.toBe(130);
    });
    expect(await rig.store.outPlaces.noted(id)).toEqual(noted(out));
  });

  it.each(STARTS)('does not start %s after an interrupt', async (_what, start) => {
    const begin = jest.fn(() => Promise.resolve());
    const words = await told(() => expect(start(begin, true)).resolves.toBe(130));
    expect(begin).not.toHaveBeenCalled();
    expect(words).toContain('Interrupted before anything was started.');
    expect(words).not.toContain('Detached');
  });
});
