import { counted } from '../../contracts/counted';
import { shotsInWords } from '../status/shots-in-words';
import { exactCredits } from '../../contracts/money/credits';
import { basisInWords } from '../../contracts/money/price-estimate';
import { type Quote, type QuoteSum } from '../../contracts/money/quote';
import { type FilmPlan, type RenderPlan, type ShotAction, type ShotPlan } from '../../contracts/render/render-plan';
import { table } from '../wording/table';
import { changesInWords } from './changes-in-words';

/** Marks as in a diff, so that shots that cost credits stand out. */
const MARKS: Readonly<Record<ShotAction, string>> = {
  reused: ' ',
  collected: ' ',
  new: '+',
  changed: '~',
  stale: '~',
  again: '+',
  waits: '?',
  skipped: '-',
  failed: '!',
  blocked: '!',
};

function markOf({ action, newTakes }: RenderPlan['shots'][number]): string {
  return newTakes > 0 && MARKS[action] === ' ' ? MARKS.new : MARKS[action];
}

/** A plan for a person: the title, the `shown` shots, the film, the prices, a summary, the budget, and warnings. */
export function planInWords(plan: RenderPlan, shown: RenderPlan['shots'] = plan.shots): readonly string[] {
  const { title, shots, film } = plan;
  const lines = table([
    ...shown.map((shot) => [`${markOf(shot)} ${shot.shot}`, shotInWords(shot, plan.production)] as const),
    ...(film.action === 'none' && film.because.length === 0 ? [] : [['  the film', filmInWords(plan)] as const]),
  ]);
  const prices = pricesInWords(shots.flatMap(({ quote }) => quote ?? []));
  return [
    title,
    ...lines,
    ...(prices.length === 0 ? [] : ['', ...prices]),
    '',
    summary(plan),
    ...budgetInWords(plan),
    ...unclearInWords(plan),
  ];
}

/** Warns of unclear earlier takes, which may be charged in addition to the new ones. */
export function unclearInWords({ unclear = [] }: RenderPlan): readonly string[] {
  return unclear.map(
    ({ shot, take }) => `Take ${take} of "${shot}" is unclear. If the gateway accepted it, you pay for it too.`,
  );
}

/** The price of a quote, such as `24 credits and 2 takes of unknown price`. */
export function quoteInWords({ tasks, credits, unknown, estimated }: QuoteSum): string {
  if (unknown === 0) return inCredits(credits);
  const some = estimated === undefined || estimated.tasks === unknown ? '' : ` for ${estimated.tasks} of them`;
  const estimate = estimated === undefined ? '' : `, up to ${inCredits(estimated.credits)}${some} by estimate`;
  if (unknown === tasks) return `price unknown${estimate}`;
  return `${inCredits(credits)} and ${counted(unknown, 'take')} of unknown price${estimate}`;
}

/** The consequences of a decision: the plan after the decision, without the shots that are only reused. */
export function consequencesInWords(plan: RenderPlan): readonly string[] {
  return planInWords(
    plan,
    plan.shots.filter(({ action, newTakes }) => action !== 'reused' || newTakes > 0),
  );
}

export function lapsedInWords(shots: readonly string[]): string {
  return `The directions of these shots no longer fit the file, so they follow the file again: ${shots.join(', ')}.`;
}

export function shotInWords(shot: ShotPlan, production: string): string {
  const count = shot.newTakes > 1 ? `${shot.newTakes} takes, each ` : '';
  const price = shot.quote === null ? '' : `  ${count}${priceInWords(shot.quote)}`;
  const held = shot.heldBy.length === 0 ? '' : `, once you have decided on ${shot.heldBy.join(', ')}`;
  return `${actionInWords(shot, production)}${directedInWords(shot)}${held}${reviewInWords(shot)}${price}`;
}

/**
 * Says that a person chose the take, or that the shot was directed, with the changed parameters. For a changed shot,
 * `actionInWords` already names them.
 */
