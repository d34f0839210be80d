import { readFile } from 'node:fs/promises';
import { type RenderRequest } from '../../client';
import { knownProduction, proposeRetake } from '../../client/directing';
import { freezeProduction, type ShotChanges } from '../../client/production-file';
import { type AssetRef } from '../../contracts/asset';
import { type ProductionStatus, type ShotStatus } from '../../contracts/status';
import { type SandboxTask } from '../../sandbox';
import { createQuotes } from '../../store';
import { policy, production } from '../production-file/production-fixtures';
import { type Rig, startRig } from '../support/rig';
import { until } from '../support/until';

/** The models of every production here. */
const MODELS = `
defaults: { model: beta-video, duration: 4, resolution: 480p, colorDepth: 8bit, retryFailed: 0 }
models:
  pixel-image-1: { workflow: pixel/v1/image, output: image, quick: false }
  quill-text-1: { workflow: quill/v1/text, output: text, quick: false }
`;

/** A shot that starts on a generated picture. */
const DAWN = `{ id: dawn, prompt: The sun rises., startFrame: { still: { model: pixel-image-1, prompt: A lighthouse } } }`;

const PICTURE = 'dawn.startFrame';

describe('stills and written prompts', () => {
  let rig: Rig;

  beforeAll(async () => {
    rig = await startRig();
  });
  afterAll(() => rig.close());
  afterEach(() => {
    rig.sandbox.faults.clear();
  });

  it('pays for no video before its picture is approved, and starts it on the very bytes of the approved one', async () => {
    const since = mark(rig);
    await start(rig, 'approved', `shots: [${DAWN.replace('A lighthouse', 'A lighthouse, review: true, takes: 2')}]`);
    const review = await until(async () => {
      const shot = await shotOf(rig, 'approved', PICTURE);
      return shot?.state === 'review' && shot.review?.takesUnderWay === 0 ? shot : undefined;
    });
    expect(review.takes.map(({ state }) => state)).toEqual(['completed', 'completed']);
    expect(kinds(rig, since)).toEqual(['pixel-image-1', 'pixel-image-1']);
    const other = review.takes.find(({ take }) => take !== review.filmTake)!;
    await rig.client.approve('approved', PICTURE, other.take);
    const status = await rig.client.ended('approved');

    expect(status).toMatchObject({ state: 'completed', assembly: 'completed' });
    expect(kinds(rig, since)).toEqual(['pixel-image-1', 'pixel-image-1', 'beta-2.5']);
    expect(rig.sandbox.tasks().at(-1)?.parameters['startFrame']).toBe(inWords(other.asset!));
    const [take] = await rig.store.ledger.takes('approved', 'dawn');
    expect(take?.intent.parameters['startFrame']).toBe(inWords(other.asset!));
  });

  it('sends the text that was written, keeps it over renders, and takes another video for another text', async () => {
    const text = `shots: [{ id: dawn, prompt: { from: { model: quill-text-1, prompt: the sun rises } } }]`;
    const status = await render(rig, 'written', text);
    expect(status).toMatchObject({ state: 'completed', assembly: 'completed' });
    const words = await textOf(rig, status.shots[0]!.takes[0]!.asset!);
    expect(words).toContain('the sun rises');
    expect(rig.sandbox.tasks().at(-1)?.parameters['prompt']).toBe(words.trim());
    expect((await rig.store.ledger.takes('written', 'dawn'))[0]?.intent.parameters['prompt']).toBe(words.trim());
    await expectNoTask(rig, () => render(rig, 'written', text));

    const since = mark(rig);
    const { follows } = await retake(rig, 'written', 'dawn.prompt', { prompt: 'the moon sets' });
    expect(follows.shots.map(({ shot, action, through }) => [shot, action, through])).toEqual([
      ['dawn.prompt', 'changed', []],
      ['dawn', 'stale', ['dawn.prompt']],
    ]);
    await rig.client.ended('written');
    expect(kinds(rig, since)).toEqual(['quill-text-1', 'beta-2.5']);
    expect(rig.sandbox.tasks().at(-1)?.parameters['prompt']).toContain('the moon sets');
  });
});

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

async function start(
  rig: Rig,
  id: string,
  shots: string,
  neighbours: Readonly<Record<string, string>> = {},
  models = '',
  options: ModelOptions = { quick: false },
): Promise<void> {
  await rig.client.render(await requestOf(rig, id, shots, neighbours, models, options));
}

async function render(...[rig, id, ...rest]: Parameters<typeof start>): Promise<ProductionStatus> {
  await start(rig, id, ...rest);
  return rig.client.ended(id);
}

async function retake(
  { store, client }: Rig,
  id: string,
  shot: string,
  changes: ShotChanges,
): Promise<Exclude<Awaited<ReturnType<typeof proposeRetake>>, { readonly issues: unknown }>> {
  const account = 'sandbox';
  const context = { store, account, quotes: createQuotes(store.records, account, {}), policy };
  const proposal = await proposeRetake(context, await knownProduction(store, account, id), shot, changes);
  if ('issues' in proposal) throw new Error(JSON.stringify(proposal.issues));
  await client.direct(await proposal.change(), proposal.again);
  return proposal;
}

async function shotOf({ client }: Rig, id: string, shot: string): Promise<ShotStatus | undefined> {
  return (await client.status(id))?.shots.find((one) => one.id === shot);
}

function mark({ sandbox }: Rig): number {
  return sandbox.tasks().length;
}

function kinds({ sandbox }: Rig, since: number): readonly SandboxTask['model'][] {
  return sandbox
    .tasks()
    .slice(since)
    .map(({ model }) => model);
}

async function expectNoTask(rig: Rig, step: () => Promise<unknown>): Promise<void> {
  const before = mark(rig);
  await step();
  expect(mark(rig)).toBe(before);
}

function textOf({ store }: Rig, asset: AssetRef): Promise<string> {
  return readFile(store.assets.localPath(asset), 'utf8');
}

function inWords({ sha256 }: AssetRef): string {
  return `sha256:${sha256}`;
}
