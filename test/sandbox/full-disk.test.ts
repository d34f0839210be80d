import { once } from 'node:events';
import { type FileHandle, open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SANDBOX_MODELS } from '../../sandbox/sandbox-models';
import { openTaskJournal, type SandboxTask } from '../../sandbox/tasks/task-journal';
import { TaskRunner } from '../../sandbox/tasks/task-runner';
import { temporaryFolder } from '../support/temporary-folder';
import { CLIP } from './rig';

const NO_SPACE = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });

const ACCEPTANCE = {
  model: SANDBOX_MODELS.find(({ id }) => id === 'beta-2.5')!,
  parameters: CLIP,
  mode: 'submit',
  idempotencyKey: null,
  fate: 'completes',
  answerFault: null,
} as const;

describe('while the disk is full, the sandbox', () => {
  it('refuses a task without counting it, and accepts one later', async () => {
    const { runner, journal, failWrites, rendered } = await rig();
    rendered();
    await failWrites(1);
    await expect(runner.accept(ACCEPTANCE)).rejects.toThrow('ENOSPC');
    expect(journal.tasks.size).toBe(0);
    expect(runner.counts().unfinished).toBe(0);
    const { id } = await runner.accept(ACCEPTANCE);
    expect(await runner.waitForEnd(id, 10_000)).toMatchObject({ state: 'COMPLETED' });
  });

  it('delays the end of a task until the end can be recorded', async () => {
    const { runner, path, failWrites, rendered } = await rig();
    const { id } = await runner.accept(ACCEPTANCE);
    await failWrites(2);
    rendered();
    expect(await runner.waitForEnd(id, 100)).toBeUndefined();
    expect(runner.counts().unfinished).toBe(1);
    expect(await runner.waitForEnd(id, 10_000)).toMatchObject({ state: 'COMPLETED' });
    expect(runner.counts().unfinished).toBe(0);
    expect(await lastRecord(path)).toMatchObject({ id, state: 'COMPLETED' });
  });

  it('starts a new line after a write that left an incomplete one', async () => {
    const { runner, path, failWrites } = await rig();
    await failWrites(1, '{"id": "incompl');
    await expect(runner.accept(ACCEPTANCE)).rejects.toThrow('ENOSPC');
    const { id } = await runner.accept(ACCEPTANCE);
    const reopened = await openTaskJournal(path);
    await reopened.close();
    expect([...reopened.tasks.keys()]).toEqual([id]);
  });
});

async function rig() {
  const path = join(await temporaryFolder(), 'tasks.jsonl');
  const journal = await openTaskJournal(path);
  let rendered = (): void => undefined;
  const rendering = new Promise<void>((resolve) => (rendered = resolve));
  const render = async (_task: SandboxTask, signal: AbortSignal) => {
    await Promise.race([rendering, once(signal, 'abort')]);
    return { file: 'clip.mp4' };
  };
  const runner = new TaskRunner({ journal, render, minTaskSeconds: () => 0, maxUnfinished: 5 });
  closing.push(() => runner.close());
  const failWrites = async (times: number, written = ''): Promise<void> => {
    const handle = await open(path, 'a');
    const handles = Object.getPrototypeOf(handle) as FileHandle;
    await handle.close();
    const appends = jest.spyOn(handles, 'appendFile');
    for (let write = 0; write < times; write += 1) {
      appends.mockImplementationOnce(async function (this: FileHandle) {
        await this.write(written);
        throw NO_SPACE;
      });
    }
  };
  return { runner, journal, path, failWrites, rendered: () => rendered() };
}

async function lastRecord(path: string): Promise<SandboxTask> {
  const lines = (await readFile(path, 'utf8')).trimEnd().split('\n');
  return JSON.parse(lines.at(-1)!) as SandboxTask;
}

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  jest.restoreAllMocks();
  for (const close of closing.splice(0)) await close();
});
