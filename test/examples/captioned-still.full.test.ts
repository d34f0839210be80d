import { type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startExample } from '../support/example-process';
import { type Rig, startRig } from '../support/rig';
import { temporaryFolder } from '../support/temporary-folder';
import { until } from '../support/until';

const WORKFLOWS = join(__dirname, '..', '..', 'dist', 'examples', 'captioned-still', 'workflows.js');

describe('the example with a workflow and an activity of its own', () => {
  let rig: Rig;
  let worker: ChildProcess;

  beforeAll(async () => {
    rig = await startRig({ renderSeconds: 3 }, { inProcess: false, replayedBy: WORKFLOWS });
    worker = startExample(rig, 'captioned-still/worker.js', []);
    // It says so when it is ready; until then it bundles its workflows.
    const ready = once(worker.stdout!, 'data');
    await Promise.race([ready, once(worker, 'exit').then(() => Promise.reject(new Error('the worker has ended')))]);
  });

  afterAll(async () => {
    worker.kill('SIGTERM');
    const [exitCode] = (await once(worker, 'exit')) as [number | null];
    await rig.close();
    expect(exitCode).toBe(0);
  });

  async function make(...args: string[]): Promise<{ page: string; credits: number }> {
    return ended(startExample(rig, 'captioned-still/main.js', args));
  }

  async function ended(child: ChildProcess): Promise<{ page: string; credits: number }> {
    let out = '';
    child.stdout?.setEncoding('utf8').on('data', (text: string) => (out += text));
    const [exitCode] = (await once(child, 'close')) as [number | null];
    expect(exitCode).toBe(0);
    return JSON.parse(out) as { page: string; credits: number };
  }

  it('pays for picture and caption once, and writes a page of both', async () => {
    const folder = await temporaryFolder();
    const still = await make('still-7', 'a lighthouse', folder);
    const page = await readFile(still.page, 'utf8');
    const [, picture = ''] = /<img src="([^"]+)">/.exec(page) ?? [];
    expect((await readFile(picture)).subarray(1, 4).toString()).toBe('PNG');
    expect(/<figcaption>(.+)<\/figcaption>/s.exec(page)?.[1]?.length).toBeGreaterThan(0);
    const tasks = rig.sandbox.tasks();
    expect(tasks).toHaveLength(2);
    expect(still.credits).toBeGreaterThan(0);

    expect(await make('still-7', 'a lighthouse', folder)).toEqual(still);
    expect(rig.sandbox.tasks()).toHaveLength(2);
  });

  it('joins the running workflow when it is started again after a kill', async () => {
    const folder = await temporaryFolder();
    const before = rig.sandbox.tasks().length;
    const args = ['still-8', 'a harbour', folder];
    const killed = startExample(rig, 'captioned-still/main.js', args);
    await until(() => rig.sandbox.tasks().length > before);
    killed.kill('SIGKILL');
    expect((await make(...args)).page).toBe(join(folder, 'still-8.html'));
    expect(rig.sandbox.tasks()).toHaveLength(before + 2);
  });
});
