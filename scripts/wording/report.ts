import { counted } from '../../contracts/counted';
import { type Published } from '../../client/output/out-folder';
import { choiceWays, resolveWays, reviewInWords, reviewWays, takesToChoose, type Way } from '../../contracts/commands';
import { notifyCommand } from '../../client/wording/commands';
import { inMegabytes } from '../../client/wording/phrases';
import { table } from '../../client/wording/table';
import { type BudgetFigures } from '../../contracts/money/budget';
import { exactCredits } from '../../contracts/money/credits';
import {
  type Manifest,
  type ManifestDrift,
  type ManifestNotice,
  type ManifestShot,
  type ParkedCosts,
} from '../../contracts/manifest';
import { type ProductionStatus, type ShotStatus } from '../../contracts/status';
import { canAsk } from '../process/confirm';
import { print, tell } from '../process/streams';

const DRIFTED = 'Drifted visibly from the first shot of the chain';

/** The charges for a production's takes. */
export interface Costs {
  /** Credits charged since this command began. A render may be continued by several commands. */
  readonly spent: number;
  /** Number of ended tasks whose charge is unknown. */
  readonly withoutPrice: number;
  /** Number of unclear submits that nobody has decided about. */
  readonly undecided: number;
}

/** Prints the outcome of a render. @param drifted the shots whose drift warnings are printed. */
export function printReport(
  { manifest, sheetPath, movedAside }: Published,
  status: ProductionStatus,
  { spent, withoutPrice, undecided }: Costs,
  drifted: Pick<Manifest, 'production' | 'shots'>,
): void {
  const { title, state, film, shots, credits } = manifest;
  const rows: [string, string][] = [['state', status.reason === null ? state : `${state} (${status.reason})`]];
  if (film !== null) {
    rows.push(
      ['film', film.path],
      ['length', `${film.durationSeconds.toFixed(1)} s`],
      ['size', inMegabytes(film.sizeBytes)],
    );
  }
  rows.push(['contact sheet', sheetPath], ['browser', '`dailies studio` shows and directs it']);
  rows.push([
    'credits',
    `${credits.charged} charged, ${spent} of them by this command${withoutPriceInWords(withoutPrice)}`,
  ]);
  if (credits.unclearSubmits > 0) {
    const next = undecided === 0 ? '; nothing is left to decide' : `: dailies ledger ${manifest.production}`;
    rows.push(['unclear', `${submitsInWords(credits.unclearSubmits)}${next}`]);
  }
  print([title, ...table(rows)]);

  for (const shot of shots) {
    if (shot.state !== 'completed' || shot.reason !== null)
      print(`  ${shot.id}: ${shot.state}${shot.reason === null ? '' : `, ${shot.reason}`}`);
  }
  tellOfDrift(drifted);
  tellOfReadyBy(manifest);
  tellOfNotices(manifest.production, manifest.notices);
  tellWhatWaits(status, manifest);
  tellOfMoved(movedAside);
}

export function budgetStateInWords({ credits, spent, reserved, unclear, unpriced }: BudgetFigures): string {
  const unclearInWords = unclear === 0 ? '' : `, ${unclear} of them unclear`;
  const held = unpriced === undefined ? '' : `, ${unpriced.credits} of them for ${heldFor(unpriced.shots)}`;
  const doubt = `${unclearInWords}${held}`;
  const left = Math.max(0, exactCredits(credits - spent - reserved));
  return `Budget: ${counted(credits, 'credit')}; ${spent} spent, ${reserved} reserved${doubt}, ${left} left.`;
}

function heldFor(shots: readonly string[]): string {
  return `${shots.map((shot) => `"${shot}"`).join(', ')} until the price is known`;
}

