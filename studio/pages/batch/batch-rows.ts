import { html, type Html } from '../../../client/contact-sheet/html';
import { type RowView } from '../../../client/programs';
import { resolveWays } from '../../../contracts/commands';
import { type AssetRef } from '../../../contracts/asset';
import { rowProductionId } from '../../../contracts/identifiers';
import { assetAddress } from '../../server/serve-asset';
import { type BatchView, FILTERS, parkedForOf, ROWS_SHOWN, type RowSelection } from '../../views/batch-view';
import { commandShown, creditsShown, productionPath, stateShown, timeShown, reasonShown } from '../parts';

export function batchPath(batchId: string): string {
  return `/batches/${encodeURIComponent(batchId)}`;
}

/** The requested rows of a batch, with links to other states and pages. */
export function gridShown(view: BatchView): Html {
  const { grid, summary } = view;
  return html`<section aria-labelledby="rows-title" class="rows">
    <h2 id="rows-title">Rows</h2>
    ${filtersShown(view)} ${grid.rows.length === 0 ? nothingFound(view) : tableShown(view)}
    ${summary.rows <= ROWS_SHOWN ? null : pagesShown(view)}
  </section>`;
}

function filtersShown({ id, grid, summary: { counts, rows } }: BatchView): Html {
  const link = (state: RowSelection['state'], name: string, count: number): Html =>
    html`<li>
      <a href="${partPath(id, { ...grid, state, page: 1 })}" ${grid.state === state ? html`aria-current="true"` : null}
        >${name} <b>${count}</b></a
      >
    </li>`;
  const countOf = (state: RowView['state']): number => counts[state === 'under way' ? 'underWay' : state];
  return html`<nav aria-label="Rows by state">
      <ul class="filters">
        ${link(undefined, 'all', rows)}
        ${FILTERS.filter((state) => countOf(state) > 0 || state === grid.state).map((state) => link(state, wordOf(state), countOf(state)))}
      </ul>
    </nav>
    <form method="get" action="${batchPath(id)}" class="search" role="search">
      ${grid.state === undefined ? null : html`<input type="hidden" name="state" value="${grid.state}" />`}
      <label>Keys that begin with <input name="key" value="${grid.key}" maxlength="64" autocomplete="off" /></label>
      <button>Find</button>
    </form>`;
}

function tableShown({ id, grid, storedHashes }: BatchView): Html {
  const first = (grid.page - 1) * ROWS_SHOWN + 1;
  return html`<div class="scrolls" role="region" aria-labelledby="rows-caption" tabindex="0">
    <table>
      <caption id="rows-caption">
        ${first} to ${first + grid.rows.length - 1} of ${grid.matching} rows
      </caption>
      <thead>
        <tr>
          <th scope="col">Row</th>
          <th scope="col">State</th>
          <th scope="col">Model</th>
          <th scope="col">Result</th>
          <th scope="col">Credits</th>
          <th scope="col">Ended</th>
        </tr>
      </thead>
      <tbody>
        ${grid.rows.map((row) => rowShown(id, row, storedHashes))}
      </tbody>
    </table>
  </div>`;
}

function rowShown(batchId: string, row: RowView, storedHashes: ReadonlySet<string>): Html {
  const { key, kind, model, state, end } = row;
  const reason = state === 'under way' ? null : (end?.reason ?? null);
  return html`<tr id="row-${key}">
    <th scope="row">
      ${kind === 'production' && state !== 'pending' ? html`<a href="${rowPath(batchId, key)}">${key}</a>` : key}
    </th>
    <td>${stateShown(wordOf(state))}</td>
    <td>${kind === 'production' ? 'a production' : (model ?? '')}</td>
    <td>
      ${end?.asset == null ? null : outputShown(end.asset, storedHashes)}
      ${end?.fallback === true ? html`<span>by the fallback</span>` : null}
      ${reason === null ? null : html`<span class="reason">${reasonShown(reason)}</span>`}
    </td>
    <td>${end === null || end.credits === null ? '' : creditsShown(end.credits)}</td>
    <td>${end === null ? '' : timeShown(end.at)}</td>
  </tr>`;
}

function outputShown(asset: AssetRef, storedHashes: ReadonlySet<string>): Html {
  const [kind = ''] = asset.mediaType.split('/');
  const label = OUTPUT_LABELS[kind] ?? 'Open the file';
  return storedHashes.has(asset.sha256)
    ? html`<a href="${assetAddress(asset)}">${label}</a>`
    : html`<span>Its output is no longer in the store.</span>`;
}

