import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from '@temporalio/client';
import { type Payload } from '@temporalio/common';
import { DATA_CONVERTER } from '../../client/temporal/large-payloads';
import { retryUpdate } from '../../client/temporal/retry-update';
import { type FrozenProduction } from '../../contracts/render/frozen';
import { productionWorkflowId } from '../../contracts/identifiers';
import { type ProductionPlan } from '../../contracts/render/plan';
import { type ProductionStatus } from '../../contracts/status';
import { productionStatusQuery, reviseProductionUpdate } from '../../workflows/messages';
import { makeClip } from '../media/fixtures';
import { basisOf, film, pictureShot, planOf, type Rig, startRig } from '../support/rig';
import { json, type ScriptedGateway, startScriptedGateway } from '../support/scripted-gateway';
import { temporaryFolder } from '../support/temporary-folder';
import { until } from '../support/until';

const SHOTS = 1_000;
const TAKES = 2;
const REVISIONS = 4;

/** When it is revised; the rest is drained. */
const RENDERED_SHARE = 0.5;

/** Half of what Temporal allows. */
const MOST_PAYLOAD_BYTES = 1024 * 1024;
const MOST_EVENTS = 51_200 / 2;
const MOST_BYTES = 25 * 1024 * 1024;

const LOOK_EVERY_MS = 2_000;

