import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type DailiesClient } from '../../client';
import { retryUpdate } from '../../client/temporal/retry-update';
import { type FrozenProduction } from '../../contracts/render/frozen';
import { productionWorkflowId, shotWorkflowId } from '../../contracts/identifiers';
import { type ProductionPlan } from '../../contracts/render/plan';
import { type ProductionStatus } from '../../contracts/status';
import { reviseProductionUpdate } from '../../workflows/messages';
import { makeClip } from '../media/fixtures';
import { basisOf, film, pictureShot, planOf, type Rig, startRig } from '../support/rig';
import { json, type ScriptedGateway, startScriptedGateway } from '../support/scripted-gateway';
import { temporaryFolder } from '../support/temporary-folder';
import { until } from '../support/until';
import { boundedClient } from './bounded-client';

/** Reached by a few updates. Shots that begin before a quarter of it are drained with their history. */
export const MOST_EVENTS = 60;

export const PICTURE = 3;

/** Productions whose histories become too long soon. Each importing test file starts its own rig. */
let gateway: ScriptedGateway;
export let rig: Rig;
/** Starts productions with such a bound. */
export let client: DailiesClient;
/** Tasks whose prompts end with one of these stay under way, or fail. */
export const held = new Set<string>();
export const failing = new Set<string>();

beforeAll(async () => {
  gateway = await startScriptedGateway();
  rig = await startRig({}, { gatewayUrl: gateway.url, prices: { 'pixel-image-1': { perTask: PICTURE } } });
  await answerWithOnePicture();
  client = boundedClient(rig, { mostEvents: MOST_EVENTS });
});

afterEach(() => {
  held.clear();
  failing.clear();
});

// Replays all histories, including those that continued as new.
afterAll(async () => {
  await rig.close();
  await gateway.close();
});

async function answerWithOnePicture(): Promise<void> {
  const path = join(await temporaryFolder(), 'picture.png');
  const png = { codec: [], extra: ['-update', '1'], pixelFormat: 'rgb24' };
  const picture = await readFile(await makeClip(path, { frames: 1, width: 64, height: 36, ...png }));
  const prompts: string[] = [];
  gateway.answer = ({ method, path: asked, body }, response) => {
    if (asked.startsWith('/files/')) {
      response.writeHead(200, { 'content-type': 'image/png' }).end(picture);
    } else if (method === 'POST') {
      prompts.push(promptOf(body));
      json(response, 200, { status: 'success', response: { id: `task-${prompts.length}` } });
    } else {
      const id = /models\/([^/]+)\/result/.exec(asked)?.[1] ?? '';
      json(response, 200, { status: 'success', response: { id, ...resultOf(id, prompts) } });
    }
  };
}
function resultOf(id: string, prompts: readonly string[]): object {
  const prompt = prompts[Number(id.slice('task-'.length)) - 1] ?? '';
  if (has(held, prompt)) return { status: 'IN_PROGRESS' };
  if (has(failing, prompt)) return { status: 'FAILED', usage: { credits: 0 } };
  const result = { url: `${gateway.url}/files/${id}.png` };
  return { status: 'COMPLETED', result, usage: { credits: PICTURE } };
}
const has = (ends: ReadonlySet<string>, prompt: string): boolean => [...ends].some((end) => prompt.endsWith(end));
const promptOf = (body: string): string => String(/"prompt":"([^"]*)"/.exec(body)?.[1]);

export const pictures = (id: string, ...shots: readonly string[]): FrozenProduction =>
  film(
    id,
    shots.map((shot) => pictureShot(shot, { parameters: { prompt: `${id} ${shot}`, width: 64, height: 36 } })),
  );
export async function begin(production: FrozenProduction, changes: Partial<ProductionPlan> = {}): Promise<void> {
  const frozen = await rig.store.putJson(production);
  const plan = planOf(production, { assemble: false, ...changes });
  await client.render({ productionId: production.id, production: frozen, plan });
}
export async function revise(production: FrozenProduction, changes: Partial<ProductionPlan> = {}): Promise<void> {
  const frozen = await rig.store.putJson(production);
  const plan = planOf(production, { assemble: false, ...changes });
  const basis = await basisOf(rig.store, frozen, plan);
  const revision = { productionId: production.id, production: frozen, plan, basis, again: [] };
  await retryUpdate(() => handleOf(production.id).executeUpdate(reviseProductionUpdate, { args: [revision] }));
}
export const handleOf = (id: string) => rig.temporal.client.workflow.getHandle(productionWorkflowId(rig.store.id, id));
export const runOf = async (id: string): Promise<string> => (await handleOf(id).describe()).runId;
export const shotRun = async (id: string, shot: string): Promise<string> =>
  (await rig.temporal.client.workflow.getHandle(shotWorkflowId(rig.store.id, id, shot)).describe()).runId;
/** Revises the production to the same version until another history has begun. */
export async function intoAnotherHistory(
  production: FrozenProduction,
  changes: Partial<ProductionPlan> = {},
): Promise<void> {
  const before = await runOf(production.id);
  while ((await runOf(production.id)) === before) await revise(production, changes);
}
export const statusWhen = (
  id: string,
  isSo: (states: Readonly<Record<string, string>>) => boolean,
): Promise<ProductionStatus> =>
  until(async () => {
    const status = await client.status(id);
    return status !== undefined && isSo(statesOf(status)) && status;
  });
export const statesOf = ({ shots }: ProductionStatus): Readonly<Record<string, string>> =>
  Object.fromEntries(shots.map(({ id, state }) => [id, state]));
export const sent = (prompt: string): number => gateway.posts().filter(({ body }) => promptOf(body) === prompt).length;
export const atGateway = (prompt: string): Promise<boolean> => until(() => sent(prompt) > 0);
