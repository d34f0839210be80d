import { counted } from '../../contracts/counted';
import { html, type Html } from '../../client/contact-sheet/html';
import { type AccountLimitsView, type LIMITS } from '../../client/temporal/limits';
import { shellWord } from '../../contracts/terminal-text';
import { Refused } from '../../client/wording/refused';
import { type LimitSet } from '../../contracts/gateway/limits';
import { type PageRequest } from '../server/page';
import { commandShown, form, hidden } from './parts';

/** Invalid input of the form for limits. */
export interface RefusedLimits {
  readonly model: string;
  /** The limits that the form showed. */
  readonly shown: LimitSet;
  readonly fields: Readonly<Record<string, string>>;
  readonly error: string;
}

const LABELS: Readonly<Record<keyof typeof LIMITS, string>> = {
  inFlight: 'Tasks in flight',
  perSecond: 'Submits a second',
  perMinute: 'Submits a minute',
  creditsPerDay: 'Credits a day (UTC)',
};

const FLAGS: Readonly<Record<keyof typeof LIMITS, string>> = {
  inFlight: '--in-flight',
  perSecond: '--per-second',
  perMinute: '--per-minute',
  creditsPerDay: '--credits-per-day',
};

export const LIMIT_NAMES = Object.keys(LABELS) as (keyof typeof LIMITS)[];

/** The section of the queue page that shows and changes the limits of the account and of models. */
export function limitsShown(
  { account, models, spentToday }: AccountLimitsView,
  { token }: Pick<PageRequest, 'token'>,
  typed: RefusedLimits | undefined,
): Html {
  const own = typed?.model === '' ? typed : undefined;
  const other = typed?.model === '' ? undefined : typed;
  return html`<section aria-labelledby="limits-title">
    <h2 id="limits-title">Limits</h2>
    ${spentToday === null ? null : html`<p>${counted(spentToday, 'credit was', 'credits were')} charged or expected today.</p>`}
    ${limitsForm(token, 'The whole account', '', own ?? account)}
    ${Object.entries(models).map(([model, set]) => limitsForm(token, model, model, other?.model === model ? other : set))}
    <details ${other === undefined || Object.hasOwn(models, other.model) ? null : html`open`}>
      <summary>Limit another model</summary>
      ${limitsForm(token, 'Another model', null, other !== undefined && !Object.hasOwn(models, other.model) ? other : {})}
    </details>
  </section>`;
}

/** @param model empty for the whole account; null if the person types the model's name into the form. */
function limitsForm(
  token: PageRequest['token'],
  title: string,
  model: string | null,
  values: LimitSet | RefusedLimits,
): Html {
  const typed = 'fields' in values && 'error' in values ? (values as RefusedLimits) : undefined;
  const set = typed?.shown ?? (values as LimitSet);
  const valueOf = (name: keyof typeof LIMITS): string => typed?.fields[name] ?? String(set[name] ?? '');
  const flags = LIMIT_NAMES.map((name) => `${FLAGS[name]} ${valueOf(name) === '' ? 'none' : shellWord(valueOf(name))}`);
  const named = model === '' ? '' : ` --model ${model === null ? 'MODEL' : shellWord(model)}`;
  return html`<h3>${title}</h3>
    ${typed === undefined ? null : html`<p class="alarm" role="alert">${typed.error}</p>`}
    ${form(
      '/queue/limits',
      token,
      html`${
          model === null
            ? html`<label
                >Model <input name="model" required maxlength="200" value="${typed?.model ?? ''}" autocomplete="off"
              /></label>`
            : model === ''
              ? hidden('account', 'yes')
              : hidden('model', model)
        }
        ${hidden('shown', set)}
        ${LIMIT_NAMES.map(
          (name) =>
            html`<label
              >${LABELS[name]}
              <input
                name="${name}"
                inputmode="decimal"
                value="${valueOf(name)}"
                placeholder="no limit"
                autocomplete="off"
            /></label>`,
        )} <button>Set limits</button>`,
    )}
    ${commandShown(`dailies limits${named} ${flags.join(' ')}`)}`;
}

/** The limits that must be whole numbers. */
const WHOLE: ReadonlySet<keyof typeof LIMITS> = new Set(['inFlight', 'perMinute']);

/** Null (no limit) for an empty text. Only `creditsPerDay` may be 0. @throws Refused if the number is invalid. */
export function parseLimit(name: keyof typeof LIMITS, typed: string): number | null {
  if (typed === '') return null;
  const value = /^\d{1,12}(\.\d{1,6})?$/.test(typed) ? Number(typed) : Number.NaN;
  const isValid = value > 0 || (name === 'creditsPerDay' && value === 0);
  if (isValid && (!WHOLE.has(name) || Number.isInteger(value))) return value;
  const allowed = WHOLE.has(name)
    ? 'whole number from 1 with at most 12 digits'
    : `number ${name === 'creditsPerDay' ? 'from' : 'above'} 0 with at most 12 digits and 6 decimals`;
  throw new Refused(`${LABELS[name]}: ${JSON.stringify(typed)} is not a ${allowed}; leave it empty for no limit`);
}