const OUTPUT_LABELS: Readonly<Record<string, string>> = {
  video: 'Play the clip',
  image: 'See the picture',
  audio: 'Hear it',
  text: 'Read it',
};

function nothingFound({ id, grid }: BatchView): Html {
  if (grid.matching > 0) {
    const last = Math.ceil(grid.matching / ROWS_SHOWN);
    return html`<p>
      There is no page ${grid.page}. <a href="${partPath(id, { ...grid, page: last })}">The last page</a>
    </p>`;
  }
  return html`<p>No row matches. <a href="${batchPath(id)}">All rows</a></p>`;
}

function pagesShown({ id, grid }: BatchView): Html {
  const last = Math.max(1, Math.ceil(grid.matching / ROWS_SHOWN));
  const link = (page: number, rel: string, name: string): Html =>
    html`<a rel="${rel}" href="${partPath(id, { ...grid, page })}">${name}</a>`;
  return html`<nav aria-label="Pages of rows" class="pages">
    ${grid.page > 1 ? link(1, 'first', 'First') : null}
    ${grid.page > 1 && grid.page <= last ? link(grid.page - 1, 'prev', 'Previous') : null}
    <span>Page ${grid.page} of ${last}</span>
    ${grid.page < last ? link(grid.page + 1, 'next', 'Next') : null}
    ${grid.page < last ? link(last, 'last', 'Last') : null}
  </nav>`;
}

/** The first rows that wait for a decision. A production has a link to its page; any other row has the commands. */
export function parkedShown({ id, parked }: BatchView): Html | null {
  if (parked.matching === 0) return null;
  const isUnclear = parked.rows.some((row) => parkedForOf(row) === 'unclear');
  return html`<section aria-labelledby="parked-title" class="parked">
    <h2 id="parked-title">
      ${parked.matching === 1 ? '1 row waits' : `${parked.matching} rows wait`} for your decision
    </h2>
    <ul>
      ${parked.rows.map((row) => html`<li><b>${row.key}</b> ${reasonShown(row.end?.reason ?? '')} ${waysShown(id, row)}</li>`)}
    </ul>
    ${moreShown(id, 'parked', parked)}
    ${
      isUnclear
        ? html`<p>
              These commands decide all unclear rows at once. The first one shows what may be charged twice, and asks
              you to confirm:
            </p>
            ${commandShown(`dailies resolve ${id} --all --for unclear --resubmit`)}
            ${commandShown(`dailies resolve ${id} --all --for unclear --skip`)}`
        : null
    }
  </section>`;
}

function waysShown(batchId: string, row: RowView): Html {
  const parkedFor = parkedForOf(row);
  if (parkedFor === undefined) return html`<a href="${rowPath(batchId, row.key)}">Decide</a>`;
  return html`${resolveWays(batchId, row.key, parkedFor).map(
    ({ command, means }) =>
      html`<p class="means">${means}</p>
        ${commandShown(command)}`,
  )}`;
}

/** The first rows that failed, and why. */
export function failedShown({ id, failed }: BatchView): Html | null {
  if (failed.matching === 0) return null;
  return html`<section aria-labelledby="failed-title">
    <h2 id="failed-title">${failed.matching === 1 ? '1 row failed' : `${failed.matching} rows failed`}</h2>
    <ul>
      ${failed.rows.map(({ key, end }) => html`<li><b>${key}</b> ${reasonShown(end?.reason ?? 'no reason given')}</li>`)}
    </ul>
    ${moreShown(id, 'failed', failed)}
  </section>`;
}

function moreShown(id: string, state: RowView['state'], { matching, rows }: BatchView['failed']): Html | null {
  if (matching <= rows.length) return null;
  return html`<p><a href="${partPath(id, { state, key: '', page: 1 })}">All ${matching}</a></p>`;
}

function rowPath(batchId: string, key: string): string {
  return productionPath(rowProductionId(batchId, key));
}

function partPath(id: string, { state, key, page }: RowSelection): string {
  const query = new URLSearchParams({
    ...(state === undefined ? {} : { state }),
    ...(key === '' ? {} : { key }),
    ...(page === 1 ? {} : { page: String(page) }),
  }).toString();
  return `${batchPath(id)}${query === '' ? '' : `?${query}`}`;
}

function wordOf(state: RowView['state']): string {
  return state === 'under way' ? 'rendering' : state;
}
