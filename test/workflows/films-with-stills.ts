import { type RenderRequest } from '../../client';
import { knownProduction, proposeRetake } from '../../client/directing';
import { freezeProduction } from '../../client/freeze/freeze-production';
import { type ShotChanges } from '../../client/freeze/changed-shot';
import { type AssetRef } from '../../contracts/asset';
import { type ProductionStatus, type ShotStatus } from '../../contracts/status';
import { type SandboxTask } from '../../sandbox';
import { policy, production } from '../production-file/production-fixtures';
import { type Rig } from '../support/rig';

/** The models of every production here. */
const MODELS = `
defaults: { model: beta-video, duration: 4, resolution: 480p, colorDepth: 8bit, retryFailed: 0 }
models:
  pixel-image-1: { workflow: pixel/v1/image, output: image, quick: false }
  quill-text-1: { workflow: quill/v1/text, output: text, quick: false }
`;

/** A shot that starts on a generated picture. */
export const DAWN = `{ id: dawn, prompt: The sun rises., startFrame: { still: { model: pixel-image-1, prompt: A lighthouse } } }`;

export const PICTURE = 'dawn.startFrame';

interface ModelOptions {
  /** Null where the file does not say. */
  readonly quick: boolean | null;
}

async function requestOf(
  { store }: Rig,
  id: string,
  shots: string,
  neighbours: Readonly<Record<string, string>>,
  models: string,
  { quick }: ModelOptions,
): Promise<RenderRequest> {
  const known = MODELS.replaceAll(', quick: false', quick === null ? '' : `, quick: ${quick}`);
  const checked = await production(`${known}${models}${shots}\n`, neighbours);
  const { ref, plan, written } = await freezeProduction(checked, store, { id });
  return { productionId: id, production: ref, plan, written };
}

export async function start(
  rig: Rig,
  id: string,
  shots: string,
  neighbours: Readonly<Record<string, string>> = {},
  models = '',
  options: ModelOptions = { quick: false },
): Promise<void> {
  await rig.client.render(await requestOf(rig, id, shots, neighbours, models, options));
}

export async function render(...[rig, id, ...rest]: Parameters<typeof start>): Promise<ProductionStatus> {
  await start(rig, id, ...rest);
  return rig.client.ended(id);
}

export async function retake(
  { store, client }: Rig,
  id: string,
  shot: string,
  changes: ShotChanges,
): Promise<Exclude<Awaited<ReturnType<typeof proposeRetake>>, { readonly issues: unknown }>> {
  const account = 'sandbox';
  const context = { store, account, quotes: store.account(account).quotes({}), policy };
  const proposal = await proposeRetake(context, await knownProduction(store, account, id), shot, changes);
  if ('issues' in proposal) throw new Error(JSON.stringify(proposal.issues));
  await client.direct(await proposal.change(), proposal.again);
  return proposal;
}

export async function shotOf({ client }: Rig, id: string, shot: string): Promise<ShotStatus | undefined> {
  return (await client.status(id))?.shots.find((one) => one.id === shot);
}

export function mark({ sandbox }: Rig): number {
  return sandbox.tasks().length;
}

export function kinds({ sandbox }: Rig, since: number): readonly SandboxTask['model'][] {
  return sandbox
    .tasks()
    .slice(since)
    .map(({ model }) => model);
}

export async function expectNoTask(rig: Rig, step: () => Promise<unknown>): Promise<void> {
  const before = mark(rig);
  await step();
  expect(mark(rig)).toBe(before);
}

export function inWords({ sha256 }: AssetRef): string {
  return `sha256:${sha256}`;
}