/** Prints the state of the `readyBy` deadline, if the file has one. */
export function tellOfReadyBy({ readyBy }: Pick<Manifest, 'readyBy'>): void {
  if (readyBy === null) return;
  const { at, urgentFrom, lastMoment, fallback, warning } = readyBy;
  const urgent = urgentFrom === null ? '' : `, urgent from ${urgentFrom} on`;
  const last = lastMoment === null ? '' : `; the next shot takes the fallback at ${lastMoment}`;
  tell(`To be ready by ${at}${urgent}${last}.`);
  if (fallback.length > 0) tell(`Rendered by the fallback: ${fallback.map(({ shot }) => shot).join(', ')}.`);
  if (warning !== null) tell(`To be ready by ${at}: ${warning}.`);
}

/** The text after a sum of credits: the number of tasks that the sum does not include. Empty if there are none. */
export function withoutPriceInWords(count: number): string {
  return count === 0 ? '' : `, and ${counted(count, 'task')} without a price`;
}

/**
 * Prints the commands for each shot that waits for a decision, or that failed or was skipped but has paid takes.
 *
 * @param again the command to print if the production has ended: its shots then accept no answers.
 */
export function tellWhatWaits(
  { production, state, shots }: ProductionStatus,
  manifest: Manifest,
  again?: string,
): void {
  const unanswered: string[] = [];
  const entries = new Map(manifest.shots.map((entry) => [entry.id, entry]));
  for (const shot of shots) {
    const { id, parked } = shot;
    const entry = entries.get(id);
    const review = entry?.review ?? null;
    const takes = entry === undefined ? [] : takesToChoose(entry);
    if (state !== 'running' && (parked !== null || review !== null)) unanswered.push(`"${id}"`);
    else if (parked !== null) tellParked(production, id, { parked, parkedInManifest: entry?.parked ?? null });
    else if (review !== null) tellWays(`"${id}" waits ${reviewInWords(review)}`, reviewWays(production, shot));
    else if (takes.length > 0)
      tellWays(`"${id}" is ${shot.state}, and has takes that are paid for`, choiceWays(production, id, takes));
  }
  const unclear = state === 'running' ? shots.filter(({ parked }) => parked?.for === 'unclear') : [];
  if (unclear.length > 1)
    tell(`All unclear shots at once: \`dailies resolve ${production} --all --for unclear --resubmit | --skip\``);
  const isReviewed = state === 'running' && shots.some(({ id }) => entries.get(id)?.review != null);
  if (isReviewed && canAsk())
    tell(`To look at what waits for you, one take after another: \`dailies review ${production}\``);
  const goesOn = again === undefined ? '' : `. To continue it: ${again}`;
  if (unanswered.length > 0) tell(`${unanswered.join(', ')} waited for you when "${production}" ended${goesOn}`);
}

function tellParked(
  production: string,
  id: string,
  {
    parked,
    parkedInManifest,
  }: { readonly parked: NonNullable<ShotStatus['parked']>; readonly parkedInManifest: ManifestShot['parked'] },
): void {
  const costs = parkedInManifest?.costs;
  const isUnclear = costs !== undefined && costs.unclearSubmits > 0;
  if (isUnclear) tell(`"${id}": ${mayBeChargedInWords(costs)}`);
  tellWays(
    `"${id}" waits since ${parked.since}`,
    pricedWays(resolveWays(production, id, parked.for, parked.takes), costs, parkedInManifest?.takes),
  );
  if (isUnclear) tell('Leaving the shot as it is costs nothing more, and a late answer of the gateway still counts.');
}

/** A sentence about the credits that the gateway may have charged for unclear submits. */
export function mayBeChargedInWords({ unclearSubmits, mayBeCharged }: ParkedCosts): string {
  const submits = unclearSubmits === 1 ? 'one submit' : `${unclearSubmits} submits`;
  const most = mayBeCharged === null ? 'an unknown amount' : `up to ${counted(mayBeCharged.high, 'credit')}`;
  return `the gateway may have charged ${most}, for ${submits} that it may or may not have accepted.`;
}

/**
 * Adds the price to each answer that pays for another task. The others already say that they cost nothing.
 *
 * @param named the parked takes, if a command has to name one of them.
 */
