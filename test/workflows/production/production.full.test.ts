import { betaShot, film, linkedShot, type Rig, RIG_KEY, startRig } from '../../support/rig';
import { until } from '../../support/until';

describe('production', () => {
  let rig: Rig;

  beforeAll(async () => {
    // Tasks of the wide production last long enough to be under way side by side.
    rig = await startRig({ renderSeconds: ({ parameters }) => (isOfWide(parameters['prompt']) ? 0.5 : 0) });
  });

  afterAll(async () => {
    await rig.close();
  });

  afterEach(() => {
    rig.sandbox.faults.clear();
  });

  const accepted = (): number => rig.sandbox.tasks().length;

  /** No task reports its end until the faults are cleared. */
  function hearNoEnd(): void {
    rig.sandbox.faults.inject({ kind: 'refuse-503', on: 'read', share: 1 });
  }

  it('keeps to the number of shots that may be under way', async () => {
    const chains = ['a', 'b', 'c', 'd'].flatMap((name) => [
      betaShot(`${name}1`),
      ...[2, 3].map((n) => linkedShot(`${name}${n}`, `${name}${n - 1}`)),
    ]);
    const before = accepted();
    const status = await rig.render(film('wide', chains), { maxInFlight: 3, assemble: false });
    expect(status.state).toBe('completed');
    expect(accepted()).toBe(before + 12);
    expect(mostAtOnce(rig.sandbox.tasks().slice(before))).toBe(3);
  });

  it('answers status queries while it runs, with all that a display needs', async () => {
    hearNoEnd();
    await rig.start(film('watched', [betaShot('slow')]));
    const seen = await until(async () => {
      const status = await rig.client.status('watched');
      const take = status?.shots[0]?.takes[0];
      return take?.state === 'rendering' ? { status, take } : undefined;
    });
    expect(seen.take.taskId).toBe(rig.sandbox.tasks().at(-1)?.id);
    expect(seen.status).toMatchObject({ state: 'running', assembly: 'waiting', shots: [{ state: 'rendering' }] });
    rig.sandbox.faults.clear();
    expect(await rig.client.ended('watched')).toMatchObject({ state: 'completed' });
  });

  it('keeps key, prompts and addresses out of every history', async () => {
    const events: string[] = [];
    for await (const { workflowId, runId } of rig.temporal.client.workflow.list()) {
      const history = await rig.temporal.client.workflow.getHandle(workflowId, runId).fetchHistory();
      events.push(...(history.events ?? []).map((event) => JSON.stringify(event, asText)));
    }
    const readable = events.join('\n');
    // The search sees the content of payloads.
    expect(readable).toContain('deadlineSeconds');
    for (const secret of [RIG_KEY, 'the lighthouse', rig.sandbox.url]) expect(readable).not.toContain(secret);
  });
});

/** A history's JSON has payloads in base64; they are decoded here. */
function asText(name: string, value: unknown): unknown {
  return name === 'data' && typeof value === 'string' ? Buffer.from(value, 'base64').toString() : value;
}

function isOfWide(prompt: unknown): boolean {
  return /, [a-d][1-5]$/.test(String(prompt));
}

/** The largest number of tasks that were unfinished at the same time. */
function mostAtOnce(tasks: ReturnType<Rig['sandbox']['tasks']>): number {
  const edges = tasks.flatMap(({ acceptedAt, finishedAt }) => [
    { at: Date.parse(acceptedAt), by: 1 },
    { at: Date.parse(finishedAt ?? ''), by: -1 },
  ]);
  let now = 0;
  const counts = edges.sort((a, b) => a.at - b.at || a.by - b.by).map(({ by }) => (now += by));
  return Math.max(...counts);
}
