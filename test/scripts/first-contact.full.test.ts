import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type FirstContact } from '../../scripts/first-contact/first-contact';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../sandbox';
import { setFiles } from '../../workers/embedded/set-files';
import { PLAIN } from '../support/pictures';
import { temporaryFolder } from '../support/temporary-folder';
import { until } from '../support/until';
import { dailies, type Ended, type Place, startProcess } from './command';

const KEY = 'the-key-of-the-gateway-that-is-met';

const SPEND = ['doctor', '--spend', '--yes', '--json'];

function contacts({ stdout }: Ended): readonly FirstContact[] {
  return (JSON.parse(stdout) as { firstContact: readonly FirstContact[] }).firstContact;
}

describe('dailies doctor --spend', () => {
  let folder: string;
  let gateway: Sandbox | undefined;

  beforeEach(async () => {
    folder = await temporaryFolder();
  });

  afterEach(async () => {
    await gateway?.close();
    gateway = undefined;
  });

  async function meet(options: Partial<SandboxOptions>): Promise<Sandbox> {
    gateway = await startSandbox({ folder: join(folder, 'gateway'), apiKey: KEY, ...PLAIN, ...options });
    return gateway;
  }

  function place(changes: Readonly<Record<string, string>> = {}): Place {
    const env = { DAILIES_GATEWAY_URL: gateway?.url ?? '', DAILIES_GATEWAY_KEY: KEY, DAILIES_POLL_FLOOR_MS: '250' };
    return { folder, env: { ...env, ...changes } };
  }

  function spend(args = SPEND, changes: Readonly<Record<string, string>> = {}): Promise<Ended> {
    return dailies(args, place(changes));
  }

  it('sends the task without its picture if the gateway refuses it, and reports a missing last frame', async () => {
    const sandbox = await meet({ lastFramePlace: 'none' });
    sandbox.faults.inject({ kind: 'refuse-422', on: 'submit', count: 1 });
    const ended = await spend();
    expect(ended.exitCode).toBe(0);
    const [refused, completed] = contacts(ended);
    expect(refused).toMatchObject({ state: 'failed', taskId: null, fileValue: { by: 'data URI', taken: false } });
    expect(refused?.refusals.at(-1)).toEqual({
      asked: 'a submit',
      answer: expect.stringMatching(/answered 422: .*invalid_parameters/),
    });
    expect(completed).toMatchObject({
      state: 'completed',
      fileValue: { by: null, taken: null },
      lastFrame: { place: null, source: 'clip' },
    });
    expect(sandbox.tasks().map(({ parameters }) => 'startFrame' in parameters)).toEqual([false]);
  });

  it('pays for no second task if the gateway fails the first, and reports its reason', async () => {
    const sandbox = await meet({});
    sandbox.faults.inject({ kind: 'task-fails', count: 1 });
    const ended = await spend();
    expect(ended.exitCode).toBe(3);
    expect(contacts(ended)).toMatchObject([
      {
        state: 'parked',
        reason: expect.stringContaining('internal_error'),
        resolve: expect.stringContaining('dailies resolve generations doctor --resubmit'),
        fileValue: { by: 'data URI', taken: null },
      },
    ]);
    expect(sandbox.tasks()).toHaveLength(1);
  });

  it('continues with the paid task if the command was killed', async () => {
    const sandbox = await meet({ renderSeconds: 5 });
    const killed = startProcess(SPEND, place());
    await until(() => sandbox.tasks().length === 1);
    killed.process.kill('SIGKILL');
    await killed.ended;
    const ended = await spend();
    expect(ended.exitCode).toBe(0);
    expect(contacts(ended)).toMatchObject([{ state: 'completed', taskId: sandbox.tasks()[0]?.id }]);
    expect(sandbox.tasks()).toHaveLength(1);
  });

  it('also works with the embedded sandbox', async () => {
    const ended = await dailies(SPEND, { folder });
    expect(ended.exitCode).toBe(0);
    expect(contacts(ended)).toMatchObject([{ state: 'completed', lastFrame: { place: 'lastFrame.url' } }]);
    expect(readFileSync(join(setFiles(join(folder, 'store')).sandbox, 'tasks.jsonl'), 'utf8')).toContain('beta-2.5');
  });
});