export function pricedWays(
  ways: readonly Way[],
  costs: ParkedCosts | undefined,
  named: NonNullable<ManifestShot['parked']>['takes'] = [],
): readonly Way[] {
  const another = costs?.answers.find(({ answer }) => answer === 'resubmit');
  if (another === undefined) return ways;
  return ways.map((way) => {
    if (!way.command.endsWith(' --resubmit')) return way;
    const own = named.find(({ take }) => way.command.endsWith(` --take ${take} --resubmit`))?.resubmit;
    return { ...way, means: `${way.means} (${furtherCreditsInWords(own === undefined ? another.credits : own)})` };
  });
}

function furtherCreditsInWords(credits: ParkedCosts['mayBeCharged']): string {
  if (credits === null) return 'price unknown';
  return `${credits.low === credits.high ? '' : `${credits.low} to `}${counted(credits.high, 'credit')} more`;
}

/** Prints the text `waits`, and then each command with its meaning. */
export function tellWays(waits: string, ways: readonly Way[]): void {
  tell([`${waits}. To let it go on, type one of:`, ...table(ways.map(({ command, means }) => [command, means]))]);
}

/**
 * The text after the description of a shot: its drift from the first shot of its chain. Empty if no drift was measured.
 */
export function driftInWords(drift: ManifestDrift | null | undefined): string {
  if (drift == null) return '';
  const { first, brightnessPercent, contrastPercent, colorDistance } = drift;
  const figures = `brightness ${signed(brightnessPercent)}, contrast ${signed(contrastPercent)}, colour ${colorDistance.toFixed(0)}`;
  return `; off ${first}: ${figures}${drift.warning ? ' (!)' : ''}${drift.expected === true ? ' (expected)' : ''}`;
}

/** Prints the undelivered notices of a production or batch, and the command that sends them again. */
export function tellOfNotices(id: string, notices: readonly ManifestNotice[]): void {
  for (const { type, state, attempts, at, reason } of notices) {
    if (state === 'delivered') continue;
    const tries = counted(attempts, 'try', 'tries');
    const next =
      state === 'trying'
        ? 'Dailies posts it again; to post it now, type'
        : 'Dailies does not post it again; to post it, type';
    tell(
      `The notice ${type} is not delivered after ${tries} (${at}): ${reason ?? 'no reason recorded'}; ` +
        `${next} \`${notifyCommand(id)}\`.`,
    );
  }
}

/** Warns of shots that have drifted visibly from the first shot of their chain, and names the remedy. */
export function tellOfDrift(drifted: Pick<Manifest, 'production' | 'shots'>): void {
  for (const warning of driftWarnings(drifted)) tell(warning);
}

/** One line for the shots that `anchor: true` in the file would help, and one for the others. */
export function driftWarnings({ production, shots }: Pick<Manifest, 'production' | 'shots'>): readonly string[] {
  const drifted = shots.filter(({ drift }) => drift?.warning === true);
  const idsWhere = (anchorHelps: boolean): string =>
    drifted.flatMap(({ id, drift }) => (drift?.anchorHelps === anchorHelps ? [id] : [])).join(', ');
  const [helped, others] = [idsWhere(true), idsWhere(false)];
  const warnings = [
    [
      helped,
      `${DRIFTED}: ${helped}. With \`anchor: true\` in the file, each frame that a shot continues from is corrected ` +
        'towards the first clip; see docs/production-file.md.',
    ],
    [
      others,
      `${DRIFTED}: ${others}. An anchor does not help here, but another take may: ` +
        `\`dailies retake ${production} ${others.includes(',') ? 'SHOT' : others}\`.`,
    ],
  ] as const;
  return warnings.flatMap(([ids, warning]) => (ids === '' ? [] : [warning]));
}

function signed(percent: number): string {
  const whole = Math.round(percent);
  return `${whole > 0 ? '+' : ''}${whole === 0 ? 0 : whole}%`;
}

function submitsInWords(count: number): string {
  return `${counted(count, 'submit')} that the gateway may have accepted`;
}

/** @param movedAside new paths of the person's files that were in the way of a publication. */
export function tellOfMoved(movedAside: readonly string[]): void {
  for (const path of movedAside) tell(`A file of yours stood in the way and was moved to ${path}.`);
}
