import { join } from 'node:path';
import { type FirstContact } from '../../scripts/first-contact/first-contact';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../sandbox';
import { PLAIN } from '../support/pictures';
import { temporaryFolder } from '../support/temporary-folder';
import { dailies, type Ended, type Place } from './command';

const KEY = 'the-key-of-the-gateway-that-is-met';

/** Long enough for several reads of the task, and to be seen by a command that looks every half second. */
const SHOWN_SECONDS = 6;

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

  it('asks first: without a terminal and without --yes it sends nothing', async () => {
    await meet({});
    const { exitCode, stderr } = await spend(['doctor', '--spend']);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/beta-2\.5, 4 s at 480p/);
    expect(stderr).toContain('--yes');
    expect(gateway?.tasks()).toEqual([]);
  });

  it('sends nothing if another check fails', async () => {
    await meet({});
    const { exitCode } = await spend(SPEND, { FFMPEG_PATH: join(folder, 'no-ffmpeg') });
    expect(exitCode).toBe(2);
    expect(gateway?.tasks()).toEqual([]);
  });

  it('reports how the gateway handles what is not specified, and pays nothing when it is run again', async () => {
    const sandbox = await meet({ lastFramePlace: 'last_frame_url', renderSeconds: SHOWN_SECONDS });
    const first = await spend();
    expect(first.exitCode).toBe(0);
    const [contact, ...others] = contacts(first);
    expect(others).toEqual([]);
    const [task] = sandbox.tasks();
    expect(contact).toMatchObject({
      id: 'doctor',
      state: 'completed',
      taskId: task?.id,
      credits: task?.credits,
      fileValue: { by: 'data URI', taken: true },
      lastFrame: { place: 'last_frame_url', source: 'gateway' },
      resultShape: ['url: address', 'items[0].url: address', 'last_frame_url: address', 'model: text'],
    });
    expect(contact?.transitions.length).toBeGreaterThan(1);
    expect(contact?.transitions.at(-1)).toMatchObject({ status: 'COMPLETED' });
    expect(contact?.reads).toBeGreaterThan(1);
    expect(contact?.refusals).toEqual([
      { asked: 'a read of a task that nobody has', answer: expect.stringMatching(/answered 404: .*unknown_task/) },
      { asked: 'a read with a key that nobody has', answer: expect.stringMatching(/answered 401: .*unauthenticated/) },
    ]);
    expect(first.stderr).toMatch(/^doctor: renders \(take 1, task /m);
    expect(first.stdout + first.stderr).not.toContain(KEY);

    const again = await spend(['doctor', '--spend']);
    expect(again.exitCode).toBe(0);
    expect(again.stderr).toContain('nothing is paid for');
    expect(again.stdout).toMatch(/last frame +at result\.last_frame_url, and used/);
    expect(sandbox.tasks()).toHaveLength(1);
  });
});
