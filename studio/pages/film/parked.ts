import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { counted } from '../../../contracts/counted';
import { html, type Html } from '../../../client/contact-sheet/html';
import { putOwnOutput } from '../../../client/dailies/own-output';
import { Refused } from '../../../client/wording/refused';
import { resolveWays } from '../../../contracts/commands';
import { ANSWERS, type Decision } from '../../../contracts/render/decision';
import { type ManifestShot, type ParkedCosts } from '../../../contracts/manifest';
import { isTaskId } from '../../../gateway/addresses';
import { canonicalJson } from '../../../store';
import { type ActionRequest, type ActionRoute, type PageRequest } from '../../server/page';
import { type Studio } from '../../server/studio';
import { type FilmView, filmView, type ShotView } from '../../views/film-view';
import { commandShown, creditsShown, hidden, shotPath, timeShown } from '../parts';

type Parked = NonNullable<ManifestShot['parked']>;

/** The section of a parked shot: possible charges, and the answers, with the price of a resubmit; else null. */
export function parkedShown(film: FilmView, { id: shotId, entry }: ShotView, { token }: PageRequest): Html | null {
  const { parked } = entry;
  if (parked === null) return null;
  const path = `${shotPath(film.id, shotId)}/resolve`;
  const takes = parked.takes ?? [{ take: undefined, for: parked.for }];
  const ways = resolveWays(film.id, shotId, parked.for, parked.takes);
  return html`<section class="parked" aria-labelledby="parked-title">
    <h2 id="parked-title">Waiting for your decision since ${timeShown(parked.since)}</h2>
    ${parked.costs === undefined || parked.costs.unclearSubmits === 0 ? null : html`<p class="alarm">${mayBeCharged(parked.costs)}</p>`}
    ${parked.for === 'budget' ? html`<p><a href="/productions/${film.id}#money-title">Give the production more credits</a></p>` : null}
    ${takes.map(
      (one) =>
        html`${one.take === undefined ? null : html`<h3>Take ${one.take}</h3>`}
          <ul class="answers">
            ${ANSWERS[one.for].map((answer) => html`<li>${answerForm(path, token, answer, { take: one.take, parked })}</li>`)}
          </ul>`,
    )}
    ${ways.map(
      ({ command, means }) =>
        html`<p class="means">${means}</p>
          ${commandShown(command)}`,
    )}
  </section>`;
}

function mayBeCharged({ unclearSubmits, mayBeCharged: most }: ParkedCosts): string {
  const submits = unclearSubmits === 1 ? 'one submit' : `${unclearSubmits} submits`;
  return `The gateway may have charged ${most === null ? 'an unknown amount' : `up to ${counted(most.high, 'credit')}`} for ${submits} without a known outcome.`;
}

interface ParkedTakeContext {
  readonly take: number | undefined;
  readonly parked: Parked;
}

/** The values that the form for a resubmit carries. `checkAsSeen` refuses the answer if these values have changed. */
function asShown(context: ParkedTakeContext) {
  const { since, costs } = context.parked;
  const unclearSubmits = costs?.unclearSubmits ?? null;
  return { for: parkedFor(context), since, unclearSubmits, price: resubmitPrice(context) };
}

function parkedFor({ take, parked }: ParkedTakeContext) {
  return parked.takes?.find((one) => one.take === take)?.for ?? parked.for;
}

function resubmitPrice({ take, parked: { takes, costs } }: ParkedTakeContext) {
  const own = takes?.find((one) => one.take === take)?.resubmit;
  return own === undefined ? (costs?.answers.find(({ answer }) => answer === 'resubmit')?.credits ?? null) : own;
}

