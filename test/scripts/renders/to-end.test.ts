import { EventEmitter } from 'node:events';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { Refused } from '../../../client';
import { readConfig } from '../../../scripts/process/command-config';
import { within } from '../../../scripts/process/surroundings';
import { batchToEnd } from '../../../scripts/renders/batch-to-end';
import { renderToEnd } from '../../../scripts/renders/render-to-end';
import { type Rig, rigEnv, startRig } from '../../support/rig';
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
          { productionId: 'film', command: () => Promise.resolve('dailies render film.yaml'), begin },
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

  it('notes the folder of --out if it is interrupted while the start waits', async () => {
    const abort = new AbortController();
    const interrupted = new Promise<'interrupted'>((resolve) => {
      abort.signal.addEventListener('abort', () => {
        resolve('interrupted');
      });
    });
    const begin = (): Promise<void> => {
      abort.abort();
      return new Promise(() => undefined);
    };
    const rendering = { productionId: 'waits', command: () => Promise.resolve('dailies render waits.yaml'), begin };
    const out = join(folder, 'named');
    await told(async () => {
      const ended = renderToEnd(readConfig(), rig.store, rendering, { signal: abort.signal, interrupted }, { out });
      await expect(ended).resolves.toBe(130);
    });
    expect(await rig.store.outPlaces.noted('waits')).toEqual({ named: out });
  });

  it.each(STARTS)('does not start %s after an interrupt', async (_what, start) => {
    const begin = jest.fn(() => Promise.resolve());
    const words = await told(() => expect(start(begin, true)).resolves.toBe(130));
    expect(begin).not.toHaveBeenCalled();
    expect(words).toContain('Interrupted before anything was started.');
    expect(words).not.toContain('Detached');
  });
});
