import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as echarts from 'echarts';
import { withSection } from '../../../dist/bench/page-section';
import { median } from '../../../dist/bench/statistics';
import { CONTENDERS } from './contender';
import { SAVED, type SavedWork, savedWorks } from './saved';
import { short, table, valuesOf } from './table';

const PAGE = join(SAVED, '..', 'benchmarks.md');
const PRETTIER = join(SAVED, '..', '..', 'node_modules', 'prettier', 'bin', 'prettier.cjs');

/** The figure that the plot of each benchmark shows. */
const PLOTTED: Readonly<Record<string, string>> = {
  chain: 'wall over ideal',
  detection: 'lag, mean s',
  throughput: 'tasks a second',
  'in-flight': 'program in flight, MB',
  'crash-on-wire': 'paid twice',
  'crash-polling': 'done after, s',
};

/**
 * Writes the tables and environments of all saved benchmarks into docs/benchmarks.md, and draws the plots.
 *
 * @throws Error if the page lacks the marks of a section.
 */
export async function report(): Promise<void> {
  let page = await readFile(PAGE, 'utf8');
  /** Benchmarks by environment. Most share one. */
  const environments = new Map<string, string[]>();
  for (const saved of await savedWorks()) {
    const { work, title, machine, at, rounds, versions, failures } = saved;
    const programs = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
    const lines = [
      `${title}. ${rounds === 1 ? 'One round' : `Medians of ${rounds} rounds, with their ranges`}; ${at}.`,
      '',
      ...table(saved),
      '',
      ...failures.flatMap((failure) => [`Not done: ${failure}`, '']),
      ...(work in PLOTTED ? [`![${PLOTTED[work] ?? ''}, by contender](benchmarks/${work}.svg)`, ''] : []),
      `Raw figures: [${work}.json](benchmarks/${work}.json).`,
    ];
    const environment = `${machine}; ${programs.join(', ')}.`;
    environments.set(environment, [...(environments.get(environment) ?? []), work]);
    page = withSection(page, work, lines.join('\n'));
    if (work in PLOTTED) await writeFile(join(SAVED, `${work}.svg`), plot(saved, PLOTTED[work] ?? ''));
  }
  const environmentLines = [...environments].map(([environment, works]) => `- ${works.join(', ')}: ${environment}`);
  page = withSection(page, 'environment', environmentLines.join('\n'));
  await writeFile(PAGE, page);
  await promisify(execFile)(process.execPath, [PRETTIER, '--write', PAGE, SAVED]);
}

/** A bar for each contender's median, with a dot for each round. */
function plot({ figures }: SavedWork, figure: string): string {
  const rows = CONTENDERS.filter(({ name }) => name in figures).map(({ name, title }) => ({
    title,
    values: valuesOf(figures[name] ?? [], figure),
  }));
  const chart = echarts.init(null, null, { renderer: 'svg', ssr: true, width: 720, height: 60 + 36 * rows.length });
  chart.setOption({
    animation: false,
    backgroundColor: '#ffffff',
    grid: { left: 190, right: 60, top: 20, bottom: 40 },
    xAxis: { type: 'value', name: figure, nameLocation: 'middle', nameGap: 26, min: 0 },
    yAxis: { type: 'category', inverse: true, data: rows.map(({ title }) => title) },
    series: [
      {
        type: 'bar',
        barWidth: 14,
        data: rows.map(({ values }, index) => ({
          value: median(values),
          itemStyle: { color: index === 0 ? '#c2410c' : '#94a3b8' },
        })),
        label: { show: true, position: 'right', formatter: ({ value }: { value: unknown }) => short(Number(value)) },
      },
      {
        type: 'scatter',
        symbolSize: 5,
        itemStyle: { color: '#1e293b' },
        data: rows.flatMap(({ values }, index) => values.map((value) => [value, index])),
      },
    ],
  });
  const svg = chart.renderToSVGString();
  chart.dispose();
  return svg;
}
