import { counted } from '../../../contracts/counted';
import { html, type Html } from '../../../client/contact-sheet/html';
import { type Settlement } from '../../../client/books';
import { quoteInWords, toRender } from '../../../client/plan/plan-in-words';
import { Refused } from '../../../client/wording/refused';
import { type ManifestBudget } from '../../../contracts/manifest';
import { type BudgetFigures } from '../../../contracts/money/budget';
import { type RenderPlan } from '../../../contracts/render/render-plan';
import { type ActionRoute, type PageRequest } from '../../server/page';
import { type FilmView } from '../../views/film-view';
import { commandShown, creditsShown, form, productionPath } from '../parts';
import { settlementShown } from './settlement';

/** A film with its costs. */
export interface FilmMoney extends FilmView {
  /** The plan of what is left to render; undefined if the production has completed or its frozen production is lost. */
  readonly rest: RenderPlan | undefined;
  readonly settlement: Settlement | undefined;
}

export const setBudget: ActionRoute = {
  path: '/productions/:id/budget',
  async act({ dailies }, { params: { id = '' }, field }) {
    const typed = field('credits').trim();
    // `Number` reads an empty text as 0, and accepts 0x10 and 1e3.
    if (!/^(\d+\.?\d*|\.\d+)$/.test(typed)) throw new Refused(`"${typed}" is not a budget. Enter a number, 0 or more.`);
    const figures = await dailies.budget(id, Number(typed));
    return { done: budgetSetInWords(figures, typed), to: productionPath(id) };
  },
};

export function moneyShown({ id, status, shots, manifest, rest, settlement }: FilmMoney, { token }: PageRequest): Html {
  const { credits, budget } = manifest;
  const inProgress = shots.flatMap(({ takes }) => takes).filter(({ state }) => state === 'rendering').length;
  const path = `${productionPath(id)}/budget`;
  return html`<section aria-labelledby="money-title" class="money">
    <h2 id="money-title">Money</h2>
    <dl>
      <div>
        <dt>Charged</dt>
        <dd>${creditsShown(credits.charged)}</dd>
      </div>
      ${
        credits.unclearSubmits === 0
          ? null
          : html`<div>
              <dt>Unclear</dt>
              <dd class="alarm">${counted(credits.unclearSubmits, 'submit')} that may have been charged</dd>
            </div>`
      }
      ${
        inProgress === 0
          ? null
          : html`<div>
              <dt>In progress</dt>
              <dd>${counted(inProgress, 'task')}; a charge is known when its task ends</dd>
            </div>`
      }
      ${
        rest === undefined || rest.quote.tasks === 0
          ? null
          : html`<div>
              <dt>Still to pay</dt>
              <dd>${toRender(rest)}: ${quoteInWords(rest.quote)}</dd>
            </div>`
      }
      ${
        budget === null
          ? null
          : html`<div>
              <dt>Budget</dt>
              <dd>
                ${budget.spent} spent and ${budget.reserved} reserved of ${budget.credits}
                <meter
                  min="0"
                  max="${budget.credits}"
                  high="${budget.credits * 0.9}"
                  optimum="0"
                  value="${Math.min(budget.credits, budget.spent + budget.reserved)}"
                >
                  ${budget.spent}
                </meter>
              </dd>
            </div>`
      }
    </dl>
    ${settlement === undefined ? null : settlementShown(settlement)}
    ${budget === null && status.state === 'running' ? html`<p>${NO_BUDGET}</p>` : budgetForm(path, token, id, budget)}
  </section>`;
}

const NO_BUDGET = 'This render has no budget, since its file had none. You can set one once the render has ended.';

function budgetForm(path: string, token: PageRequest['token'], id: string, budget: ManifestBudget | null): Html {
  return html`${form(
    path,
    token,
    html`<label
        >Budget in credits <input name="credits" inputmode="decimal" required value="${budget?.credits ?? ''}"
      /></label>
      <button>Set budget</button>`,
  )}
  ${commandShown(`dailies budget ${id} --credits ${budget?.credits ?? 'M'}`)}`;
}

function budgetSetInWords(figures: BudgetFigures | null, asked: string): string {
  if (figures === null) return `The budget is ${counted(Number(asked), 'credit')} now.`;
  const { credits, spent } = figures;
  const isUsedUp = spent >= credits ? ` ${creditsShown(spent)} are spent already, so nothing new is paid for.` : '';
  return `The budget is ${creditsShown(credits)} now.${isUsedUp}`;
}
