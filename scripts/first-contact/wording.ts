import { counted } from '../../contracts/counted';
import { table } from '../../client/wording/table';
import { type FirstContact } from './first-contact';

/** Points that one task does not show, and why the command leaves them out. */
const NOT_TRIED = [
  'a submit with invalid input: a gateway that corrects it would charge for it',
  'duration -1 of alpha-video, and results of other models: each costs a task',
  'rate limits: the command does not provoke them',
];

/** The report for a person, one line for each observation. */
export function contactInWords(contact: FirstContact): readonly string[] {
  const { id, state, reason, taskId, credits, seconds, reads, transitions, resultShape, refusals } = contact;
  const rows: [string, string][] = [
    ['state', `${state}${reason === null ? '' : `, ${reason}`}`],
    ['task', taskId ?? 'none was accepted'],
    ['cost', credits === null ? 'no charge is recorded' : counted(credits, 'credit')],
    ['time', seconds === null ? 'not known' : `${seconds} s from the acceptance to the end`],
    ['reads', `${reads} by this command, in addition to the worker's`],
    [
      'transitions',
      transitions.map(({ status, afterSeconds }) => `${status} (${afterSeconds} s)`).join(', ') || 'none',
    ],
    ['file values', fileValueInWords(contact)],
    ['last frame', lastFrameInWords(contact)],
    ['result', resultShape.join(', ') || 'none was seen'],
    ...refusals.map(({ asked, answer }): [string, string] => ['refused or failed', `${asked}: ${answer}`]),
    ...NOT_TRIED.map((line): [string, string] => ['not tried', line]),
  ];
  return [`First contact, task "${id}"`, ...table(rows)];
}

function fileValueInWords({ fileValue: { by, taken } }: FirstContact): string {
  if (by === null) return 'none was sent';
  if (taken === null) return `a picture as ${by}; not known whether it was taken`;
  return taken ? `a picture as ${by} was taken` : `the submit with a picture as ${by} was refused`;
}

function lastFrameInWords({ lastFrame: { place, source } }: FirstContact): string {
  if (source === null) return 'none is stored';
  if (place === null) {
    return source === 'gateway'
      ? 'from the gateway; its place in the result was not seen'
      : 'not seen in a result; cut from the clip';
  }
  const at = place === 'beside the result' ? place : `at result.${place}`;
  return source === 'gateway' ? `${at}, and used` : `${at}, but not usable; cut from the clip`;
}