function directedInWords({ action, directed, directedBy, chosenOver }: ShotPlan): string {
  if (chosenOver !== null) {
    return chosenOver.length === 0 ? ', chosen' : `, chosen; a new take would differ: ${changesInWords(chosenOver)}`;
  }
  const by = directedBy === 'deadline' ? ', directed by the deadline' : ', directed';
  if (action === 'changed') return directedBy === undefined ? '' : by;
  if (directed === null) return directedBy === undefined ? '' : by;
  return directed.length === 0 ? by : `${by}: ${changesInWords(directed)}`;
}

function reviewInWords({ review, newTakes }: ShotPlan): string {
  if (!review) return '';
  return newTakes === 0 ? ', waits for your approval' : ', then waits for your approval';
}

function actionInWords(
  { shot, action, take, newTakes, through, changes, reason, directed, leftOutBy }: ShotPlan,
  production: string,
): string {
  const takeInWords = take === null ? '' : `take ${take}`;
  switch (action) {
    case 'reused':
      return `reused, ${takeInWords}${newTakes === 0 ? '' : `; ${newTakes} more to be made beside it`}`;
    case 'collected':
      return `collected, ${takeInWords} is paid for${reason === null ? '' : `; ${reason}`}`;
    case 'new':
      return 'new';
    case 'changed':
      if (changes.length > 0) return `changed: ${changesInWords(changes)}`;
      return directed === null
        ? 'changed: Dailies now builds its request differently'
        : `another take with the request of ${takeInWords}`;
    case 'stale':
      return [`stale through ${through.join(', ')}`, ...(changes.length === 0 ? [] : [changesInWords(changes)])].join(
        '; ',
      );
    case 'again':
      return `again, because of ${takeInWords}: ${reason ?? 'no reason is known'}`;
    case 'waits':
      return `waits for you, ${takeInWords}: ${reason ?? 'no reason is known'}`;
    case 'skipped':
      if (leftOutBy === 'file') return `left out by onFailure: skip, ${takeInWords}; the next render tries again`;
      return `left out by your decision, ${takeInWords}; \`dailies resolve ${production} ${shot} --resubmit\` takes it back`;
    case 'failed':
      return `failed in this render, ${takeInWords}: ${reason ?? 'no reason is known'}; the next render tries again`;
    case 'blocked':
      return `not rendered, because ${through.join(', ')} ${through.length === 1 ? 'has' : 'have'} no output`;
  }
}

function filmInWords({ film: { action, because }, shots }: RenderPlan): string {
  if (action === 'reused') return 'reused';
  const reasons = because.map((reason) => FILM_REASONS[reason]).join(', ');
  if (action === 'none') return `not assembled: ${reasons}`;
  const isChanged = !because.some((reason) => reason === 'none' || reason === 'lost' || reason === 'missing');
  const afterDecision = shots.some((shot) => shot.action === 'waits' || shot.review) ? ' once you have decided' : '';
  return `assembled${afterDecision}, at no cost; ${isChanged ? 'changed: ' : ''}${reasons}`;
}

const FILM_REASONS: Readonly<Record<FilmPlan['because'][number], string>> = {
  clips: 'clips',
  captions: 'captions',
  transition: 'transition',
  title: 'title',
  music: 'music',
  subtitles: 'subtitles',
  output: 'output',
  none: 'there is none yet',
  lost: 'it is not in the store any more',
  missing: 'shots are missing',
};

function priceInWords({ credits, estimate }: Quote): string {
  if (credits === null) {
    return `price unknown${estimate === undefined ? '' : `, up to ${inCredits(estimate.credits)} by estimate`}`;
  }
  return credits.low === credits.high ? inCredits(credits.high) : `${credits.low} to ${inCredits(credits.high)}`;
}

/** The prices and their sources, one line for each kind of task. */
function pricesInWords(quotes: readonly Quote[]): readonly string[] {
  return [...new Set(quotes.map(kindInWords))].map((line) => `  ${line}`);
}