describe(`a production of ${SHOTS} shots with ${TAKES} takes each, a failure each, and ${REVISIONS} revisions of all`, () => {
  let gateway: ScriptedGateway;
  let rig: Rig;
  /** Largest payload that was read, as Temporal has it. */
  let largestBytes = 0;
  /** By prompt. */
  const asked = new Map<string, number>();

  beforeAll(async () => {
    gateway = await startScriptedGateway();
    rig = await startRig({}, { gatewayUrl: gateway.url });
    await answerWithOnePicture();
  });

  // Replays the histories, one of each shape.
  afterAll(async () => {
    await rig.close();
    await gateway.close();
  });

  /** Tasks that take no time. The first one of each request fails. */
  async function answerWithOnePicture(): Promise<void> {
    const path = join(await temporaryFolder(), 'picture.png');
    const png = { codec: [], extra: ['-update', '1'], pixelFormat: 'rgb24' };
    const picture = await readFile(await makeClip(path, { frames: 1, width: 64, height: 36, ...png }));
    const tasks = new Map<string, object>();
    gateway.answer = ({ method, path: wanted, body }, response) => {
      gateway.arrived.length = 0;
      const answer = (task: object | undefined): void => json(response, 200, { status: 'success', response: task });
      if (wanted.startsWith('/files/')) {
        response.writeHead(200, { 'content-type': 'image/png' }).end(picture);
      } else if (method === 'POST') {
        const id = `00000000-0000-4000-8000-${String(tasks.size + 1).padStart(12, '0')}`;
        const task = { id, usage: { credits: 40 }, ...outcomeOf(String(/"prompt":"([^"]*)"/.exec(body)?.[1]), id) };
        tasks.set(id, task);
        answer(wanted.includes('execute') ? task : { id });
      } else {
        answer(tasks.get(/models\/([^/]+)\/result/.exec(wanted)?.[1] ?? ''));
      }
    };
  }
  function outcomeOf(prompt: string, id: string): object {
    const count = (asked.get(prompt) ?? 0) + 1;
    asked.set(prompt, count);
    if (count === 1) return { status: 'FAILED', error: 'a machine broke' };
    return { status: 'COMPLETED', result: { url: `${gateway.url}/files/${id}.png` } };
  }

  const version = (n: number): FrozenProduction =>
    film(
      'large',
      Array.from({ length: SHOTS }, (_, shot) =>
        pictureShot(`shot-${shot}`, { parameters: { prompt: `shot ${shot} of version ${n}` } }),
      ),
    );
  function plan(production: FrozenProduction): Partial<ProductionPlan> {
    const rules = { takes: TAKES, retryFailed: 1, mode: 'execute' as const };
    const shots = planOf(production).shots.map((shot) => ({ ...shot, ...rules }));
    return { assemble: false, maxInFlight: 64, shots };
  }
  const handle = () => rig.temporal.client.workflow.getHandle(productionWorkflowId(rig.store.id, 'large'));
  async function revise(n: number): Promise<void> {
    const production = version(n);
    const frozen = await rig.store.putJson(production);
    const planned = planOf(production, plan(production));
    const basis = await basisOf(rig.store, frozen, planned);
    const revision = { productionId: 'large', production: frozen, plan: planned, basis, again: [] };
    await retryUpdate(() => handle().executeUpdate(reviseProductionUpdate, { args: [revision] }));
  }

  function measuringClient(): Client {
    const [codec] = DATA_CONVERTER.payloadCodecs ?? [];
    const measured = (payloads: Payload[]): Payload[] => {
      for (const { data } of payloads) largestBytes = Math.max(largestBytes, data?.length ?? 0);
      return payloads;
    };
    const payloadCodecs = [
      {
        encode: async (payloads: Payload[]) => measured(await codec!.encode(payloads)),
        decode: (payloads: Payload[]) => codec!.decode(measured(payloads)),
      },
    ];
    return new Client({ connection: rig.temporal.connection, dataConverter: { payloadCodecs } });
  }

  /** All payloads in a history, wherever they are in its events. */
  function measure(value: unknown): void {
    if (value instanceof Uint8Array) largestBytes = Math.max(largestBytes, value.length);
    else if (typeof value === 'object' && value !== null) Object.values(value).forEach(measure);
  }

  it("ends, can be queried throughout, and stays below half of Temporal's limits", async () => {
    const production = version(0);
    const looking = measuringClient().workflow.getHandle(handle().workflowId);
    const ask = (): Promise<ProductionStatus> => looking.query(productionStatusQuery);
    await rig.start(production, plan(production));
    let looks = 0;
    const completedOf = ({ shots }: ProductionStatus): number =>
      shots.filter(({ state }) => state === 'completed').length;
    for (let n = 1; n <= REVISIONS; n += 1) {
      await until(async () => {
        const status = await ask();
        looks += 1;
        await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS).unref());
        return completedOf(status) >= SHOTS * RENDERED_SHARE;
      });
      await revise(n);
    }
    const status = await until(async () => {
      const now = await ask();
      looks += 1;
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS).unref());
      return now.state !== 'running' && now;
    });
    expect(status).toMatchObject({ state: 'completed' });
    expect(status.shots.filter(({ takes }) => takes.length >= TAKES)).toHaveLength(SHOTS);
    expect((await rig.client.ended('large')).state).toBe('completed');

    const runs: { readonly events: number; readonly bytes: number }[] = [];
    const query = `WorkflowId = "${handle().workflowId}"`;
    for await (const { runId } of rig.temporal.client.workflow.list({ query })) {
      const run = rig.temporal.client.workflow.getHandle(handle().workflowId, runId);
      const { historyLength, historySize = 0 } = await run.describe();
      runs.push({ events: historyLength, bytes: historySize });
      measure((await run.fetchHistory()).events);
    }
    const events = Math.max(...runs.map((run) => run.events));
    const bytes = Math.max(...runs.map((run) => run.bytes));
    const tasks = [...asked.values()].reduce((sum, count) => sum + count, 0);
    process.stderr.write(
      `${SHOTS} shots, ${tasks} tasks: ${runs.length} histories, of at most ${events} events and ${bytes} bytes; ` +
        `largest payload ${largestBytes} bytes; ${looks} looks\n`,
    );
    expect(largestBytes).toBeLessThan(MOST_PAYLOAD_BYTES);
    expect(events).toBeLessThan(MOST_EVENTS);
    expect(bytes).toBeLessThan(MOST_BYTES);
  });
});