function answerForm(
  path: string,
  token: PageRequest['token'],
  answer: Decision['kind'],
  context: ParkedTakeContext,
): Html {
  const { take } = context;
  const fields = {
    adopt: html`<label>Task id in the gateway's list <input name="taskId" required autocomplete="off" /></label>`,
    use: html`<label>File of your own <input type="file" name="file" required /></label>`,
    resubmit: hidden('seen', asShown(context)),
    skip: null,
    wait: null,
  }[answer];
  const kind = answer === 'resubmit' ? 'spends' : 'plain';
  return html`<form method="post" action="${path}" enctype="multipart/form-data">
    ${token(path)}${hidden('answer', answer)}${hidden('take', take === undefined ? '' : String(take))}${fields}
    <button class="${kind}">${labelOf(answer, context)}</button>
  </form>`;
}

function labelOf(answer: Decision['kind'], context: ParkedTakeContext): string {
  const { take } = context;
  const price = resubmitPrice(context);
  switch (answer) {
    case 'adopt':
      return 'The gateway has this task';
    case 'resubmit':
      return `Pay for it once more (${price === null ? 'price unknown' : creditsShown(price.high)})`;
    case 'skip':
      return take === undefined ? 'Leave the shot out' : 'Leave this take out';
    case 'use':
      return 'Use this file instead';
    case 'wait':
      return parkedFor(context) === 'uncollected' ? 'Try to collect it again' : 'Wait longer';
  }
}

export const resolveActions: readonly ActionRoute[] = [
  {
    path: '/productions/:id/shots/:shot/resolve',
    async act(studio, request) {
      const { id = '', shot: shotId = '' } = request.params;
      const take = request.field('take') === '' ? undefined : Number(request.field('take'));
      const decision = await decisionOf(studio, request, take);
      const { goesOn } = await studio.dailies.resolve(id, shotId, decision, take);
      const next = goesOn ? 'The render continues.' : 'The next render continues from here.';
      return { done: `Decided for "${shotId}": ${decision.kind}. ${next}`, to: shotPath(id, shotId) };
    },
  },
];

async function decisionOf(studio: Studio, request: ActionRequest, take: number | undefined): Promise<Decision> {
  const kind = request.field('answer');
  switch (kind) {
    case 'adopt': {
      const taskId = request.field('taskId').trim();
      if (!isTaskId(taskId))
        throw new Refused(
          `${JSON.stringify(taskId)} cannot be a task id; copy the id from the gateway's own list of tasks`,
        );
      return { kind, taskId };
    }
    case 'resubmit':
      await checkAsSeen(studio, request, take);
      return { kind };
    case 'use':
      return { kind, asset: await ownFile(studio, request) };
    case 'skip':
    case 'wait':
      return { kind };
    default:
      throw new Refused(`"${kind}" is not an answer`);
  }
}

/** @throws Refused if the shot no longer waits for the decision that the person saw, or if its price has changed. */
async function checkAsSeen(studio: Studio, { params, json }: ActionRequest, take: number | undefined): Promise<void> {
  const { id = '', shot: shotId = '' } = params;
  const parked = (await filmView(studio, id)).shots.find((one) => one.id === shotId)?.entry.parked ?? null;
  const now = parked === null ? null : asShown({ take, parked });
  if (now !== null && canonicalJson(json('seen') ?? null) === canonicalJson(now)) return;
  throw new Refused('The shot or its price has changed since you saw it. Load the page again; nothing has happened.');
}

/** Stores the file after the same checks as `dailies resolve --use`. */
async function ownFile(studio: Studio, { params, file }: ActionRequest): ReturnType<typeof putOwnOutput> {
  const { id = '', shot: shotId = '' } = params;
  const given = file('file');
  if (given === undefined) throw new Refused('There is no file in the form, or the file is empty.');
  const { store } = studio.dailies;
  const wanted = (await store.ledger.takes(id, shotId)).at(-1)?.intent.model.output;
  if (wanted === undefined) throw new Refused(`shot "${shotId}" has no take that a file could replace`);
  const folder = await mkdtemp(join(tmpdir(), 'dailies-studio-'));
  try {
    const path = join(folder, 'given');
    await writeFile(path, Buffer.from(await given.arrayBuffer()), { mode: 0o600 });
    return await putOwnOutput(path, wanted, store, `the file ${JSON.stringify(given.name)}`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
