/**
 * Who may import whom: the folders of the project, and the packages that only one of them may touch.
 * docs/architecture.md has the reasons.
 */
const FOLDERS = {
  contracts: [],
  workflows: ['contracts'],
  activities: ['contracts', 'gateway', 'media', 'store'],
  gateway: ['contracts'],
  // Gateway, for the one table of statuses.
  sandbox: ['contracts', 'gateway', 'media'],
  media: ['contracts'],
  store: ['contracts'],
  workers: ['contracts', 'workflows', 'activities', 'gateway', 'sandbox', 'media', 'store', 'client'],
  // Media, since a production file is checked down to the length of its reference clips.
  client: ['contracts', 'workflows', 'media', 'store'],
  // Gateway, for the rule of task ids.
  studio: ['contracts', 'gateway', 'media', 'store', 'client'],
  // Activities, since a dry run shows the requests that they would send.
  scripts: [
    'contracts',
    'workflows',
    'activities',
    'gateway',
    'sandbox',
    'media',
    'store',
    'workers',
    'client',
    'studio',
  ],
  // Activities, since it measures a download as one of them does it.
  bench: ['contracts', 'activities', 'gateway', 'sandbox', 'media', 'store', 'workers', 'client', 'scripts', 'drill'],
  drill: ['contracts', 'gateway', 'sandbox', 'media', 'store', 'workers', 'client'],
  // Whatever reads what others write.
  fuzz: ['contracts', 'client', 'gateway', 'sandbox', 'media', 'store'],
  // As a program of somebody else's: by the package's name alone, so only what the package exports.
  examples: ['contracts', 'workflows', 'activities', 'store', 'workers', 'client'],
};

/**
 * The folders of workflows/, from the lowest: each imports only from folders before it. `index` and `messages` are the
 * doors: messages imports none of them, and only index imports them all.
 */
const WORKFLOW_FOLDERS = [
  'temporal',
  'take',
  'progress',
  'shot',
  'deadline',
  'row',
  'notice',
  'production',
  'batch',
  'arbiter',
  'schedule',
];

/** Packages that belong to certain folders alone; tests may use all. */
const PACKAGES = {
  '@temporalio/workflow': ['workflows', 'examples'],
  '@temporalio/activity': ['activities'],
  '@temporalio/worker': ['workers', 'drill', 'examples', 'bench'],
  '@temporalio/client': ['client', 'workers', 'drill'],
  '@temporalio/envconfig': ['client', 'workers', 'examples'],
  '@temporalio/proto': ['client'],
  '@grpc/': ['client'],
  undici: ['gateway'],
  hono: ['sandbox', 'studio'],
  '@hono/': ['sandbox', 'studio'],
  yaml: ['client', 'scripts'],
  'csv-parse': ['client', 'examples'],
  commander: ['scripts'],
  listr2: ['scripts'],
  mediabunny: ['media'],
};

const anyOf = (names) => names.map((name) => `^${name}/`).join('|') || '^$';

const folderRules = Object.entries(FOLDERS).map(([folder, allowed]) => ({
  name: `${folder}-imports`,
  comment: `${folder}/ may import ${['itself', ...allowed].join(', ')}.`,
  severity: 'error',
  from: { path: `^${folder}/` },
  to: { path: anyOf(Object.keys(FOLDERS)), pathNot: anyOf([folder, ...allowed]) },
}));

const packageRules = Object.entries(PACKAGES).map(([name, folders]) => ({
  name: `${name.replace(/[^a-z]+/g, '-').replace(/^-|-$/g, '')}-stays-home`,
  comment: `Only ${folders.join(', ')} may import ${name}.`,
  severity: 'error',
  from: { path: anyOf(Object.keys(FOLDERS)), pathNot: anyOf(folders) },
  to: { path: `node_modules/${name}${name.endsWith('/') ? '' : '/'}` },
}));

/** The folders of client/, from the lowest. `index` is the door of the command and imports from all. */
const CLIENT_FOLDERS = [
  'wording',
  'production-file',
  'freeze',
  'temporal',
  'records',
  'status',
  'contact-sheet',
  'output',
  'books',
  'plan',
  'batch-file',
  'batch',
  'renders',
  'schedules',
  'dailies',
  'directing',
  'fork',
  'prune',
  'programs',
];

/** The folders of activities/ and of store/, from the lowest. What all of them share lies beside them. */
const ACTIVITY_FOLDERS = ['account', 'media', 'request', 'pay', 'await', 'film', 'collect', 'run', 'notice'];
const STORE_FOLDERS = ['disk', 'ledger', 'account', 'production', 'batch', 'backup'];

const ordered = (part, folders) =>
  folders.map((folder, index) => ({
    name: `${part}-${folder}-imports`,
    comment: `${part}/${folder} may import from ${folders.slice(0, index).join(', ') || 'none of the others'}.`,
    severity: 'error',
    from: { path: `^${part}/${folder}/` },
    to: { path: `^${part}/(index\\.ts|(${folders.slice(index + 1).join('|') || 'none'})/)` },
  }));

module.exports = {
  forbidden: [
    ...folderRules,
    ...ordered('workflows', WORKFLOW_FOLDERS),
    ...ordered('client', CLIENT_FOLDERS),
    ...ordered('activities', ACTIVITY_FOLDERS),
    ...ordered('store', STORE_FOLDERS),
    ...packageRules,
    {
      name: 'worker-package-in-one-place',
      comment: 'It is optional: programs do without it, so all that runs loads it by workers/worker-package.ts.',
      severity: 'error',
      from: { path: '^(workers|client|scripts)/', pathNot: '^workers/worker-package\\.ts$' },
      to: { path: 'node_modules/@temporalio/worker/' },
    },
    {
      name: 'store-by-its-door',
      comment:
        'Only store/ knows formats, keys and paths. Others use its index, and the modules that operate a folder. ' +
        'The benchmark of detection learns times in memory.',
      severity: 'error',
      from: { pathNot: '^(store|test)/|^bench/detection\\.ts$' },
      to: {
        path: '^store/',
        pathNot: '^store/(index|backup/(backup|copies|find-store|restore)|disk/(durable-file|modes))\\.ts$',
      },
    },
    {
      name: 'nothing-imports-tests',
      severity: 'error',
      from: { pathNot: '^test/' },
      to: { path: '^test/' },
    },
    {
      name: 'no-cycles',
      comment: 'Of types neither: what refers to each other belongs together.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'workflows-are-deterministic',
      comment: 'The workflow sandbox has no Node, and a history cannot replay what comes from outside.',
      severity: 'error',
      from: { path: '^workflows/' },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'only-declared-packages',
      severity: 'error',
      // The set-up prepares a clone for development, and a clone is what is fuzzed and measured.
      from: { pathNot: '^(test|fuzz|scripts/setup|bench/studio)/' },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'], dependencyTypesNot: ['type-only'] },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: 'specify',
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['require', 'node', 'default'] },
  },
};