function kindInWords({ model, resolution, seconds, credits, source, takes, estimate }: Quote): string {
  const kind = kindOf({ model, resolution });
  if (credits === null) {
    const basis = estimate === undefined ? '' : `; estimated by ${basisInWords(estimate)}`;
    return `${kind}: price unknown; no take of its kind was charged here, and no table of prices lists it${basis}`;
  }
  const per = seconds === null ? 'a task' : 'a second';
  const unit = (total: number): string => String(Number((total / (seconds ?? 1)).toPrecision(6)));
  const [low, high] = [unit(credits.low), unit(credits.high)];
  const origin =
    source === 'table' ? 'by the table of prices' : `as ${takes === 1 ? 'a take was' : `${takes} takes were`} charged`;
  const range = low === high ? `${counted(Number(high), 'credit')} ${per}` : `${low} to ${high} credits ${per}`;
  return `${kind}: ${range}, ${origin}${low === high ? '' : '; the quote uses the highest'}`;
}

function kindOf({ model, resolution }: Pick<Quote, 'model' | 'resolution'>): string {
  return resolution === null ? model : `${model} at ${resolution}`;
}

/** Says whether the quote fits the budget, and how unknown prices become known. Empty if there is no budget. */
export function budgetInWords({ budget, quote, production, shots }: RenderPlan): readonly string[] {
  if (budget === null) return [];
  const { credits, left, over = 0 } = budget;
  const missing = exactCredits(quote.credits + (quote.estimated?.credits ?? 0) - left + over);
  const fits =
    missing <= 0
      ? '.'
      : `: ${missing} too few. Takes that do not fit wait until \`dailies budget ${production} --credits M\` raises it.`;
  return [`Of the budget of ${inCredits(credits)}, ${left} are left${fits}`, ...unknownPricesInWords(shots)];
}

/** For each kind of task without a known price, names a shot whose task may go first. */
function unknownPricesInWords(shots: readonly ShotPlan[]): readonly string[] {
  const first = new Map<string, string>();
  for (const { shot, quote } of shots) {
    if (quote === null || quote.credits !== null || first.has(kindOf(quote))) continue;
    first.set(kindOf(quote), shot);
  }
  return [...first].map(
    ([kind, shot]) =>
      `The price of ${kind} is not known. One task goes first, such as that of "${shot}"; its charge becomes the price.`,
  );
}

/** Actions that the summary counts in addition to the shots to render. */
const COUNTED: readonly (readonly [ShotAction, string])[] = [
  ['reused', 'reused'],
  ['collected', 'collected'],
  ['skipped', 'left out'],
  ['waits', 'waiting for you'],
  ['failed', 'failed'],
  ['blocked', 'not rendered'],
];

/** The shots to render, such as `2 shots`, or `2 shots in 3 takes` if the two numbers differ. */
export function toRender({ shots, quote }: RenderPlan): string {
  const rendered = shots.filter(({ newTakes }) => newTakes > 0).map(({ shot: id, makes }) => ({ id, makes }));
  const shown = shotsInWords(
    rendered,
    shots.map(({ shot }) => shot),
  );
  return `${shown}${rendered.length === quote.tasks ? '' : ` in ${counted(quote.tasks, 'take')}`}`;
}

export function summary(plan: RenderPlan): string {
  const { shots, film, quote } = plan;
  const held = shots.filter(({ heldBy, newTakes }) => heldBy.length > 0 && newTakes > 0).length;
  const reviewed = shots.filter(({ review }) => review).length;
  const parts = [
    quote.tasks === 0 ? 'Nothing to pay for' : `${toRender(plan)} to render, ${quoteInWords(quote)}`,
    ...(held === 0 ? [] : [`${held} of them once you have decided`]),
    ...(reviewed === 0 ? [] : [`${reviewed} for your approval`]),
    ...COUNTED.flatMap(([action, words]) => {
      const count = shots.filter((shot) => shot.action === action).length;
      return count === 0 ? [] : [`${count} ${words}`];
    }),
    ...FILM_IN_SUM[film.action],
  ];
  return `${parts.join('; ')}.`;
}

const FILM_IN_SUM: Readonly<Record<FilmPlan['action'], readonly string[]>> = {
  none: [],
  reused: ['the film is there'],
  anew: ['the film is assembled'],
};

export function inCredits(credits: number): string {
  return counted(credits, 'credit');
}
