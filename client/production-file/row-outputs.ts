import { knownModel, OutputKind } from '../../contracts/gateway/models';
import { namesIn } from '../../contracts/file/template';
import { anyOf, shown } from '../wording/phrases';

/** The outputs of unknown models, as rows declare them in a column `output`. */
export interface RowOutputs {
  /** As entries of a production file's `models`. */
  readonly models: Readonly<Record<string, { readonly output: OutputKind }>>;
  /** Errors in the declarations, by index of the row. */
  readonly mistakes: ReadonlyMap<number, string>;
  /** Rows whose `output` declares the model's output and is not a parameter. */
  readonly declaring: ReadonlySet<number>;
}

/** @param declared the models that the file declares. For these models a row's `output` is a parameter. */
export function rowOutputs(
  rows: readonly Readonly<Record<string, unknown>>[],
  declared: Readonly<Record<string, object>>,
): RowOutputs {
  const models: Record<string, { output: OutputKind }> = {};
  const mistakes = new Map<number, string>();
  const declaring = new Set<number>();
  rows.forEach(({ model, output }, row) => {
    if (typeof model !== 'string' || output === undefined) return;
    if (knownModel(model) !== undefined || Object.hasOwn(declared, model)) return;
    declaring.add(row);
    // The model's name has an unfilled placeholder, so the row names no model to declare.
    if (namesIn(model).length > 0) return;
    const kind = OutputKind.options.find((one) => one === output);
    const before = models[model]?.output;
    if (kind === undefined)
      mistakes.set(row, `output must be what the model makes: ${anyOf(OutputKind.options)}, not ${shown(output)}`);
    else if (before !== undefined && before !== kind)
      mistakes.set(row, `output is ${kind}, and another row of ${model} has ${before}; a model makes one kind`);
    else models[model] = { output: kind };
  });
  return { models, mistakes, declaring };
}
