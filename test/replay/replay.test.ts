import { readFileSync } from 'node:fs';
import { homedir, hostname } from 'node:os';
import { join } from 'node:path';
import { DefaultLogger, Runtime } from '@temporalio/worker';
import { ANSWERS } from '../../contracts/render/decision';
import { WORKFLOWS } from '../../contracts/workflow-signatures';
import { replayHistories } from '../support/replay';
import { RIG_KEY } from '../support/rig';
import { type RecordedRun, readScene, recordedScenes } from './recorded-histories';
import { SCENES } from './scenes';

/** The bundle that workers run; it must be built before. */
const BUNDLE = join(__dirname, '..', '..', 'dist', 'workflow-bundle.js');

const WHAT_TO_DO = `
A production that began with the workflows of that day, and still runs, would break in the same way as soon as a worker
with this change takes it over. Parked shots wait for weeks, so there are some.

Keep what those productions did, and do the new thing for new ones alone: patched('what-changes') from
@temporalio/workflow. docs/decisions/0008-deploys.md shows how. Recording anew does not mend it: never remove a recorded
history while a production of its day may still run.`;

beforeAll(() => {
  // The test itself reports failures.
  Runtime.install({ logger: new DefaultLogger('ERROR', () => undefined), shutdownSignals: [] });
});

describe('a production that runs over a deploy', () => {
  let failed: ReadonlyMap<string, readonly string[]>;
  beforeAll(async () => {
    failed = await failedReplays(recordedScenes());
  });

  it.each(recordedScenes())('%s: continues with the current workflows', (scene) => {
    const broken = failed.get(scene) ?? [];
    if (broken.length > 0) throw new Error(`${scene} does not replay:\n${broken.join('\n')}\n${WHAT_TO_DO}`);
  });
});

describe('the recorded histories', () => {
  const recorded = recordedScenes();

  it('cover every scene', () => {
    const shown = new Set(recorded.map((scene) => scene.split('/')[1]));
    expect([...shown].toSorted()).toEqual(Object.keys(SCENES).toSorted());
  });

  it('cover every workflow, and every decision that a parked shot can get', () => {
    const text = recorded.map((scene) => readable(readScene(scene))).join('\n');
    for (const workflow of Object.values(WORKFLOWS)) expect(text).toContain(`"workflowType":{"name":"${workflow}"}`);
    const decisions = [...text.matchAll(/"parkedFor":"(\w+)","decision":\{"kind":"(\w+)"/g)].map(([, , kind]) => kind);
    expect(new Set(decisions)).toEqual(new Set(Object.values(ANSWERS).flat()));
  });

  it('contain nothing about the recording machine, and no keys, prompts or addresses', () => {
    const text = recorded.map((scene) => readable(readScene(scene))).join('\n');
    const secrets = [hostname(), homedir(), join(__dirname, '..', '..'), RIG_KEY, 'the lighthouse', 'http://'];
    for (const secret of secrets) expect(text.includes(secret) ? secret : undefined).toBeUndefined();
    expect(text).not.toMatch(/\d+@[\w-]+/);
  });
});

/**
 * The runs that do not replay, by scene, each with the reason.
 *
 * One worker replays them all, since starting a worker costs more than most replays. Its results come in the order of
 * the histories.
 */
async function failedReplays(scenes: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>> {
  const runs = scenes.flatMap((scene) => readScene(scene).map((run) => ({ scene, run })));
  const failed = new Map<string, string[]>();
  const workflowBundle = { code: readFileSync(BUNDLE, 'utf8') };
  const histories = runs.map(({ run }) => run);
  let replayed = 0;
  for await (const { workflowId, error } of replayHistories({ workflowBundle }, histories)) {
    const { scene, run } = runs[replayed++]!;
    expect(workflowId).toBe(run.workflowId);
    if (error) failed.set(scene, [...(failed.get(scene) ?? []), `  ${workflowId}: ${essence(error.message)}`]);
  }
  expect(replayed).toBe(runs.length);
  return failed;
}

/** Temporal's message contains one sentence that says what differs. */
function essence(message: string): string {
  return /\[TMPRL\d+\] [^"]+/.exec(message)?.[0] ?? message;
}

/** As JSON, with decoded payloads. */
function readable(runs: readonly RecordedRun[]): string {
  return JSON.stringify(runs, (key, value: unknown) =>
    key === 'data' && typeof value === 'string'
      ? (JSON.parse(Buffer.from(value, 'base64').toString()) as unknown)
      : value,
  );
}
