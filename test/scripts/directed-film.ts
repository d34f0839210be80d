import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ListedTake } from '../../contracts/render/listed-take';
import { Manifest, type ManifestShot } from '../../contracts/manifest';
import { RenderPlan } from '../../contracts/render/render-plan';
import { type Rig, rigEnv, startRig } from '../support/rig';
import { stopBetweenSubmits } from '../support/stop-between-submits';
import { temporaryFolder } from '../support/temporary-folder';
import { until } from '../support/until';
import { startWorkerProcess, type WorkerProcess } from '../support/worker-process';
import { dailies, type Ended, type Place, startDailies } from './command';

export const HEAD = `
defaults: { model: beta-video, duration: 4, resolution: 480p, colorDepth: 8bit, generateAudio: false }
shots:
`;

export const shot = (id: string, from?: string, more = ''): string =>
  `  - { id: ${id}, prompt: The sea ${id}.${from === undefined ? '' : `, startFrame: { lastFrameOf: ${from} }`}${more} }\n`;

export function manifestOf({ stdout, stderr }: Ended): Manifest {
  const parsed = Manifest.safeParse(JSON.parse(stdout));
  if (!parsed.success) throw new Error(`${stdout}\n${stderr}`);
  return parsed.data;
}

/** A film that is directed by command while its workers are killed. Each importing test file starts its own rig. */
export let rig: Rig;

export let place: Place;

let worker: WorkerProcess;

beforeAll(async () => {
  // Long enough that a worker is killed while tasks are under way.
  rig = await startRig({ renderSeconds: 2 }, { inProcess: false });
  worker = await startWorkerProcess(rig);
  place = { folder: await temporaryFolder(), env: rigEnv(rig) };
});

afterAll(async () => {
  await worker.kill('SIGTERM');
  await rig.close();
});

export const run = (...args: readonly string[]): Promise<Ended> => dailies(args, place);

export const accepted = (): number => rig.sandbox.tasks().length;

export const write = (name: string, text: string): void => {
  writeFileSync(join(place.folder, `${name}.yaml`), text);
};

export const plan = async (name: string): Promise<RenderPlan> =>
  RenderPlan.parse(JSON.parse((await run('plan', `${name}.yaml`, '--json')).stdout));

/** Runs a command that renders, and kills the worker after it has paid for the given number of tasks. */
export async function runAndKill(tasks: number, ...args: readonly string[]): Promise<Ended> {
  const before = accepted();
  const command = startDailies(args, place);
  let hasEnded = false;
  void command.ended.then(() => (hasEnded = true));
  await until(() => hasEnded || accepted() >= before + tasks);
  await stopBetweenSubmits((signal) => worker.process.kill(signal), rig.store);
  await worker.kill('SIGKILL');
  worker = await startWorkerProcess(rig);
  return command.ended;
}

export async function listed(production: string, id: string): Promise<readonly ListedTake[]> {
  const { stdout } = await run('takes', production, id, '--json');
  return ListedTake.array().parse(JSON.parse(stdout));
}

/** The start frame of a take, and the last frame of another take. */
export async function sentFrame(production: string, id: string, take: number): Promise<unknown> {
  const history = await rig.store.ledger.take({ productionId: production, shotId: id, take });
  return history?.intent.parameters['startFrame'];
}

export async function lastFrame(production: string, id: string, take: number): Promise<string> {
  const history = await rig.store.ledger.take({ productionId: production, shotId: id, take });
  return `sha256:${history?.output?.lastFrame?.asset.sha256}`;
}

export function states(ended: Ended): readonly ManifestShot['state'][] {
  return manifestOf(ended).shots.map(({ state }) => state);
}
