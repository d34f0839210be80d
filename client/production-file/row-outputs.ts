import { knownModel, OutputKind } from '../../contracts/models';
import { namesIn } from '../../contracts/template';
import { anyOf, shown } from './wording';

/** What rows say in a column `output` of the models of which nothing else is known. */
export interface RowOutputs {
  /** As the entries of a production file's models. */
  readonly models: Readonly<Record<string, { readonly output: OutputKind }>>;
  /** By index of the row, what is wrong with what it says. */
  readonly mistakes: ReadonlyMap<number, string>;
  /** Rows whose `output` is this, and no parameter. */
  readonly saying: ReadonlySet<number>;
}

/** @param declared the models of the file: a row's `output` is a parameter where its model is one of them. */
export function rowOutputs(
  rows: readonly Readonly<Record<string, unknown>>[],
  declared: Readonly<Record<string, object>>,
): RowOutputs {
  const models: Record<string, { output: OutputKind }> = {};
  const mistakes = new Map<number, string>();
  const saying = new Set<number>();
  rows.forEach(({ model, output }, row) => {
    if (typeof model !== 'string' || output === undefined) return;
    if (knownModel(model) !== undefined || Object.hasOwn(declared, model)) return;
    saying.add(row);
    // Which model it is is not known, where its template lacks that.
    if (namesIn(model).length > 0) return;
    const kind = OutputKind.options.find((one) => one === output);
    const before = models[model]?.output;
    if (kind === undefined)
      mistakes.set(row, `output is what the model makes: ${anyOf(OutputKind.options)}, not ${shown(output)}`);
    else if (before !== undefined && before !== kind)
      mistakes.set(row, `output is ${kind}, and another row of ${model} has ${before}; a model makes one kind`);
    else models[model] = { output: kind };
  });
  return { models, mistakes, saying };
}
